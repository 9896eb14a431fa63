/** Lines of another session as those of a new one: `sessionId` and `projectHash` are the new one's. Pure. */

import type { KeptRecord, NewSession } from "../adapter/index.ts";
import { isJson, type Json } from "../reader/index.ts";

/** @param projectHash of the new session's folder. `null` for a file that is one object, as older versions wrote. */
export function bringBackLines(
  records: readonly KeptRecord[],
  session: NewSession,
  projectHash: string,
): readonly Json[] | null {
  const own = records.filter(({ file }) => file === undefined);
  if (own.some(({ value }) => isJson(value) && Array.isArray(value.messages))) return null;
  let isFirst = true;
  const lines = own.flatMap(({ value }): Json[] => {
    if (!isJson(value)) return [];
    const line = inSession(value, session.sessionId, projectHash);
    if (!isFirst || line.sessionId === undefined || session.provenance === undefined) return [line];
    isFirst = false;
    return [{ ...line, continuo: session.provenance }];
  });
  return session.title === null ? lines : [...lines, { $set: { summary: session.title } }];
}

function inSession(value: Json, sessionId: string, projectHash: string): Json {
  if (isJson(value.$set)) return { ...value, $set: inSession(value.$set, sessionId, projectHash) };
  return {
    ...value,
    ...(value.sessionId === undefined ? {} : { sessionId }),
    ...(value.projectHash === undefined ? {} : { projectHash }),
  };
}
