/** Reads each configuration file once, so that the bytes that are hashed are those that are used. */

import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ContinuoError, present } from "@continuo/core/model";
import { FILE_NAME } from "./settings.ts";

export interface RawFile {
  /** The path with symbolic links resolved. */
  readonly path: string;
  readonly text: string;
  /** The hash of its bytes. */
  readonly sha256: string;
}

const MAX_FILE_BYTES = 256 * 1024;
const MAX_FOLDERS_UPWARDS = 64;

/**
 * Finds the nearest file from a folder upwards to the root of its git repository; without a repository, only in the
 * folder itself, because the folders above may belong to other people.
 */
export function findProjectFile(folder: string): string | null {
  const folders = [resolve(folder)];
  while (!existsSync(join(folders.at(-1) ?? "", ".git"))) {
    const above = dirname(folders.at(-1) ?? "");
    if (above === folders.at(-1) || folders.length === MAX_FOLDERS_UPWARDS) {
      folders.length = 1;
      break;
    }
    folders.push(above);
  }
  return folders.map((one) => join(one, FILE_NAME)).find((path) => existsSync(path)) ?? null;
}

/**
 * `null` if there is none. Errors: `unreadable`, `too_large`.
 *
 * @param hint tells a person the next step if the path has the wrong kind or size
 */
export function readRawFile(path: string, hint?: string): RawFile | null {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return null;
    if (!stat.isFile()) throw new ContinuoError("unreadable", `${path} is not a file`, present({ hint }));
    if (stat.size > MAX_FILE_BYTES) {
      throw new ContinuoError(
        "too_large",
        `${path} is larger than ${MAX_FILE_BYTES} bytes`,
        present({ hint }),
      );
    }
    const bytes = readFileSync(path);
    return {
      path: realpathSync(path),
      text: bytes.toString("utf8"),
      sha256: createHash("sha256").update(bytes).digest("hex"),
    };
  } catch (cause) {
    if (cause instanceof ContinuoError) throw cause;
    throw new ContinuoError("unreadable", `cannot read ${path}: ${(cause as Error).message}`, { cause });
  }
}
