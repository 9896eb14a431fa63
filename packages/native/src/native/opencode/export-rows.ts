/**
 * The records of an export as the rows that `opencode import` makes of them, and a row of `session` as an export
 * says it (1.18.33). Pure.
 */

import { isJson, type Json, parseJson, textField } from "@continuo/files";
import { numberField, objectField, without } from "./records.ts";

/** Columns of `session` that have another name in an export; the others have the same. */
const NAMES: readonly (readonly [column: string, field: readonly string[]])[] = [
  ["project_id", ["projectID"]],
  ["workspace_id", ["workspaceID"]],
  ["parent_id", ["parentID"]],
  ["share_url", ["share", "url"]],
  ["summary_additions", ["summary", "additions"]],
  ["summary_deletions", ["summary", "deletions"]],
  ["summary_files", ["summary", "files"]],
  ["summary_diffs", ["summary", "diffs"]],
  ["tokens_input", ["tokens", "input"]],
  ["tokens_output", ["tokens", "output"]],
  ["tokens_reasoning", ["tokens", "reasoning"]],
  ["tokens_cache_read", ["tokens", "cache", "read"]],
  ["tokens_cache_write", ["tokens", "cache", "write"]],
  ["time_created", ["time", "created"]],
  ["time_updated", ["time", "updated"]],
  ["time_compacting", ["time", "compacting"]],
  ["time_archived", ["time", "archived"]],
];
const SAME = ["id", "slug", "directory", "path", "title", "version", "cost", "agent"] as const;
/** Kept as text of JSON. */
const TEXTS = ["model", "metadata", "permission", "revert"] as const;
const JSON_COLUMNS: ReadonlySet<string> = new Set([...TEXTS, "summary_diffs"]);
const COLUMNS = [
  ...[...SAME, ...TEXTS].map((name): (typeof NAMES)[number] => [name, [name]]),
  ...NAMES,
] as const;

/** Converts a row of `session` to the names that an export has. Values of `null` are left out. */
export function toExportedInfo(row: Json): Json {
  const info: Record<string, unknown> = {};
  for (const [column, field] of COLUMNS) {
    const value = row[column];
    if (value === null || value === undefined) continue;
    setIn(info, field, JSON_COLUMNS.has(column) ? fromText(value) : value);
  }
  return info;
}

/** Records of an export as rows, in their order; of two with one id the first, as an import takes them. */
export function rowsOfExport(values: readonly Json[]): readonly Json[] {
  const rows = new Map<unknown, Json>();
  let timeMs = 0;
  for (const value of values) {
    const row = toRow(value, timeMs);
    // Parts have no time, and come after their message.
    if (typeof row.time_created === "number") timeMs = row.time_created;
    if (!rows.has(row.id)) rows.set(row.id, row);
  }
  return [...rows.values()];
}

/** Returns the row of an export's record; a row is returned unchanged. */
export function toRow(value: Json, timeMs = 0): Json {
  const { id, sessionID: session_id, messageID: message_id } = value;
  if (typeof session_id !== "string") return isJson(value.time) ? sessionRowOf(value) : value;
  const isPart = typeof message_id === "string";
  const created = isPart ? timeMs : numberField(objectField(value, "time"), "created") || 0;
  return {
    id,
    ...(isPart ? { message_id } : {}),
    session_id,
    time_created: created,
    time_updated: created,
    data: isPart ? without(value, "id", "sessionID", "messageID") : without(value, "id", "sessionID"),
  };
}

function sessionRowOf(info: Json): Json {
  const row: Record<string, unknown> = {};
  for (const [column, field] of COLUMNS) {
    const value = valueIn(info, field);
    if (value === undefined || value === null) continue;
    row[column] = JSON_COLUMNS.has(column) && typeof value !== "string" ? JSON.stringify(value) : value;
  }
  return row;
}

/** The row of a session has the revert as text, its export as an object; `null` if nothing is reverted. */
export function revertOf(row: Json): Json | null {
  const revert = fromText(row.revert);
  return isJson(revert) && textField(revert, "messageID") !== null ? revert : null;
}

/** Parses a column that holds JSON as text. */
export function fromText(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return parseJson(value);
  } catch {
    // The column has a text of another version, which is not JSON.
    return value;
  }
}

function valueIn(info: Json, [name = "", ...rest]: readonly string[]): unknown {
  const value = info[name];
  if (rest.length === 0) return value;
  return isJson(value) ? valueIn(value, rest) : undefined;
}

function setIn(into: Record<string, unknown>, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    into[name] = value;
    return;
  }
  const inner: Record<string, unknown> = isJson(into[name]) ? { ...into[name] } : {};
  setIn(inner, rest, value);
  into[name] = inner;
}
