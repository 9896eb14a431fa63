/**
 * The state of a scan of a session's files: each file has an index, and all of them add to the index of the session.
 */

import {
  type ChildForkPoint,
  createFileIndex,
  createSessionIndex,
  type FileIndex,
  finish,
  type SessionIndex,
} from "./index-fold.ts";
import type { LineageFile } from "./lineage.ts";
import type { RolloutFile } from "./source.ts";

export interface ScanState {
  readonly session: SessionIndex;
  /** One for each file of the lineage; the last one is written to now. */
  readonly files: readonly FileIndex[];
  /** The path of each file, and the number of the file that it continues from; -1 for none. */
  readonly origins: readonly { readonly path: string; readonly base: number }[];
  /** The number of files that were begun. */
  begun: number;
}

export interface ScannedFile extends RolloutFile {
  readonly index: FileIndex;
}

/** A session whose files are all folded. */
export interface ScanResult {
  readonly files: readonly ScannedFile[];
  readonly session: SessionIndex;
}

/** @param part the newest part of a session comes only from its main file. */
export function createState(files: readonly LineageFile[], part: "all" | "newest"): ScanState {
  const isPart = part === "newest";
  const session = createSessionIndex();
  const origins = files.map(({ path, base }) => {
    return { path, base: isPart || base === null ? -1 : files.indexOf(base.file) };
  });
  const indexes = files.map((file, at) =>
    createFileIndex({
      file: at,
      own: file.own,
      session,
      cuts: isPart ? [] : cutsOf(file, files),
      head: null,
      paginated: file.meta?.paginated ?? false,
    }),
  );
  return { session, files: indexes, origins, begun: isPart ? files.length - 1 : 0 };
}

/** Ends the earlier files. A file continues from the place at which its base was cut. */
export function beginFile(state: ScanState, file: number): void {
  for (; state.begun <= file; state.begun++) {
    const before = state.files[state.begun - 1];
    if (before !== undefined) finish(before);
    const begun = state.files[state.begun];
    const origin = state.origins[state.begun];
    const cuts = state.files[origin?.base ?? -1]?.cuts;
    if (begun !== undefined) begun.head = cuts?.find((cut) => cut.child === origin?.path)?.at ?? null;
  }
}

function cutsOf(source: LineageFile, files: readonly LineageFile[]): ChildForkPoint[] {
  return files.flatMap(({ path: child, base }) => {
    if (base?.file !== source) return [];
    const { endOrdinal, endOffset } = base.cut;
    return [{ child, endOrdinal, endOffset, at: null, line: null, reached: false }];
  });
}
