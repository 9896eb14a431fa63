/** Writes a session into a private home, where only Continuo's readers look for it. */

import { join } from "node:path";
import type { Json, Places } from "@continuo/files";
import {
  type NativeWriter,
  type NewSession,
  writeBeside,
  writeScratchLines,
  writeScratchTexts,
} from "../../native/writing/index.ts";

export interface StageOptions {
  readonly writer: NativeWriter<unknown>;
  readonly session: NewSession;
  readonly records: Iterable<Json>;
  readonly home: Places;
}

/** Returns the file. Errors: `unwritable`. */
export function stageRecords({ writer, session, records, home }: StageOptions): string {
  if (writer.stage !== undefined) {
    const file = join(home.home, "session.json");
    writeScratchTexts(file, writer.stage(records, session));
    return file;
  }
  const file = writer.placeOf(session, home);
  for (const beside of writer.besideNew?.(session, file) ?? []) writeBeside(beside);
  writeScratchLines(file, records);
  return file;
}
