/** A session written where only its readers look: in a private home. */

import { join } from "node:path";
import { type NativeWriter, type NewSession, writeBeside } from "./adapter/index.ts";
import type { Json, Places } from "./reader/index.ts";

export interface Staging {
  readonly writer: NativeWriter<unknown>;
  readonly session: NewSession;
  readonly records: readonly Json[];
  readonly home: Places;
}

/** Gives the file. Errors: `unwritable`. */
export async function stageRecords({ writer, session, records, home }: Staging): Promise<string> {
  if (writer.stage !== undefined) {
    const file = join(home.home, "session.json");
    writeBeside({ how: "create", path: file, text: writer.stage(records, session) });
    return file;
  }
  const file = writer.placeOf(session, home);
  for (const beside of writer.besideNew?.(session, file) ?? []) writeBeside(beside);
  const sink = await writer.openSink(file, session.sessionId);
  sink.create(records);
  sink.close();
  return file;
}
