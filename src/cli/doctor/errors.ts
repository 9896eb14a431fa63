/** `continuo errors`: the codes of errors, and what one of them means, why it happens and what to do about it. */

import { existsSync } from "node:fs";
import {
  ContinuoError,
  type ErrorCode,
  exitCodeOf,
  httpStatusOf,
  nearest,
  pageOfCode,
} from "@continuo/core/model";
import { packageFile } from "@continuo/files";
import { createOutput, type Shell, sentenceLines, toJsonText } from "../terminal/index.ts";
import { EXPLANATIONS } from "./explanations.ts";

export interface ErrorsFlags {
  readonly json?: true;
}

/** A code as `--json` prints it. `file` is the page on this machine; the single program has none. */
interface ExplainedCode {
  readonly code: string;
  readonly meaning: string;
  readonly cause: string;
  readonly remedy: string;
  readonly exitCode: number;
  readonly httpStatus: number;
  readonly page: string;
  readonly file: string | null;
}

/** @param code every code if it is null. Errors: `usage` for a code that does not exist. */
export async function runErrors(code: string | null, flags: ErrorsFlags, shell: Shell): Promise<number> {
  const codes = Object.keys(EXPLANATIONS) as (ErrorCode | "internal")[];
  const output = createOutput(shell.stdout);
  const file = explanationsFile();
  if (code === null) {
    const all = codes.map((one) => explain(one, file));
    const width = Math.max(...codes.map(({ length }) => length)) + 2;
    const lines = all.map((one) => `${one.code.padEnd(width)}${one.meaning}`);
    await output.write(`${flags.json ? toJsonText(all, 2) : lines.join("\n")}\n`);
    return 0;
  }
  const known = codes.find((one) => one === code);
  if (known === undefined) throw unknownCode(code, codes);
  const one = explain(known, file);
  await output.write(flags.json ? `${toJsonText(one, 2)}\n` : toText(one, shell));
  return 0;
}

/** The page on this machine; `null` in the single program. */
function explanationsFile(): string | null {
  const file = packageFile("docs/errors.md");
  return file !== null && existsSync(file) ? file : null;
}

function explain(code: ErrorCode | "internal", file: string | null): ExplainedCode {
  return {
    code,
    ...EXPLANATIONS[code],
    exitCode: exitCodeOf(code),
    httpStatus: httpStatusOf(code),
    page: pageOfCode(code),
    file,
  };
}

function unknownCode(code: string, codes: readonly string[]): ContinuoError {
  const near = nearest(code, codes);
  return new ContinuoError("usage", `there is no error code ${JSON.stringify(code)}`, {
    hint: near === null ? "Run `continuo errors` to see all codes." : `Did you mean ${near}?`,
  });
}

function toText(
  { code, meaning, cause, remedy, exitCode, httpStatus, file }: ExplainedCode,
  shell: Shell,
): string {
  const paragraphs = [
    `${code}: ${meaning}.`,
    `Why: ${cause}`,
    `What to do: ${remedy}`,
    `Exit code ${exitCode}, HTTP status ${httpStatus}.${file === null ? "" : ` All codes: ${file}`}`,
  ];
  return paragraphs
    .map((text) => `${sentenceLines([{ text }], shell, shell.stdout).join("\n")}\n`)
    .join("\n");
}
