/**
 * Forks a session of opencode as its own fork does (1.18.33): a row of `session` with "(fork #N)" after the
 * title, and copies of messages and parts with ids of their own and the old times.
 */

import { ContinuoError } from "@continuo/core/model";
import { exactOf, isJson, type Json } from "@continuo/files";
import type { Fork, ForkSource, NativeForker } from "../forking/index.ts";
import { isOfSecond } from "./bring-back.ts";
import { growingIds } from "./new-ids.ts";
import { secondGeneration } from "./refusals.ts";
import { insertRow } from "./row-sink.ts";
import { opencodeWriter } from "./writer.ts";

const NUMBERED = / \(fork #(\d+)\)$/u;

export const opencodeForker: NativeForker = {
  agent: "opencode",
  titleOf(title) {
    const [, number] = NUMBERED.exec(title) ?? [];
    if (number === undefined) return `${title} (fork #1)`;
    return title.replace(NUMBERED, ` (fork #${Number(number) + 1})`);
  },
  async fork(source, session, makers): Promise<Fork> {
    if (!source.found.location.includes("#")) {
      throw new ContinuoError("unsupported", "cannot fork an exported session: it has no database", {
        hint: "Run `opencode import` first.",
      });
    }
    const count = withWholeRows(source);
    const rows = await readRows(source, count);
    if (rows.some(isOfSecond)) throw secondGeneration(`fork session ${source.found.sessionId}`);
    const nextId = growingIds(session.createdMs, makers);
    const ids = new Map<string, string>();
    const copies = rows.map((row): Json => {
      const data = isJson(row.data) ? row.data : {};
      const isPart = typeof row.message_id === "string";
      const id = nextId(isPart ? "prt" : "msg");
      ids.set(String(row.id), id);
      const own = { ...row, id, session_id: session.sessionId };
      if (isPart) return insertRow("part", { ...own, message_id: ids.get(String(row.message_id)), data });
      const parentID = ids.get(String(data.parentID));
      return insertRow("message", { ...own, data: parentID === undefined ? data : { ...data, parentID } });
    });
    return { records: [...opencodeWriter.begin(session, makers).records, ...copies], count };
  },
};

/** The error that ended an answer is a message after it, and is in the same row. */
function withWholeRows({ history, count }: ForkSource): number {
  const kept = new Set(history.slice(0, count).flatMap(rowsOf));
  let end = count;
  for (let next = history[end]; next !== undefined; next = history[++end]) {
    if (!rowsOf(next).every((row) => kept.has(row))) break;
  }
  return end;
}

/** Messages and parts that the history up to the cut is made of, parts after their message. */
async function readRows({ opened, history }: ForkSource, count: number): Promise<Json[]> {
  const kept = new Set(history.slice(0, count).flatMap(rowsOf));
  const rows: Json[] = [];
  for await (const { row, type, value } of opened.entries()) {
    if (type !== "session" && row !== undefined && isJson(value) && kept.has(row)) rows.push(exactOf(value));
  }
  return rows;
}

function rowsOf({ metadata }: ForkSource["history"][number]): string[] {
  return (metadata.records ?? []).flatMap(({ row }) => row ?? []);
}
