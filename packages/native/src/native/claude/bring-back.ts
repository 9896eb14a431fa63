/**
 * Converts lines of another session to lines of a new one, with the `sessionId` and `cwd` of the new one. The uuids
 * stay, as in the copies that Claude Code makes of its own sessions (2.1.330, `--fork-session`). Pure.
 */

import { isJson, type Json, textField } from "@continuo/files";
import type { KeptRecord, NewSession } from "../writing/index.ts";

export function bringBackLines(records: readonly KeptRecord[], session: NewSession): readonly Json[] {
  const values = records.flatMap(({ file, value }) => (file === undefined && isJson(value) ? [value] : []));
  const cwd = values.map((value) => textField(value, "cwd")).find((each) => each !== null);
  return values.map((value) => inSession(value, cwd ?? null, session));
}

/** @param cwd of the session that the line comes from. */
export function inSession(line: Json, cwd: string | null, session: NewSession): Json {
  const folder = line.cwd === undefined || line.cwd !== cwd ? {} : { cwd: session.cwd };
  const owner = line.sessionId === undefined ? {} : { sessionId: session.sessionId };
  return { ...line, ...folder, ...owner };
}
