/**
 * Repairs a session of opencode in its rows (1.18.33): abandoned calls get the end that opencode gives to stopped
 * calls; messages and parts without JSON, and parts without a message, are removed. A copy is an export for `opencode
 * import` with new ids, because an import does not change existing rows.
 */

import { exactOf, isJson, type Json, textField, textOfValue } from "@continuo/files";
import type { OpenedSession } from "../kit/index.ts";
import type { RepairEdit, RowRepair, RowRepairer } from "../repairing/index.ts";
import type { KeptRecord } from "../writing/index.ts";
import { bringBackRows } from "./bring-back.ts";
import { toRow } from "./export-rows.ts";
import { mendInfo, mendPart, modelIn, type PrecedingMessages } from "./mend-data.ts";
import { toNewSessionId } from "./new-ids.ts";
import { objectField } from "./records.ts";
import { secondGeneration } from "./refusals.ts";
import { insertRow } from "./row-sink.ts";
import { toExport } from "./to-export.ts";

/** The text of opencode itself for a stopped call. */
const ABORTED = "Tool execution aborted";

export const opencodeRepairer: RowRepairer = {
  agent: "opencode",
  async mendRows(opened): Promise<RowRepair> {
    const edits: RepairEdit[] = [];
    const ids = { part: [] as string[], message: [] as string[] };
    const records: Json[] = [];
    let before: PrecedingMessages = { directory: opened.details.cwd ?? "/", promptId: "", model: null };
    const note = ({ table, row, value }: RepairRow, { reason, after }: RowChange): void => {
      if (row !== undefined && reason !== TWICE.reason) ids[table].push(row);
      if (after !== null) records.push(insertRow(table, after));
      edits.push({
        type: after === null ? "removed" : "changed",
        line: null,
        reason,
        ...(row === undefined ? {} : { row }),
        before: JSON.stringify(value),
        after: after && JSON.stringify(after),
      });
    };
    for await (const { message, parts } of messagesIn(opened)) {
      const changed = message === null ? null : mendMessage(message, parts, before);
      if (changed !== null && message !== null) note(message, changed);
      const info = changed?.after?.data ?? (message === null ? null : toRow(message.value).data);
      const types = parts.map((part) => objectField(toRow(part.value), "data").type);
      for (const part of parts) {
        const mended = part.flaw ?? (message === null ? NO_OWNER : mendPartRow(toRow(part.value), types));
        if (mended !== null) note(part, mended);
        else if (changed !== null && part.row !== undefined) {
          // The rows of a message's parts are removed and restored with it.
          ids.part.push(part.row);
          records.push(insertRow("part", toRow(part.value)));
        }
      }
      if (isJson(info) && message !== null) before = after(before, info, textOfValue(message.row ?? ""));
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
        sessionId: toNewSessionId(makers),
        cwd: cwd ?? "/",
        title: null,
        gitBranch: null,
        createdMs: makers.now(),
      },
      makers,
    );
    return rows === null ? null : [...toExport(rows)].join("");
  },
};

interface RowChange {
  readonly reason: string;
  readonly after: Json | null;
}

interface RepairRow {
  readonly table: "message" | "part";
  /** The flaw of the row, whatever its content is. */
  readonly flaw?: RowChange;
  readonly row: string | undefined;
  /** The numbers keep their original form. */
  readonly value: Json;
}

interface RepairMessage {
  /** The value is `null` before parts that belong to no message. */
  readonly message: RepairRow | null;
  readonly parts: readonly RepairRow[];
}

/** If an export has two rows with the same id, opencode imports the first one. */
const TWICE: RowChange = { reason: "its id occurs twice", after: null };
const NO_MESSAGE: RowChange = { reason: "it is no message", after: null };
const NO_JSON: RowChange = { reason: "its data is no JSON object", after: null };
const NO_OWNER: RowChange = { reason: "its message is gone", after: null };

/** A message comes before its parts; an entry that is neither is kept with the parts of the message before it. */
async function* messagesIn(opened: OpenedSession): AsyncGenerator<RepairMessage, void, void> {
  const seen = new Set<string>();
  const open: OpenMessage[] = [];
  for await (const { row, type, value: read } of opened.entries()) {
    const value = exactOf(read);
    if (!isJson(value) || type === "session") continue;
    const { id, message_id: owner, seq } = toRow(value);
    const table = owner === undefined ? "message" : "part";
    const given = { table, row, value } as const;
    const isAgain = row !== undefined && seen.has(row);
    if (row !== undefined) seen.add(row);
    const flaw = isAgain ? TWICE : id === undefined ? NO_MESSAGE : null;
    if (flaw !== null) {
      if (open.length === 0) open.push({ message: null, id: "", parts: [] });
      open[0]?.parts.push({ ...given, flaw });
    } else if (table === "message") {
      if (seq !== undefined) {
        if (!isJson(value.data)) throw secondGeneration("repair the session");
        continue;
      }
      yield* open.splice(0);
      open.push({ message: given, id: textOfValue(id), parts: [] });
    } else if (open[0]?.id === owner) open[0]?.parts.push(given);
    else {
      yield* open.splice(0);
      open.push({ message: null, id: textOfValue(owner), parts: [given] });
    }
  }
  yield* open;
}

interface OpenMessage extends RepairMessage {
  readonly id: string;
  readonly parts: RepairRow[];
}

/** Returns `null` if the row is correct. A message with lost data and without parts has no content. */
function mendMessage(
  { value }: RepairRow,
  parts: readonly RepairRow[],
  before: PrecedingMessages,
): RowChange | null {
  const row = toRow(value);
  const types = parts
    .filter(({ flaw }) => flaw === undefined)
    .map((part) => objectField(toRow(part.value), "data").type);
  if (!isJson(row.data) && types.every((type) => type === undefined)) return NO_JSON;
  const { data, lost } = mendInfo(row.data, row, { types, before });
  if (lost.length === 0) return null;
  return { reason: `the message lacks ${lost.join("; ")}`, after: { ...row, data } };
}

function after(before: PrecedingMessages, info: Json, id: string): PrecedingMessages {
  return {
    ...before,
    promptId: info.role === "user" ? id : before.promptId,
    model: modelIn(info) ?? before.model,
  };
}

function mendPartRow(row: Json, types: readonly unknown[]): RowChange | null {
  if (!isJson(row.data)) return NO_JSON;
  const { data, lost } = mendPart(row.data, row, types);
  if (data === null) return { reason: `the part lacks ${lost.join("; ")}`, after: null };
  const state = objectField(data, "state");
  if (data.type !== "tool" || (state.status !== "running" && state.status !== "pending")) {
    return lost.length === 0
      ? null
      : { reason: `the part lacks ${lost.join("; ")}`, after: { ...row, data } };
  }
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
