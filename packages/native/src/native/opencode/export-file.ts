/**
 * A session as opencode exports it: one JSON object `{ info, messages: [{ info, parts }] }`. Reading it gives
 * the same messages as the rows it was made of. The whole file is parsed at once: JSON has no smaller piece.
 */

import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { ContinuoError } from "@continuo/core/model";
import { exactOf, isJson, type Json, keepExact, parseExactly, textField } from "@continuo/files";
import { MAX_RECORD_BYTES, toReadError } from "@continuo/files/records";
import { type NativeRecord, numberField, objectField, without } from "./records.ts";
import type { SessionSource, SourceProblem } from "./source.ts";

export interface ExportFile {
  readonly info: NativeRecord | null;
  /** In the order in which opencode reads them after an import: by time, then id; parts by id. */
  readonly messages: readonly ExportedMessage[];
  /** The entries in the list of messages that are not messages, and those that repeat an id. */
  readonly strays: readonly NativeRecord[];
  readonly problems: readonly SourceProblem[];
}

interface ExportedMessage {
  readonly record: NativeRecord;
  readonly parts: readonly NativeRecord[];
}

/** Errors: `not_found`, `unreadable`. */
export function openExport(path: string): SessionSource {
  const bytes = readExportBytes(path);
  const exported = parseExport(bytes);
  const byId = new Map(exported.messages.map((message) => [message.record.id, message]));
  const byRecord = new Map(exported.messages.map((message) => [message.record, message]));
  const partsOf = (message: NativeRecord): readonly NativeRecord[] => byRecord.get(message)?.parts ?? [];
  return {
    inMemory: true,
    session: () => exported.info,
    messages: (order) => {
      const records = exported.messages.map((message) => message.record);
      return order === "oldest" ? records : records.reverse();
    },
    message: (id) => byId.get(id)?.record ?? null,
    parts: partsOf,
    sizeOf: (message) => partsOf(message).reduce((sum, part) => sum + part.sizeBytes, message.sizeBytes),
    strays: () => exported.strays,
    children: () => [],
    // An export has no information about other sessions.
    hasSession: () => true,
    gitBranch: () => null,
    sizeBytes: () => bytes.length,
    problems: () => exported.problems,
    begin: () => () => undefined,
    close: () => undefined,
  };
}

/** Never throws: a file that is not an export has a problem and no messages. */
export function parseExport(bytes: Buffer): ExportFile {
  const problems: SourceProblem[] = [];
  const hasMark = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);
  if (hasMark) problems.push({ code: "byte_order_mark", message: "the file begins with a byte order mark" });
  const text = bytes.toString("utf8", hasMark ? 3 : 0);
  if (text.includes("\ufffd") && !isUtf8(bytes)) {
    problems.push({ code: "bad_utf8", message: "the file holds bytes that are no UTF-8" });
  }
  const document = parseOrNothing(text);
  if (document === undefined) problems.push({ code: "bad_json", message: "the file is not JSON" });
  const root = isJson(document) ? document : {};
  if (document !== undefined && (!isJson(root.info) || !Array.isArray(root.messages))) {
    problems.push({ code: "bad_record", message: "the file is no object of info and messages" });
  }
  const list: readonly unknown[] = Array.isArray(root.messages) ? root.messages : [];
  const { messages, repeated } = withoutRepeats(
    list.filter((each): each is Json => isJson(each) && isJson(each.info)).map(toMessage),
  );
  const strays = list.filter((each) => !isJson(each) || !isJson(each.info)).map(toStray);
  for (const { id } of repeated) {
    problems.push({
      code: "duplicate_id",
      message: `${id?.slice(0, 80)} is there twice; opencode imports the first`,
    });
  }
  const sorted = [...messages].sort((a, b) => byTime(a.record, b.record));
  if (sorted.some((message, at) => message !== messages[at])) {
    problems.push({ code: "bad_order", message: "the messages are not in the order of their times" });
  }
  return {
    info: isJson(root.info) ? toInfo(root.info) : null,
    messages: sorted,
    strays: [...strays, ...repeated],
    problems,
  };
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Parses the first object of an export, without the messages after it; `null` if it does not end within `head`.
 *
 * @param head the beginning of a file that begins with `{"info":{`.
 */
export function parseExportHead(head: string): NativeRecord | null {
  const start = head.indexOf("{", head.indexOf("{") + 1);
  const end = endOfObject(head, start);
  const info: unknown = end === null ? null : parseOrNothing(head.slice(start, end));
  return isJson(info) ? toInfo(info) : null;
}

/** Returns the place after the object that begins at `start`; `null` if the text ends before. */
function endOfObject(text: string, start: number): number | null {
  // A string that does not end takes the rest of the text, so that no character is looked at twice.
  const tokens = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}]/gsu;
  tokens.lastIndex = start;
  let depth = 0;
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    if (token[0] === "{") depth += 1;
    if (token[0] === "}") depth -= 1;
    if (depth === 0) return tokens.lastIndex;
  }
  return null;
}

