/** Runs `trust`, `trust --list` and `trust --remove`. */

import { existsSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  assertValid,
  FILE_NAME,
  findProjectFile,
  type GuardedValue,
  guardedIn,
  parseFile,
  projectFolderOf,
  type RawFile,
  readRawFile,
  readTrustRecord,
  type TrustedFile,
  trustStateOf,
  writeTrusted,
} from "@continuo/agents/config";
import { projectConfigurationIn } from "@continuo/agents/drivers/trust";
import { ContinuoError } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { continuoHome, isFolder, placesOf } from "@continuo/files";
import { clockTime, createOutput, type Shell, tildePath, toJsonText } from "../terminal/index.ts";
import type { TrustFlags } from "./flags.ts";

export async function runTrust(dir: string | null, flags: TrustFlags, shell: Shell): Promise<number> {
  if (flags.list) return await list(flags, shell);
  if (flags.remove) return await remove(dir, flags, shell);
  return await trust(dir, flags, shell);
}

/**
 * Trusts the project's folder, and its configuration file if it has one. Errors: `not_found`, `invalid` for a file that
 * could not be used.
 */
async function trust(dir: string | null, flags: TrustFlags, shell: Shell): Promise<number> {
  const start = resolve(shell.cwd, dir ?? ".");
  const stat = statSync(start, { throwIfNoEntry: false });
  if (stat === undefined) throw new ContinuoError("not_found", `there is no folder ${start}`);
  const trustedAt = shell.now.toISOString();
  const found = stat.isFile() ? start : findProjectFile(start);
  const raw = found === null ? null : readRawFile(found);
  const file = raw === null ? null : checked(raw, trustedAt);
  // If the path is a file, only this file is trusted.
  const folder = stat.isFile() ? null : { path: projectFolderOf(start), trustedAt };
  writeTrusted(continuoHome(placesOf(shell)), ({ files, folders, refused }) => ({
    files: file === null ? files : [...files.filter(({ path }) => path !== file.path), withoutKeys(file)],
    folders: folder === null ? folders : [...folders.filter(({ path }) => path !== folder.path), folder],
    refused: refused.filter(({ path }) => path !== folder?.path),
  }));
  const allowed = folder === null ? [] : projectConfigurationIn(folder.path);
  const output = createOutput(shell.stdout);
  if (flags.json) {
    const shown = folder === null ? null : { ...folder, allowed };
    await output.write(`${toJsonText({ ...(file ?? {}), folder: shown }, 2)}\n`);
    return 0;
  }
  const lines = [
    ...(folder === null
      ? []
      : [`trusted  ${tildePath(folder.path, shell.home)}`, ...allowed.map(allowedLine)]),
    ...(file === null ? [] : [`trusted  ${tildePath(file.path, shell.home)}`, ...keyLines(file)]),
  ];
  await output.write(`${lines.map(visibleLine).join("\n")}\n`);
  return 0;
}

interface CheckedFile extends TrustedFile {
  readonly keys: readonly GuardedValue[];
}

function checked(raw: RawFile, trustedAt: string): CheckedFile {
  const { content, problems } = parseFile(raw.text, raw.path);
  assertValid({ problems, untrusted: null });
  return { path: raw.path, sha256: raw.sha256, trustedAt, keys: guardedIn(content) };
}

function withoutKeys({ path, sha256, trustedAt }: CheckedFile): TrustedFile {
  return { path, sha256, trustedAt };
}

function keyLines({ keys }: CheckedFile): readonly string[] {
  if (keys.length === 0) return ["  no key that requires trust"];
  return keys.map(({ key, value }) => `  ${key}: ${toJsonText(value)}`);
}

function allowedLine({ agent, files }: ReturnType<typeof projectConfigurationIn>[number]): string {
  return `  ${agent}: ${files.join(", ")}`;
}

/** Removes the trust, also of a folder or a file that no longer exists. Errors: `not_found` if it was not trusted. */
async function remove(dir: string | null, flags: TrustFlags, shell: Shell): Promise<number> {
  const home = continuoHome(placesOf(shell));
  const start = realPath(resolve(shell.cwd, dir ?? "."));
  const paths = [start, join(start, FILE_NAME)];
  if (isFolder(start)) {
    const found = findProjectFile(start);
    if (found !== null) paths.push(realPath(found));
    paths.push(projectFolderOf(start));
  }
  const isMeant = ({ path }: { readonly path: string }): boolean => paths.includes(path);
  const { files, folders, refused } = readTrustRecord(home);
  const gone = [...folders.filter(isMeant), ...files.filter(isMeant), ...refused.filter(isMeant)];
  if (gone.length === 0) {
    throw new ContinuoError("not_found", `${start} was not trusted`, {
      hint: "Run `continuo trust --list` to see the trusted files.",
    });
  }
  writeTrusted(home, (before) => ({
    files: before.files.filter((one) => !isMeant(one)),
    folders: before.folders.filter((one) => !isMeant(one)),
    refused: before.refused.filter((one) => !isMeant(one)),
  }));
  const lines = gone.map((one) => {
    const what = "refusedAt" in one ? "no longer refused" : "no longer trusted";
    return visibleLine(`${what}  ${tildePath(one.path, shell.home)}`);
  });
  const text = flags.json ? toJsonText(gone, 2) : lines.join("\n");
  await createOutput(shell.stdout).write(`${text}\n`);
  return 0;
}

async function list(flags: TrustFlags, shell: Shell): Promise<number> {
  const { files, folders, refused } = readTrustRecord(continuoHome(placesOf(shell)));
  const rows = [
    ...folders.map((one) => ({ ...one, state: existsSync(one.path) ? "trusted" : "gone" })),
    ...files.map((one) => ({ ...one, state: stateOf(one, files) })),
    ...refused.map((one) => ({ ...one, state: "refused" })),
  ];
  const output = createOutput(shell.stdout);
  if (flags.json) {
    await output.write(`${toJsonText(rows, 2)}\n`);
    return 0;
  }
  const lines = rows.map((row) => {
    const decidedAt = "refusedAt" in row ? row.refusedAt : row.trustedAt;
    return visibleLine(`${row.state.padEnd(7)}  ${clockTime(decidedAt)}  ${tildePath(row.path, shell.home)}`);
  });
  await output.write(lines.length === 0 ? "Nothing is trusted.\n" : `${lines.join("\n")}\n`);
  return 0;
}

function stateOf({ path }: TrustedFile, trusted: readonly TrustedFile[]): "trusted" | "changed" | "gone" {
  const file = readRawFile(path);
  if (file === null) return "gone";
  return trustStateOf(file, trusted) === "trusted" ? "trusted" : "changed";
}

function realPath(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path);
}
