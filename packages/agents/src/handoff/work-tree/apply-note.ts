/**
 * A note in git's folder. If a process is killed while it applies a state, another one undoes the changes with it.
 */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { readSmallFile, writeDurably } from "@continuo/files";
import { z } from "zod";
import type { Repository } from "./git.ts";
import { MAX_STATE_BYTES } from "./limits.ts";
import { branchName, objectId, type TreeFile, treeFile, treePath } from "./state.ts";

/** The parts of the clone's earlier state that are needed to restore it. */
export interface ApplyNote {
  readonly head: string | null;
  /** The branch that was checked out. */
  readonly branch: string | null;
  /** The branch of the state, and its earlier commit. */
  readonly moved: { readonly branch: string; readonly head: string | null } | null;
  /** The commit of the state. */
  readonly to: string | null;
  readonly files: readonly TreeFile[];
  /** Paths that had no file. */
  readonly created: readonly string[];
}

const shape: z.ZodType<ApplyNote> = z.object({
  head: objectId.nullable(),
  branch: branchName.nullable(),
  moved: z.object({ branch: branchName, head: objectId.nullable() }).nullable(),
  to: objectId.nullable(),
  files: z.array(treeFile),
  created: z.array(treePath),
});

export function writeNote(repository: Repository, note: ApplyNote): void {
  writeDurably(pathOf(repository), JSON.stringify(note));
}

/** `null` if there is no note. Errors: `corrupt`, because the earlier state of a clone must not be guessed. */
export function readNote(repository: Repository): ApplyNote | null {
  const text = readSmallFile(pathOf(repository), { maxBytes: MAX_STATE_BYTES });
  if (text === null) return null;
  const { success, data } = shape.safeParse(parsed(text));
  if (success) return data;
  throw new ContinuoError(
    "corrupt",
    `a move into the clone was cut off, and its note is damaged: ${pathOf(repository)}`,
    {
      hint: "Remove that file once `git status` shows the clone as you want it, and move again.",
    },
  );
}

export function removeNote(repository: Repository): void {
  rmSync(pathOf(repository), { force: true });
}

function pathOf({ gitFolder }: Repository): string {
  return join(gitFolder, "continuo-move.json");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
