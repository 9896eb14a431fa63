/**
 * Changes a title that is stored outside the session's own records too: in files next to the session, and in the
 * agent's own list.
 */

import type { Places } from "@continuo/files";
import { formatOf } from "../../native/index.ts";
import type { NativeWriter } from "../../native/writing/index.ts";
import { type RenameNote, type UnfinishedNote, underNote } from "./notes.ts";
import { addText, finishText } from "./settle-files.ts";

type TitleChange = Omit<RenameNote, "how">;

/** Errors: `busy`, `unwritable`. */
export async function placeTitle(
  naming: TitleChange,
  writer: NativeWriter<unknown>,
  places: Places,
): Promise<void> {
  if (naming.besides.length === 0 && writer.retitle === undefined) return;
  await underNote(places, { how: "rename", ...naming }, async () => {
    for (const beside of naming.besides) addText(beside);
    await retitle(naming, writer);
  });
}

/** Finishes a rename that was interrupted. Errors: `busy`, `unwritable`. */
export async function finishTitle(note: RenameNote, { pid }: UnfinishedNote): Promise<void> {
  for (const beside of note.besides) finishText(beside, pid);
  await retitle(note, await (await formatOf(note.agent)).writer());
}

async function retitle(
  { sessionId, path, title }: TitleChange,
  writer: NativeWriter<unknown>,
): Promise<void> {
  await writer.retitle?.({ sessionId, sessionFile: path, title });
}
