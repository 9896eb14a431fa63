/**
 * Writes the output file that a person names. A file appears complete or not at all, and only the user can read it;
 * pipes and devices are written directly.
 */

import {
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ContinuoError } from "@continuo/core/model";
import { makeFolderDurably, randomSuffix, removeLeft, renameDurably, renameToFreeName } from "./durable.ts";
import { writeFailure } from "./write-failure.ts";

export interface OutputFile extends Disposable {
  /** The path that the person gave, made absolute. */
  readonly path: string;
  write(bytes: Uint8Array): void;
  /** Puts the file in its place, and returns its size. If it was not called, disposing removes the written bytes. */
  commit(): number;
}

export interface OutputFileOptions {
  /** Replaces a file that exists. */
  readonly force: boolean;
  /** Folders that belong to programs: nothing is written there, even with `force`. */
  readonly forbidden: readonly string[];
  /** Makes the folders above the file that do not exist. */
  readonly makeFolder?: boolean;
}

/**
 * Errors: `conflict` for a file that exists, `invalid` for a file in a forbidden folder, `unwritable`.
 * @param path absolute
 */
export async function openOutputFile(path: string, options: OutputFileOptions): Promise<OutputFile> {
  const fd = descriptorOf(path);
  if (fd !== null) return stream(path, fd, () => undefined);
  const stat = lookAt(path, statSync);
  if (stat?.isDirectory() === true) throw unwritable(path, new Error("it is a folder"));
  if (stat !== undefined && !stat.isFile()) return await openStream(path, stat);
  const target = targetOf(path, stat, options.makeFolder === true);
  assertAllowed(target, options.forbidden);
  if (options.makeFolder) makeFolder(path, dirname(target));
  const isThere = lookAt(path, lstatSync) !== undefined;
  if (isThere && !options.force) throw alreadyThere(path);
  return wholeFile(path, target, options.force);
}

/**
 * Returns the number of an open file of this process. Opening a redirected file again would write from its beginning.
 */
function descriptorOf(path: string): number | null {
  const [, name] = /^\/dev\/(stdout|stderr)$/u.exec(path) ?? [];
  if (name !== undefined) return name === "stdout" ? 1 : 2;
  const digits = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/u.exec(path)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Returns `undefined` if nothing is at the path. Errors: `unwritable`, e.g. if a link names itself. */
function lookAt(path: string, how: typeof statSync): Stats | undefined {
  try {
    return how(path, { throwIfNoEntry: false });
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

/**
 * Waits until somebody reads the pipe. A call of `open` that blocks would keep a thread, and with it the whole process,
 * alive even after a signal to end.
 */
async function openStream(path: string, stat: Stats): Promise<OutputFile> {
  const flags = stat.isFIFO() ? constants.O_WRONLY | constants.O_NONBLOCK : constants.O_WRONLY;
  for (;;) {
    try {
      const fd = openSync(path, flags);
      return stream(path, fd, () => closeSync(fd));
    } catch (cause) {
      if (!stat.isFIFO() || (cause as NodeJS.ErrnoException).code !== "ENXIO") throw unwritable(path, cause);
    }
    await setTimeout(READER_WAIT_MS);
  }
}

const READER_WAIT_MS = 50;

function stream(path: string, fd: number, close: () => void): OutputFile {
  let sizeBytes = 0;
  return {
    path,
    write(bytes) {
      writeAll(fd, bytes, path);
      sizeBytes += bytes.length;
    },
    commit: () => sizeBytes,
    [Symbol.dispose]: close,
  };
}

/** Returns the path that the bytes go to, with symbolic links followed. Errors: `unwritable`. */
function targetOf(path: string, stat: Stats | undefined, isMade: boolean): string {
  try {
    if (stat !== undefined) return realpathSync(path);
    const folder = dirname(path);
    const isThere = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
    const real = isThere || !isMade ? realpathSync(folder) : targetOf(folder, undefined, true);
    return join(real, basename(path));
  } catch (cause) {
    throw cause instanceof ContinuoError ? cause : unwritable(path, cause);
  }
}

function makeFolder(path: string, folder: string): void {
  try {
    makeFolderDurably(folder);
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

/** Errors: `invalid` for a path in one of the folders. */
export function assertAllowed(target: string, forbidden: readonly string[]): void {
  const folder = forbidden.find((each) => isBelow(target, each) || isBelow(target, realFolder(each)));
  if (folder === undefined) return;
  throw new ContinuoError("invalid", `cannot write ${target}: ${folder} belongs to an agent or to Continuo`, {
    hint: "Name a file in another folder.",
  });
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Nothing is at the path yet.
    return resolve(path);
  }
}

function wholeFile(path: string, target: string, force: boolean): OutputFile {
  const fresh = `${target}.${randomSuffix()}.part`;
  const fd = openFresh(fresh, path);
  let sizeBytes = 0;
  let isOpen = true;
  let isPlaced = false;
  const leave = (): void => {
    isOpen = false;
    closeSync(fd);
    if (!isPlaced) removeLeft(fresh);
  };
  return {
    path,
    write(bytes) {
      writeAll(fd, bytes, path);
      sizeBytes += bytes.length;
    },
    commit() {
      try {
        fsyncSync(fd);
        if (force) renameDurably(fresh, target);
        else if (!renameToFreeName(fresh, target)) throw alreadyThere(path);
        isPlaced = true;
      } catch (cause) {
        throw cause instanceof ContinuoError ? cause : unwritable(path, cause);
      } finally {
        leave();
      }
      return sizeBytes;
    },
    [Symbol.dispose]() {
      if (isOpen) leave();
    },
  };
}

function openFresh(fresh: string, path: string): number {
  try {
    return openSync(fresh, "wx", 0o600);
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

const WAIT_MS = 5;

function writeAll(fd: number, bytes: Uint8Array, path: string): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EAGAIN") throw unwritable(path, cause);
      // The pipe is full and does not block.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
    }
  }
}

function alreadyThere(path: string): ContinuoError {
  return new ContinuoError("conflict", `cannot write ${path}: the file already exists`, {
    hint: "Name another file, or replace this one with --force.",
  });
}

function unwritable(path: string, cause: unknown): ContinuoError {
  return writeFailure(`cannot write ${path}`, cause, "Name another file.");
}
