/** Records added to a session that is there, and lines to other files of its agent, each under a note. */

import { statSync } from "node:fs";
import type { Json, Places } from "../../files/index.ts";
import { type BesideFile, type NativeWriter, type RecordSink, toLines } from "../../native/writing/index.ts";
import { underNote } from "./notes.ts";
import { addText } from "./settle-files.ts";

export interface Appending {
  readonly writer: NativeWriter<unknown>;
  readonly sink: RecordSink;
  readonly file: string;
  readonly records: readonly Json[];
  /** The state that the records follow. */
  readonly after: string | null;
  readonly places: Places;
}

/** The caller holds the lock of the file. Errors: `conflict`, `unwritable`. */
export async function appendRecords(appending: Appending): Promise<void> {
  const { writer, sink, file: path, records, after, places } = appending;
  const append = (): void => sink.append(records, { after });
  // Rows are added in one transaction: none is ever half there.
  if (writer.stage !== undefined) return append();
  await underNote(places, { how: "append", path, size: sizeOf(path), text: toLines(records) }, append);
}

/** Errors: `unwritable`. */
export async function appendBeside(beside: BesideFile, places: Places): Promise<void> {
  const { path, text } = beside;
  await underNote(places, { how: "append", path, size: sizeOf(path), text, unlocked: true }, () =>
    addText(beside),
  );
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
