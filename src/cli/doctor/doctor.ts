/** Makes the checks and prints their findings. */

import { exitCodeOf } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import {
  createOutput,
  paintFor,
  plural,
  type Shell,
  type Style,
  screenOf,
  toJsonText,
} from "../terminal/index.ts";
import { checkAgents } from "./agents.ts";
import { type Finding, findingOf } from "./finding.ts";
import { checkLists } from "./missed-sessions.ts";
import {
  checkEdits,
  checkGuard,
  checkHome,
  checkIndex,
  checkSettings,
  checkStore,
  checkVersion,
} from "./own-checks.ts";

/** The checks, in the order in which they are printed. */
const CHECKS: readonly (readonly [name: string, check: (shell: Shell) => Promise<readonly Finding[]>])[] = [
  ["continuo", checkVersion],
  ["home", checkHome],
  ["settings", checkSettings],
  ["store", checkStore],
  ["index", checkIndex],
  ["edits", checkEdits],
  ["lists", checkLists],
  ["guard", checkGuard],
  ["agents", checkAgents],
];

export interface DoctorFlags {
  readonly json?: true;
}

/** Exit code 4 if something does not work. */
export async function runDoctor(flags: DoctorFlags, shell: Shell): Promise<number> {
  const findings = await findAll(shell);
  const output = createOutput(shell.stdout);
  await output.write(flags.json ? `${toJsonText(findings, 2)}\n` : draw(findings, shell));
  return findings.some(({ state }) => state === "broken") ? exitCodeOf("corrupt") : 0;
}

export async function findAll(shell: Shell): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [name, check] of CHECKS) {
    findings.push(...(await check(shell).catch((error: unknown) => [findingOf(name, error)])));
  }
  return findings;
}

const MARKS: Readonly<Record<Finding["state"], readonly [sign: string, style: Style]>> = {
  fine: ["ok", "green"],
  missing: ["-", "dim"],
  warning: ["!!", "yellow"],
  broken: ["XX", "red"],
};

function draw(findings: readonly Finding[], shell: Shell): string {
  const paint = paintFor(screenOf(shell, shell.stdout));
  const width = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.flatMap(({ name, state, message, hint }) => {
    const [sign, style] = MARKS[state];
    const line = `${paint(sign.padEnd(2), style)}  ${name.padEnd(width)}  ${visibleLine(message)}`;
    const advice = hint
      ?.split("\n")
      .map((text) => `${" ".repeat(width + 6)}${paint(visibleLine(text), "dim")}`);
    return [line, ...(advice ?? [])];
  });
  const broken = findings.filter(({ state }) => state === "broken").length;
  const warnings = findings.filter(({ state }) => state === "warning").length;
  const counted = [
    ...(broken > 0 ? [plural(broken, "problem")] : []),
    ...(warnings > 0 ? [plural(warnings, "warning")] : []),
  ];
  return `${lines.join("\n")}\n\n${counted.length === 0 ? "no problems" : counted.join(", ")}\n`;
}
