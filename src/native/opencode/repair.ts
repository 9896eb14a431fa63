/**
 * Repairs a session of opencode in its rows (1.18.33): calls that nobody works on any more end as opencode ends
 * them when they are stopped; messages and parts that hold no JSON, or belong to no message, go. A copy is an
 * export that `opencode import` takes, with ids of its own: an import leaves rows as they are that are there.
 */

import { exactOf, isJson, type Json, textField } from "../../files/index.ts";
import type { RepairEdit, RowRepair, RowRepairer } from "../repairing/index.ts";
import type { KeptRecord } from "../writing/index.ts";
import { bringBackRows } from "./bring-back.ts";
import { toRow } from "./exported.ts";
import { toNewSessionId } from "./new-ids.ts";
import { objectField } from "./records.ts";
import { insertRow } from "./row-sink.ts";
import { toExport } from "./to-export.ts";

/** What opencode itself writes for a call that is stopped. */
const ABORTED = "Tool execution aborted";

export const opencodeRepairer: RowRepairer = {
  agent: "opencode",
  async mendRows(opened): Promise<RowRepair> {
    const edits: RepairEdit[] = [];
    const ids = { part: [] as string[], message: [] as string[] };
    const records: Json[] = [];
    const sound = new Set<string>();
    const seen = new Set<string>();
    for await (const { row, type, value: read } of opened.entries()) {
      const value = exactOf(read);
      if (!isJson(value) || type === "session") continue;
      const isAgain = row !== undefined && seen.has(row);
      const mended = isAgain ? TWICE : mend(toRow(value), sound);
      if (row !== undefined) seen.add(row);
      if (mended === null) continue;
      const { reason, after } = mended;
      if (row !== undefined && !isAgain)
        ids[toRow(value).message_id === undefined ? "message" : "part"].push(row);
      if (after !== null) records.push(insertRow("part", after));
      edits.push({
        ...{ type: after === null ? "removed" : "changed", line: null, reason },
        ...(row === undefined ? {} : { row }),
        ...{ before: JSON.stringify(value), after: after && JSON.stringify(after) },
      });
    }
    const tables = [
      { name: "part", ids: ids.part },
      { name: "message", ids: ids.message },
    ];
    return { edits, tables: tables.filter((table) => table.ids.length > 0), records };
  },
  async toFile(opened, { tables, records }, { makers, cwd }) {
    const gone = new Set(tables.flatMap((table) => table.ids));
    const changed = new Map(
      records.map(({ values }) => [isJson(values) ? textField(values, "id") : null, values]),
    );
    const kept: KeptRecord[] = [];
    for await (const { row = null, value: read } of opened.entries()) {
      const value = exactOf(read);
      const mended = changed.get(row);
      if (mended !== undefined) kept.push({ line: null, value: mended });
      else if (row === null || !gone.has(row)) kept.push({ line: null, value });
    }
    const rows = bringBackRows(
      kept,
      {
        ...{ sessionId: toNewSessionId(makers), cwd: cwd ?? "/", title: null, gitBranch: null },
        createdMs: makers.now(),
      },
      makers,
    );
    return rows === null ? null : toExport(rows);
  },
};

interface RowChange {
  readonly reason: string;
  readonly after: Json | null;
}

/** Of an export, where opencode imports the first of two. */
const TWICE: RowChange = { reason: "its id is there twice", after: null };
const NO_MESSAGE: RowChange = { reason: "it is no message", after: null };
const NO_JSON: RowChange = { reason: "its data is no JSON object", after: null };

/** `null` for a row that nothing is wrong with. A message stands before its parts. */
function mend(row: Json, sound: Set<string>): RowChange | null {
  if (row.id === undefined) return NO_MESSAGE;
  if (row.message_id === undefined) {
    if (row.seq !== undefined) return null;
    if (!isJson(row.data)) return NO_JSON;
    sound.add(String(row.id));
    return null;
  }
  if (!sound.has(String(row.message_id))) return { reason: "its message is gone", after: null };
  if (!isJson(row.data)) return NO_JSON;
  const { data } = row;
  const state = objectField(data, "state");
  if (data.type !== "tool" || (state.status !== "running" && state.status !== "pending")) return null;
  const start = objectField(state, "time").start ?? row.time_created;
  const ended = {
    status: "error",
    input: isJson(state.input) ? state.input : {},
    error: ABORTED,
    ...(isJson(state.metadata) ? { metadata: state.metadata } : {}),
    time: { start, end: row.time_updated ?? start },
  };
  return { reason: "the call has no result", after: { ...row, data: { ...data, state: ended } } };
}
