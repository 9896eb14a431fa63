/**
 * Rows of another session as those of a new one. Ids of rows are unique in a database: each row gets another one,
 * of the same time, so that the order stays; wherever a row names one, it names the new one. Pure.
 */

import { type KeptRecord, type Makers, type NewSession, withReplaced } from "../adapter/index.ts";
import { isJson, type Json, textField } from "../reader/index.ts";
import { toSameTimeId } from "./new-ids.ts";
import { insertRow } from "./row-sink.ts";

const IDS = /(?:id|Id|ID)$/u;
const FOLDERS = /^(?:directory|cwd|root)$/u;

/** `null` for what was read from an export, which has no rows, and for a session with an open revert. */
export function bringBackRows(
  records: readonly KeptRecord[],
  session: NewSession,
  makers: Makers,
): readonly Json[] | null {
  const rows = records.flatMap(({ value }) => (isJson(value) ? [value] : []));
  const [own, ...others] = rows;
  if (own?.directory === undefined || !others.every(isRow)) return null;
  // A revert that may still be taken back names rows in a text of its own.
  if (typeof own.revert === "string") return null;
  const ids = new Map([[textField(own, "id") ?? "", session.sessionId]]);
  for (const { id } of others) if (typeof id === "string") ids.set(id, toSameTimeId(id, makers));
  const replacements = [
    { keys: IDS, names: ids },
    { keys: FOLDERS, names: new Map([[textField(own, "directory") ?? "", session.cwd]]) },
  ];
  return [
    insertRow("session", sessionValues(withReplaced(own, replacements), session)),
    ...others.map((row) =>
      insertRow(row.message_id === undefined ? "message" : "part", withReplaced(row, replacements)),
    ),
  ];
}

function isRow(row: Json): boolean {
  return typeof row.id === "string" && typeof row.session_id === "string" && isJson(row.data);
}

/** What a session has of its own, and what its being in use or put away left in its row. The sink finds the project. */
function sessionValues(row: Json, session: NewSession): Json {
  const { project_id: _project, ...rest } = row;
  const { sessionId, title, createdMs, provenance } = session;
  const metadata: unknown = typeof row.metadata === "string" ? JSON.parse(row.metadata) : row.metadata;
  const before = isJson(metadata) ? metadata : {};
  return {
    ...rest,
    slug: sessionId.slice(-8).toLowerCase(),
    path: "",
    parent_id: null,
    workspace_id: null,
    share_url: null,
    time_updated: createdMs,
    time_compacting: null,
    time_archived: null,
    ...(title === null ? {} : { title }),
    ...(provenance === undefined ? {} : { metadata: { ...before, continuo: provenance } }),
  };
}