/** Errors: `not_found`, `unreadable`. */
export function readExportBytes(path: string): Buffer {
  try {
    const bytes = readFileSync(path);
    if (bytes.length <= MAX_RECORD_BYTES) return bytes;
  } catch (error) {
    throw toReadError(path, error);
  }
  throw new ContinuoError("unreadable", `${path} is longer than ${MAX_RECORD_BYTES} bytes`);
}

function parseOrNothing(text: string): unknown {
  try {
    const document = parseExactly(text);
    const exact = exactOf(document);
    if (exact !== document) keepExactRecords(document, exact);
    return document;
  } catch {
    return undefined;
  }
}

/** Keeps the exact form of each record of a document. */
function keepExactRecords(document: unknown, exact: unknown): void {
  if (!isJson(document) || !isJson(exact)) return;
  for (const key of ["info", "messages", "parts"]) {
    const [read, written] = [document[key], exact[key]];
    if (isJson(read)) keepExact(read, written);
    if (!Array.isArray(read) || !Array.isArray(written)) continue;
    for (const [at, each] of read.entries()) {
      if (key === "messages") keepExactRecords(each, written[at]);
      else if (isJson(each)) keepExact(each, written[at]);
    }
  }
}

/** The fields of an exported session by the names that the columns have. */
function toInfo(info: Json): NativeRecord {
  const time = objectField(info, "time");
  const columns = {
    ...info,
    time_created: time.created,
    time_updated: time.updated,
    time_archived: time.archived,
    parent_id: info.parentID,
  };
  return {
    kind: "session",
    id: textField(info, "id"),
    parentId: textField(info, "parentID"),
    sessionId: textField(info, "id"),
    timeMs: numberField(time, "created"),
    value: info,
    data: columns,
    sizeBytes: 0,
    damage: null,
  };
}

function toMessage(message: Json): ExportedMessage {
  const info = objectField(message, "info");
  const data = without(info, "id", "sessionID");
  const record: NativeRecord = {
    kind: "message",
    id: textField(info, "id"),
    parentId: textField(info, "parentID"),
    sessionId: textField(info, "sessionID"),
    timeMs: numberField(objectField(info, "time"), "created"),
    value: info,
    data,
    get sizeBytes() {
      return sizeOf(data);
    },
    damage: null,
  };
  const parts: readonly unknown[] = Array.isArray(message.parts) ? message.parts : [];
  return { record, parts: parts.map(toPart).sort(byId) };
}

function toPart(part: unknown): NativeRecord {
  const value = isJson(part) ? part : { data: part };
  const data = isJson(part) ? without(part, "id", "sessionID", "messageID") : null;
  return {
    kind: "part",
    id: textField(value, "id"),
    parentId: textField(value, "messageID"),
    sessionId: textField(value, "sessionID"),
    timeMs: Number.NaN,
    value,
    data,
    get sizeBytes() {
      return sizeOf(data);
    },
    damage: isJson(part) ? null : { code: "bad_record", message: "it is no object" },
  };
}

function toStray(value: unknown): NativeRecord {
  const message = "what stands in its place is no message";
  const blank = { id: null, parentId: null, sessionId: null, timeMs: Number.NaN, data: null };
  return {
    ...blank,
    kind: "message",
    value: { data: value },
    sizeBytes: 0,
    damage: { code: "bad_record", message },
  };
}

/** Computed where it is read: it costs as much as writing the record. */
function sizeOf(data: Json | null): number {
  return Buffer.byteLength(JSON.stringify(data) ?? "");
}

function byTime(a: NativeRecord, b: NativeRecord): number {
  return (a.timeMs || 0) - (b.timeMs || 0) || byId(a, b);
}

/** SQLite compares like this: the order of code units is the same for the ASCII of ids. */
function byId(a: NativeRecord, b: NativeRecord): number {
  const [x, y] = [a.id ?? "", b.id ?? ""];
  return x < y ? -1 : x > y ? 1 : 0;
}

/**
 * The first of two records with one id counts; the parts of a message that does not count do not count either.
 */
function withoutRepeats(messages: readonly ExportedMessage[]): {
  messages: ExportedMessage[];
  repeated: NativeRecord[];
} {
  const seen = new Set<string>();
  const repeated: NativeRecord[] = [];
  const isNew = (record: NativeRecord): boolean => {
    if (record.id === null || !seen.has(record.id)) {
      if (record.id !== null) seen.add(record.id);
      return true;
    }
    repeated.push(record);
    return false;
  };
  const kept = messages.flatMap((message) => {
    if (isNew(message.record)) return [{ record: message.record, parts: message.parts.filter(isNew) }];
    repeated.push(...message.parts);
    return [];
  });
  return { messages: kept, repeated };
}
