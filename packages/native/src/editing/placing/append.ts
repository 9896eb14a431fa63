/** Appends records to an existing session, under a note, and tries again after conflicts. */

import { statSync } from "node:fs";
import { isContinuoError } from "@continuo/core/model";
import type { Json, Places } from "@continuo/files";
import { type NativeWriter, type RecordSink, toLines } from "../../native/writing/index.ts";
import { underNote } from "./notes.ts";

export interface AppendRecordsOptions {
  readonly writer: NativeWriter<unknown>;
  readonly sink: RecordSink;
  readonly file: string;
  readonly records: readonly Json[];
  /** The state that the records follow. */
  readonly after: string | null;
  readonly places: Places;
}

/** The caller must have the lock of the file. Errors: `conflict`, `unwritable`. */
export async function appendRecords(appending: AppendRecordsOptions): Promise<void> {
  const { writer, sink, file: path, records, after, places } = appending;
  const append = (): void => sink.append(records, { after });
  // Rows are added in one transaction, so no part of them can remain.
  if (writer.stage !== undefined) return append();
  await underNote(places, { how: "append", path, size: sizeOf(path), text: toLines(records) }, append);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The number of tries. After this many conflicts, the agent probably has the session open. */
const MAX_TRIES = 3;

/**
 * Repeats an edit that wrote nothing because the agent wrote after the session was read.
 *
 * @param edit reads the session again each time. Errors: those of `edit`.
 */
export async function againOnConflict<T>(edit: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await edit();
    } catch (error) {
      const isNothingWritten = isContinuoError(error, "conflict") && error.details?.isWritten === false;
      if (!isNothingWritten || tries === MAX_TRIES) throw error;
    }
  }
}
