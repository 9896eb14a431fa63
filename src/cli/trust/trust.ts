/** `trust`, `trust --list`, `trust --remove`. */

import { realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { continuoHome } from "../../agents/index.ts";
import { ContinuoError } from "../../model/index.ts";
import { visibleLine } from "../../transcript/index.ts";
import {
  assertValid,
  FILE_NAME,
  findProjectFile,
  guardedIn,
  parseFile,
  type RawFile,
  readFile,
  readTrusted,
  type TrustedFile,
  trustStateOf,
  writeTrusted,
} from "../config/index.ts";
import { placesOf } from "../places/index.ts";
import { clockTime, createOutput, type Shell, tildePath, toJsonText } from "../terminal/index.ts";
import type { TrustFlags } from "./flags.ts";

export async function runTrust(dir: string | null, flags: TrustFlags, shell: Shell): Promise<number> {
  if (flags.list) return await list(flags, shell);
  if (flags.remove) return await remove(dir, flags, shell);
  return await trust(dir, flags, shell);
}

/** Errors: `not_found`, `invalid` for a file that could not be used anyway. */
async function trust(dir: string | null, flags: TrustFlags, shell: Shell): Promise<number> {
  const raw = readProject(dir, shell);
  const { content, problems } = parseFile(raw.text, raw.path);
  assertValid({ problems, untrusted: null });
  const guarded = guardedIn(content);
  const { path, sha256 } = raw;
  const one: TrustedFile = { path, sha256, trustedAt: shell.now.toISOString() };
  const home = continuoHome(placesOf(shell));
  await writeTrusted(home, (before) => [...before.filter((other) => other.path !== path), one], shell);
  const output = createOutput(shell.stdout);
  if (flags.json) {
    await output.write(`${toJsonText({ ...one, keys: guarded }, 2)}\n`);
    return 0;
  }
  const lines = guarded.map(({ key, value }) => `  ${key}: ${toJsonText(value)}`);
  const says = lines.length === 0 ? "  nothing that needs it" : lines.join("\n");
  await output.write(`${visibleLine(`trusted  ${tildePath(path, shell.home)}`)}\n${visibleLines(says)}\n`);
  return 0;
}

/** Errors: `not_found`. */
function readProject(dir: string | null, shell: Shell): RawFile {
  const start = resolve(shell.cwd, dir ?? ".");
  const stat = statSync(start, { throwIfNoEntry: false });
  const path = stat?.isFile() ? start : findProjectFile(start);
  const raw = path === null ? null : readFile(path);
  if (raw !== null) return raw;
  throw new ContinuoError(
    "not_found",
    `there is no ${FILE_NAME} in ${start}, nor above it in its repository`,
  );
}

/** Also of a file that is gone. Errors: `not_found` where it was not trusted. */
async function remove(dir: string | null, flags: TrustFlags, shell: Shell): Promise<number> {
  const home = continuoHome(placesOf(shell));
  const start = realPath(resolve(shell.cwd, dir ?? "."));
  const paths = [start, join(start, FILE_NAME)];
  const found = statSync(start, { throwIfNoEntry: false })?.isDirectory() ? findProjectFile(start) : null;
  if (found !== null) paths.push(realPath(found));
  const gone = readTrusted(home).find(({ path }) => paths.includes(path));
  if (gone === undefined) {
    throw new ContinuoError("not_found", `${start} was not trusted`, {
      hint: "`continuo trust --list` shows what is.",
    });
  }
  await writeTrusted(home, (before) => before.filter(({ path }) => path !== gone.path), shell);
  const text = flags.json
    ? toJsonText(gone, 2)
    : visibleLine(`not trusted any more  ${tildePath(gone.path, shell.home)}`);
  await createOutput(shell.stdout).write(`${text}\n`);
  return 0;
}

async function list(flags: TrustFlags, shell: Shell): Promise<number> {
  const trusted = readTrusted(continuoHome(placesOf(shell)));
  const rows = trusted.map((one) => ({ ...one, state: stateOf(one, trusted) }));
  const output = createOutput(shell.stdout);
  if (flags.json) {
    await output.write(`${toJsonText(rows, 2)}\n`);
    return 0;
  }
  const lines = rows.map(({ state, path, trustedAt }) =>
    visibleLine(`${state.padEnd(7)}  ${clockTime(trustedAt)}  ${tildePath(path, shell.home)}`),
  );
  await output.write(lines.length === 0 ? "Nothing is trusted.\n" : `${lines.join("\n")}\n`);
  return 0;
}

function stateOf({ path }: TrustedFile, trusted: readonly TrustedFile[]): "trusted" | "changed" | "gone" {
  const file = readFile(path);
  if (file === null) return "gone";
  return trustStateOf(file, trusted) === "trusted" ? "trusted" : "changed";
}

function realPath(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path);
}

function visibleLines(text: string): string {
  return text.split("\n").map(visibleLine).join("\n");
}
