/** Text to a file that is there whole or not at all, and private to the user. */

import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { ContinuoError } from "../../model/index.ts";
import type { Output } from "./output.ts";
import type { Shell } from "./shell.ts";

export interface FileOutput extends Output, Disposable {
  readonly path: string;
  /** Puts the file in its place, and says its size. Without it, disposing leaves nothing behind. */
  commit(): Promise<number>;
}

/** Errors: `unwritable` where the folder is not there or may not be written to. */
export function createFileOutput(path: string, shell: Shell): FileOutput {
  const fresh = `${path}.${process.pid}.part`;
  const fd = open(fresh, path);
  let sizeBytes = 0;
  let isOpen = true;
  const abandon = (): void => {
    if (!isOpen) return;
    isOpen = false;
    closeSync(fd);
    rmSync(fresh, { force: true });
  };
  const onExit = shell.onExit(abandon);
  return {
    path,
    isClosed: false,
    async write(text) {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      sizeBytes += bytes.length;
    },
    async commit() {
      fsyncSync(fd);
      try {
        renameSync(fresh, path);
      } catch (cause) {
        throw unwritable(path, cause);
      }
      isOpen = false;
      closeSync(fd);
      return sizeBytes;
    },
    [Symbol.dispose]() {
      abandon();
      onExit[Symbol.dispose]();
    },
  };
}

function open(fresh: string, path: string): number {
  try {
    return openSync(fresh, "wx", 0o600);
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

function unwritable(path: string, cause: unknown): ContinuoError {
  return new ContinuoError("unwritable", `cannot write ${path}: ${(cause as Error).message}`, { cause });
}
