/**
 * The only way to write the file of `--output`: no file is replaced without the flag, and folders of agents are never
 * written to.
 */

import { resolve } from "node:path";
import { openOutputFile } from "@continuo/files";
import type { Output } from "./output.ts";
import type { Shell } from "./shell.ts";

export interface FileOutput extends Output, Disposable {
  /** Absolute. */
  readonly path: string;
  /**
   * Puts the file in its place, and returns its size. Without this call, disposing removes everything that was written.
   */
  commit(): Promise<number>;
}

export interface FileOutputOptions {
  /** Replaces a file that exists. */
  readonly force: boolean;
  /** Folders that are never written to: see `forbiddenFolders`. */
  readonly forbidden: readonly string[];
}

/** Errors: `conflict` for a file that exists, `invalid` for a forbidden folder, `unwritable`. */
export async function createFileOutput(
  file: string,
  options: FileOutputOptions,
  shell: Shell,
): Promise<FileOutput> {
  const output = await openOutputFile(resolve(shell.cwd, file), options);
  const onExit = shell.onExit(() => output[Symbol.dispose]());
  return {
    path: output.path,
    isClosed: false,
    async write(text) {
      output.write(Buffer.from(text));
    },
    commit: async () => output.commit(),
    [Symbol.dispose]() {
      output[Symbol.dispose]();
      onExit[Symbol.dispose]();
    },
  };
}
