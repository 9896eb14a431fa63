/**
 * Forks a session of Codex into a file of its own (0.169.0): a header with `forked_from_id`, then the source's records
 * in the kind of history that they have. Codex itself lets a fork of a paginated session read its source, which can
 * then not be deleted, nor repaired; a copy can be resumed in the same way and does not depend on its source.
 */

import type { Message } from "@continuo/core/model";
import { exactOf, isJson, type Json, textOfValue } from "@continuo/files";
import { openLines } from "@continuo/files/records";
import type { Fork, ForkSource, NativeForker } from "../forking/index.ts";
import type { NewSession } from "../writing/index.ts";
import { isPast } from "./index-fold.ts";
import { type LineageFile, readLineage } from "./lineage.ts";
import { LINK_KEYS, parseRecord, toText, withOrdinal } from "./records.ts";

export const codexForker: NativeForker = {
  agent: "codex",
  // A fork has no name until a person names it.
  titleOf: () => null,
  async fork(source, session): Promise<Fork> {
    const { found, part, count } = source;
    const lineage = await readLineage(found);
    const main = lineage.files.at(-1);
    const all = main === undefined ? [] : await readRecords(main);
    const kept = part === "whole" ? all : upTo(all, source);
    const isPaginated = main?.meta?.paginated === true;
    const from = source.opened.details.sessionId;
    const header = headerOf(all.findLast(isHeaderOf(main))?.value ?? {}, session, from);
    const body = isPaginated ? kept.filter(({ value }) => value.type !== "session_meta") : kept;
    const own = body.map(({ value }) => (isPaginated ? named(value, from, session.sessionId) : value));
    const records = [header, ...own, ...endOfTurn(own)];
    return { records: isPaginated ? records.map(withOrdinal) : records, count };
  },
};

interface PlacedRecord {
  readonly path: string;
  readonly line: number;
  readonly value: Json;
}

/** Reads the records of the files that the session begins in, then its own. */
async function readRecords(file: LineageFile): Promise<PlacedRecord[]> {
  const { base, path } = file;
  const before = base === null ? [] : await readBase(base);
  return [...before, ...(await readOwn(path, file.sizeBytes))];
}

/** A fork of an old version holds the header of its source after its own. */
function isHeaderOf(file: LineageFile | undefined): (record: PlacedRecord) => boolean {
  return ({ path, line, value }) => path === file?.path && line === 1 && value.type === "session_meta";
}

async function readBase({ file, cut }: NonNullable<LineageFile["base"]>): Promise<PlacedRecord[]> {
  const before = file.base === null ? [] : await readBase(file.base);
  return [...before, ...(await readOwn(file.path, file.sizeBytes, cut))];
}

type CutPoint = Parameters<typeof isPast>[0];

async function readOwn(path: string, sizeBytes: number, cut?: CutPoint): Promise<PlacedRecord[]> {
  const records: PlacedRecord[] = [];
  using lines = openLines(path, sizeBytes);
  for await (const batch of lines.scan({ part: "whole" })) {
    for (const { line, offset, value } of batch) {
      const record = parseRecord(value);
      if (record === null || !isJson(value)) continue;
      if (cut !== undefined && isPast(cut, record, offset)) return records;
      records.push({ path, line, value: exactOf(value) });
    }
  }
  return records;
}

/**
 * Returns the records up to the last one of the message at the cut, and the later records that belong to this message.
 */
function upTo(all: readonly PlacedRecord[], { found, history, count }: ForkSource): PlacedRecord[] {
  const at = new Map(all.map(({ path, line }, position) => [`${path}:${line}`, position]));
  const positionsOf = ({ metadata }: Message): number[] =>
    (metadata.records ?? []).flatMap(({ file, line }) => at.get(`${file ?? found.location}:${line}`) ?? []);
  const end = Math.max(...history.slice(0, count).flatMap(positionsOf)) + 1;
  const next = history.slice(count).flatMap(positionsOf);
  const limit = next.length === 0 ? all.length : Math.max(end, Math.min(...next));
  const role = history[count - 1]?.role;
  const behind = all.slice(end, limit);
  const turn = behind.findIndex(({ value }) => kindOf(value) === "task_started");
  const own = turn === -1 ? behind : behind.slice(0, turn);
  const kept = [...all.slice(0, end), ...own.filter(({ value }) => belongsBehind(value, role))];
  const results = new Set(history.slice(0, count).flatMap(resultIdsOf));
  return [...kept, ...all.slice(end).filter(({ value }) => results.has(shownCallOf(value)))];
}

function resultIdsOf({ content }: Message): string[] {
  return content.flatMap((block) => (block.type === "tool_result" ? [block.toolCallId] : []));
}

/**
 * Returns the id of the call whose command this event shows; empty for other records. Codex writes the event when the
 * process ends, which may be turns after the result.
 */
function shownCallOf(value: Json): string {
  if (kindOf(value) !== "CommandExecution" || !isJson(value.payload) || !isJson(value.payload.item))
    return "";
  return textOfValue(value.payload.item.id);
}

/**
 * Events that Codex writes after the items that they are about: the prompt as it is shown, counts, the end of a turn.
 */
const BEHIND: ReadonlySet<string> = new Set(["task_complete", "token_count", "turn_aborted"]);

function belongsBehind(value: Json, role: Message["role"] | undefined): boolean {
  if (value.type === "token_usage_record") return role !== "user";
  const kind = kindOf(value);
  if (BEHIND.has(kind)) return true;
  return role === "user" && (kind === "user_message" || kind === "UserMessage");
}

/** Returns the kind of an event, or the kind of item that it shows. */
function kindOf({ type, payload }: Json): string {
  if (type !== "event_msg" || !isJson(payload)) return "";
  const shown = payload.type === "item_completed" && isJson(payload.item) ? payload.item.type : payload.type;
  return textOfValue(shown);
}

function headerOf(header: Json, session: NewSession, forkedFrom: string): Json {
  const payload = isJson(header.payload) ? header.payload : {};
  const { sessionId: id, cwd, createdMs } = session;
  const timestamp = new Date(createdMs).toISOString();
  const kept = Object.fromEntries(
    Object.entries(payload).filter(([key]) => !LINK_KEYS.includes(key) && key !== "parent_thread_id"),
  );
  const own = { id, session_id: id, timestamp, cwd, source: "cli", forked_from_id: forkedFrom };
  return { timestamp, type: "session_meta", payload: { ...kept, ...own } };
}

/** Replaces the id of the source's thread in records that name their own thread. */
function named(value: Json, from: string, sessionId: string): Json {
  if (!isJson(value.payload)) return value;
  const { payload } = value;
  const own = ["thread_id", "session_id"].filter((key) => payload[key] === from);
  return { ...value, payload: { ...payload, ...Object.fromEntries(own.map((key) => [key, sessionId])) } };
}

/**
 * Returns the record that ends a turn without an end: after such a turn, Codex would write a note that it was aborted.
 */
function endOfTurn(records: readonly Json[]): Json[] {
  const last = records.findLast((value) => TURN_EDGES.has(kindOf(value)));
  if (last === undefined || kindOf(last) !== "task_started") return [];
  const turnId = isJson(last.payload) ? toText(last.payload.turn_id) : null;
  const timestamp = records.at(-1)?.timestamp;
  const completed_at = Math.floor(Date.parse(textOfValue(timestamp)) / 1000);
  const payload = { type: "task_complete", turn_id: turnId, last_agent_message: null, completed_at };
  return [{ timestamp, type: "event_msg", payload }];
}

const TURN_EDGES: ReadonlySet<string> = new Set(["task_started", "task_complete", "turn_aborted"]);
