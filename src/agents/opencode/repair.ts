/**
 * Repairs a session of opencode in its rows (1.18.33): calls that nobody works on any more end as opencode ends
 * them when they are stopped, parts that belong to no message or hold no JSON go.
 */

import { isJson, type Json } from "../reader/index.ts";
import type { RepairEdit, RowRepair, RowRepairer } from "../repairing/index.ts";
import { objectField } from "./records.ts";
import { insertRow } from "./row-sink.ts";

/** What opencode itself writes for a call that is stopped. */
const ABORTED = "Tool execution aborted";

export const opencodeRepairer: RowRepairer = {
  agent: "opencode",
  table: "part",
  async mendRows(opened): Promise<RowRepair> {
    const edits: RepairEdit[] = [];
    const ids: string[] = [];
    const records: Json[] = [];
    const messages = new Set<string>();
    for await (const { row, type, value } of opened.entries()) {
      if (row === undefined || !isJson(value) || type === "session") continue;
      if (typeof value.message_id !== "string") {
        messages.add(row);
        continue;
      }
      const mended = mendPart(value, messages);
      if (mended === null) continue;
      const { reason, after } = mended;
      const type_ = after === null ? "removed" : "changed";
      ids.push(row);
      if (after !== null) records.push(insertRow("part", after));
      const before = JSON.stringify(value);
      edits.push({ type: type_, line: null, row, reason, before, after: after && JSON.stringify(after) });
    }
    return { edits, ids, records };
  },
};

interface MendedPart {
  readonly reason: string;
  readonly after: Json | null;
}

/** `null` for a part that nothing is wrong with. */
function mendPart(row: Json, messages: ReadonlySet<string>): MendedPart | null {
  if (!messages.has(String(row.message_id))) return { reason: "its message is gone", after: null };
  if (!isJson(row.data)) return { reason: "its data is no JSON object", after: null };
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
