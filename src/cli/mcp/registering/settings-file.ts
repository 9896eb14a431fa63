/** A settings file of an agent: read and replaced only if it belongs to the user. */

import { chmodSync, lstatSync, readFileSync, realpathSync, rmSync, type Stats } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { writeDurably } from "@continuo/files";

export interface Settings {
  /** The path without symbolic links. */
  readonly path: string;
  /** `null` if it does not exist yet. */
  readonly text: string | null;
  readonly mode: number;
}

const MAX_BYTES: number = 64 * 1024 * 1024;

/**
 * A symbolic link is followed if it leads to a regular file of the user below the home folder, as the links of dotfiles
 * do.
 *
 * Errors: `unwritable` for a file or a folder that is not the user's own; `unreadable`, `too_large`, `invalid`.
 */
export function readSettings(path: string, home: string): Settings {
  const link = statOf(path);
  if (link === null) {
    const folder = existingFolder(dirname(path));
    assertOwn(folder, statOf(folder));
    return { path, text: null, mode: 0o600 };
  }
  const real = link.isSymbolicLink() ? realPathOf(path) : path;
  const stat = statOf(real);
  if (stat === null || !stat.isFile()) throw refused(path, "it is not a regular file");
  if (link.isSymbolicLink() && !real.startsWith(join(realpathSync(home), "/"))) {
    throw refused(path, "it is a symbolic link that leads out of the home folder");
  }
  assertOwn(real, stat);
  if (stat.size > MAX_BYTES) throw new ContinuoError("too_large", `${path} is too large to be settings`);
  const bytes = readFileSync(real);
  const text = bytes.toString("utf8");
  if (!Buffer.from(text, "utf8").equals(bytes))
    throw new ContinuoError("invalid", `${path} is not valid UTF-8`);
  return { path: real, text, mode: stat.mode & 0o777 };
}

/** @param text `null` removes the file. Errors: `conflict` if it has changed since it was read. */
export function writeSettings(settings: Settings, text: string | null, home: string): void {
  const { path, mode } = settings;
  if (readSettings(path, home).text !== settings.text) {
    throw new ContinuoError("conflict", `${path} changed in the meantime`, {
      hint: "Close the agent if it is running, and try again.",
    });
  }
  if (text === null) {
    rmSync(path);
    return;
  }
  writeDurably(path, text);
  if (mode !== 0o600) chmodSync(path, mode);
}

function statOf(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    throw refused(path, "it is a symbolic link that leads nowhere");
  }
}

function existingFolder(folder: string): string {
  return statOf(folder) === null && dirname(folder) !== folder ? existingFolder(dirname(folder)) : folder;
}

/** Checks the file and its folder, because a user who may write into the folder may replace the file. */
function assertOwn(path: string, stat: Stats | null): void {
  const folder = stat?.isFile() ? dirname(path) : path;
  const folderStat = statOf(realPathOf(folder));
  const uid = userInfo().uid;
  const isOwn = (one: Stats | null): boolean => uid < 0 || one?.uid === uid;
  if (stat?.isFile() && !isOwn(stat)) throw refused(path, "it belongs to another user");
  if (!isOwn(folderStat) || (folderStat !== null && (folderStat.mode & 0o002) !== 0)) {
    throw refused(path, `others can write to its folder ${folder}`);
  }
}

function refused(path: string, why: string): ContinuoError {
  return new ContinuoError("unwritable", `cannot change ${path}: ${why}`, {
    hint: "Write the entry of docs/mcp.md into the file yourself.",
  });
}
