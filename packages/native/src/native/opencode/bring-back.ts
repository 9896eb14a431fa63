/**
 * Converts rows of another session to rows of a new session. Ids of rows are unique in a database, so each row gets a
 * new id, and every reference to an old id becomes a reference to the new id. A new id has the time of the old id, so
 * that the order stays the same. Records of an export become the rows that an import makes of them. Pure.
 */

import { isJson, type Json, textField } from "@continuo/files";
import { type KeptRecord, type Makers, type NewSession, withReplaced } from "../writing/index.ts";
import { fromText, revertOf, rowsOfExport } from "./export-rows.ts";
import { toOtherIds } from "./new-ids.ts";
import { insertRow } from "./row-sink.ts";

const IDS = /(?:id|Id|ID)$/u;
const FOLDERS = /^(?:directory|cwd|root)$/u;

/**
 * `null` if the record of the session itself is lost, opencode does not accept it, or its messages are rows of the
 * second generation, which only opencode writes.
 */
export function bringBackRows(
  records: readonly KeptRecord[],
  session: NewSession,
  makers: Makers,
): readonly Json[] | null {
  const [own, ...others] = rowsOf(records);
  if (own?.directory === undefined || typeof own.version !== "string") return null;
  if (others.some(isOfSecond)) return null;
  const startMs = typeof own.time_created === "number" ? own.time_created : session.createdMs;
  const rowIds = others.map(({ id }) => String(id));
  const ids = toOtherIds(rowIds, startMs, makers).set(textField(own, "id") ?? "", session.sessionId);
  const replacements = [
    { keys: IDS, names: ids },
    { keys: FOLDERS, names: new Map([[textField(own, "directory") ?? "", session.cwd]]) },
  ];
  const messages = new Set(others.filter((row) => tableOf(row) === "message").map(({ id }) => id));
  // A record whose message opencode lost has no place in a database.
  const placed = others.filter((row) => tableOf(row) !== "part" || messages.has(row.message_id));
  const revert = revertOf(own);
  const values = sessionValues(withReplaced(own, replacements), session);
  return [
    insertRow(
      "session",
      revert === null ? values : { ...values, revert: JSON.stringify(withReplaced(revert, replacements)) },
    ),
    ...placed.map((row) => insertRow(tableOf(row), withReplaced(row, replacements))),
  ];
}

/**
 * Does the same as opencode at the next prompt: it removes what an open revert names. This is a message and all later
 * ones, or, if the revert names a part, that part and everything after it.
 */
export function withoutReverted(records: readonly KeptRecord[]): readonly KeptRecord[] {
  const [own, ...others] = rowsOf(records);
  const revert = own === undefined ? null : revertOf(own);
  if (own === undefined || revert === null) return records;
  const kept = others.slice(0, endOf(others, revert));
  return [{ ...own, revert: null }, ...kept].map((value) => ({ line: null, value }));
}

/** Returns the number of rows that a revert leaves: all rows if the revert names a message that is missing. */
function endOf(rows: readonly Json[], revert: Json): number {
  const at = rows.findIndex(({ id }) => id === revert.messageID);
  if (at === -1) return rows.length;
  if (typeof revert.partID !== "string") return at;
  const partAt = rows.findIndex(({ id }) => id === revert.partID);
  const nextAt = rows.findIndex((row, place) => place > at && tableOf(row) === "message");
  return [partAt, nextAt, rows.length].find((end) => end !== -1) ?? rows.length;
}

function rowsOf(records: readonly KeptRecord[]): readonly Json[] {
  const values = records.flatMap(({ value }) => (isJson(value) ? [value] : []));
  const [own, ...others] = values;
  if (own !== undefined && isJson(own.time)) return rowsOfExport(values).filter(isRowOrFirst);
  return own === undefined ? [] : [own, ...others.filter(isRow)];
}

function isRowOrFirst(row: Json, at: number): boolean {
  return at === 0 || isRow(row);
}

function isRow(row: Json): boolean {
  return typeof row.id === "string" && typeof row.session_id === "string" && row.data !== undefined;
}

function tableOf(row: Json): "message" | "part" {
  return row.message_id === undefined ? "message" : "part";
}

/** Returns true for a row of `session_message`: only these have a number. */
export function isOfSecond(row: Json): boolean {
  return row.seq !== undefined && row.message_id === undefined;
}

/** Returns the session's own values, without those of its use and its archive. The sink finds the project. */
function sessionValues(row: Json, session: NewSession): Json {
  const { project_id: _project, ...rest } = row;
  const { sessionId, title, createdMs, provenance } = session;
  const metadata = fromText(row.metadata);
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
