/**
 * A file that a person edits too. It is replaced as a whole, and only if it still has the bytes that were read; it
 * keeps its permissions, and a symbolic link stays one.
 */

import { chmodSync, readFileSync, realpathSync, statSync } from "node:fs";
import { renameDurably, renameToFreeName } from "./durable.ts";
import { withDraft, writeDraft } from "./write-durably.ts";

/** `null` if there is no file. Errors: those of the system. */
export function readSharedFile(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Returns `changed`, and writes nothing, if the file no longer has the bytes `was`. Errors: those of the system. */
export function replaceSharedFile(
  path: string,
  { was, bytes }: { readonly was: Buffer; readonly bytes: Buffer },
): "replaced" | "changed" {
  if (readSharedFile(path)?.equals(was) !== true) return "changed";
  const target = realpathSync(path);
  return withDraft(target, (draft) => {
    writeDraft(draft, bytes);
    chmodSync(draft, statSync(target).mode & 0o777);
    // The write took a while: an editor may have saved the file in the meantime.
    if (readSharedFile(target)?.equals(was) !== true) return "changed";
    renameDurably(draft, target);
    return "replaced";
  });
}

/** Creates a file that only the user can read; `false` if the name is taken. Errors: those of the system. */
export function createSharedFile(path: string, bytes: Buffer): boolean {
  return withDraft(path, (draft) => {
    writeDraft(draft, bytes);
    return renameToFreeName(draft, path);
  });
}
