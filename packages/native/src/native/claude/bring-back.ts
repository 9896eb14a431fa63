/**
 * Lines of another session as those of a new one: `sessionId` and `cwd` are the new one's. The uuids stay, as in
 * the copies that Claude Code makes of its own sessions (2.1.330, `--fork-session`). Pure.
 */

import { isJson, type Json, textField } from "@continuo/files";
import type { KeptRecord, NewSession } from "../writing/index.ts";

export function bringBackLines(records: readonly KeptRecord[], session: NewSession): readonly Json[] | null {
  const values = records.flatMap(({ file, value }) => (file === undefined && isJson(value) ? [value] : []));
  const cwd = values.map((value) => textField(value, "cwd")).find((each) => each !== null);
  return values.map((value): Json => {
    const folder = value.cwd === undefined || value.cwd !== cwd ? {} : { cwd: session.cwd };
    const owner = value.sessionId === undefined ? {} : { sessionId: session.sessionId };
    return { ...value, ...folder, ...owner };
  });
}
