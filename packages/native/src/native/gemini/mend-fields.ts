/**
 * Fields of messages and headers in a form that Gemini CLI cannot read: with some it ends before the first turn, with
 * others it shows no session (0.61.0). Each is converted to a readable form, or left out. Pure.
 */

import { isJson, type Json } from "@continuo/files";

export interface MendedFields {
  readonly fields: Json;
  /** The names of the fields that had another form; empty if no field changes. */
  readonly misformed: readonly string[];
}

/** Returns `undefined` for an unreadable value, and the same value if it is completely readable. */
type Mend = (value: unknown) => unknown;

const text: Mend = (value) => (typeof value === "string" ? value : plainText(value));
const kept =
  (isRead: (value: unknown) => boolean): Mend =>
  (value) =>
    isRead(value) ? value : undefined;

function plainText(value: unknown): string | undefined {
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** The list with the readable part of each item; the same list if every item can be read. */
function listOf(mend: Mend): Mend {
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    if (value.every((item) => mend(item) === item)) return value;
    return value.map(mend).filter((item) => item !== undefined);
  };
}

const part: Mend = (value) => {
  if (typeof value === "string") return value;
  if (!isJson(value)) return plainText(value);
  const isRead =
    (value.text === undefined || typeof value.text === "string") &&
    ["functionCall", "functionResponse", "inlineData", "fileData"].every(
      (key) => value[key] === undefined || isJson(value[key]),
    );
  if (isRead) return value;
  const said = plainText(value.text);
  return said === undefined ? undefined : { ...value, text: said };
};

const parts = listOf(part);

const content: Mend = (value) => {
  if (typeof value === "string" || value === undefined) return value;
  return Array.isArray(value) ? parts(value) : (part(value) ?? "");
};

const thought: Mend = (value) => (isJson(value) ? mendEach(value, THOUGHT).fields : undefined);

const call: Mend = (value) => {
  if (!isJson(value) || typeof value.id !== "string" || typeof value.name !== "string") return undefined;
  return mendEach(value, CALL).fields;
};

const THOUGHT = { subject: text, description: text };

const CALL = {
  args: (value: unknown): unknown => (isJson(value) ? value : {}),
  result: (value: unknown): unknown =>
    value === null || typeof value === "string" || isJson(value) ? value : (parts(value) ?? null),
  status: (value: unknown): unknown => (typeof value === "string" ? value : "success"),
};

const MESSAGE: Readonly<Record<string, Mend>> = {
  content,
  displayContent: content,
  thoughts: listOf(thought),
  toolCalls: listOf(call),
  tokens: kept(isJson),
  model: kept((value) => typeof value === "string"),
  timestamp: kept((value) => typeof value === "string"),
};

const HEADER: Readonly<Record<string, Mend>> = {
  startTime: kept((value) => typeof value === "string"),
  lastUpdated: kept((value) => typeof value === "string"),
  kind: kept((value) => typeof value === "string"),
  summary: kept((value) => typeof value === "string"),
  directories: listOf(kept((value) => typeof value === "string")),
};

/** @param timeBefore the time of the message before; a message that lost its own time gets it */
export function mendMessageFields(message: Json, timeBefore: unknown): MendedFields {
  const mended = mendEach(message, MESSAGE);
  if (message.timestamp === undefined || typeof message.timestamp === "string") return mended;
  if (typeof timeBefore !== "string") return mended;
  return { ...mended, fields: { ...mended.fields, timestamp: timeBefore } };
}

export function mendHeaderFields(header: Json): MendedFields {
  return mendEach(header, HEADER);
}

/** Returns the same record if every field can be read. */
function mendEach(record: Json, forms: Readonly<Record<string, Mend>>): MendedFields {
  const misformed: string[] = [];
  const fields: Record<string, unknown> = { ...record };
  for (const [key, mend] of Object.entries(forms)) {
    const value = record[key];
    if (value === undefined) continue;
    const mended = mend(value);
    if (mended === value) continue;
    misformed.push(key);
    if (mended === undefined) delete fields[key];
    else fields[key] = mended;
  }
  return misformed.length === 0 ? { fields: record, misformed } : { fields, misformed };
}
