/**
 * Converts sub-agents of another session to sub-agents of a new one: rows of sessions with a `parent_id`, in the
 * database of the new session. A sub-agent keeps its id, which answers of its parent name in their text, unless the
 * database has it already.
 */

import { existsSync } from "node:fs";
import { isContinuoError } from "@continuo/core/model";
import { exactOf, isJson, type Json, textField } from "@continuo/files";
import {
  type ChildPlace,
  type ChildRecords,
  type KeptRecord,
  type Makers,
  withReplaced,
} from "../writing/index.ts";
import { bringBackRows } from "./bring-back.ts";
import { openDatabase } from "./database.ts";
import { toNewSessionId } from "./new-ids.ts";
import { splitLocation } from "./places.ts";
import { openRows } from "./rows.ts";
import { readSchema, sessionRow } from "./schema.ts";
import type { SessionSource } from "./source.ts";

const IDS = /(?:id|Id|ID)$/u;
/** Sub-agents may start others, and a circle of them would have no end. */
const MAX_SESSIONS = 1_000;

/** `null` for an entry that is not a row of a database, is damaged, or cannot be written as rows again. */
export async function bringSubagentRows(
  { location, parent, sessionFile }: ChildPlace,
  makers: Makers,
): Promise<ChildRecords | null> {
  const { path, sessionId } = splitLocation(location);
  const sessions = sessionId === null ? null : await readStarted(path, sessionId);
  if (sessions === null) return null;
  const taken = await takenIn(sessionFile, [...sessions.keys()]);
  const names = new Map<string, string>();
  for (const id of sessions.keys()) if (taken.has(id)) names.set(id, toNewSessionId(makers));
  const linked = (record: Json): Json => withReplaced(record, [{ keys: IDS, names }]);
  const records: Json[] = [];
  for (const [id, { kept, parentId }] of sessions) {
    const ownId = names.get(id) ?? id;
    const { cwd, createdMs } = parent;
    const rows = bringBackRows(
      kept,
      { sessionId: ownId, cwd, title: null, gitBranch: null, createdMs },
      makers,
    );
    if (rows === null) return null;
    const startedBy = parentId === null ? parent.sessionId : (names.get(parentId) ?? parentId);
    records.push(...rows.map((row) => linked(withParent(row, startedBy))));
  }
  return { records, linked };
}

function withParent(record: Json, parentId: string): Json {
  if (record.insert !== "session" || !isJson(record.values)) return record;
  return { ...record, values: { ...record.values, parent_id: parentId } };
}

interface StartedSession {
  readonly kept: readonly KeptRecord[];
  /** `null` for the first one, which the new session started. */
  readonly parentId: string | null;
}

/** The session and all that were started from it, each after the one that started it; `null` if one is missing. */
async function readStarted(
  path: string,
  sessionId: string,
): Promise<ReadonlyMap<string, StartedSession> | null> {
  const database = await openDatabase(path);
  try {
    const sessions = new Map<string, StartedSession>();
    const left: { readonly id: string; readonly parentId: string | null }[] = [
      { id: sessionId, parentId: null },
    ];
    for (let next = left.shift(); next !== undefined && sessions.size < MAX_SESSIONS; next = left.shift()) {
      const { id, parentId } = next;
      if (sessions.has(id)) continue;
      const source = openRows(database, id);
      sessions.set(id, { kept: recordsOf(source), parentId });
      left.push(...source.children().map((child) => ({ id: child.id, parentId: id })));
    }
    return sessions;
  } catch (error) {
    if (isContinuoError(error, "unreadable")) return null;
    throw error;
  } finally {
    database.close();
  }
}

function recordsOf(source: SessionSource): readonly KeptRecord[] {
  const own = source.session();
  const records = own === null ? [] : [own];
  for (const message of source.messages("oldest")) {
    records.push(message, ...source.parts(message));
  }
  return records.map(({ value }) => ({ line: null, value: exactOf(value) }));
}

/** Returns the ids that are sessions of the database. */
async function takenIn(path: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (!existsSync(path)) return new Set();
  const database = await openDatabase(path);
  try {
    const schema = readSchema(database);
    return new Set(ids.filter((id) => textField(sessionRow(database, schema, id) ?? {}, "id") !== null));
  } finally {
    database.close();
  }
}
