/**
 * The content of one version of a message, as numbers: one for each text, thought, picture and call, two for each
 * result. They show if a later version holds everything that an earlier one held, in whatever form: Gemini CLI first
 * writes `thoughts` and `toolCalls` next to the content, and after a resume as parts of the content.
 *
 * The lowest two bits of a mark are the kind; the others are the number of the call's id, or a 30-bit hash of the text
 * or picture. Two different texts have the same mark about once in a billion comparisons, and still count as two
 * entries.
 */

import { hash as toHash } from "node:crypto";
import { isJson, type Json, textField } from "@continuo/files";
import { type IdTable, internId } from "../kit/index.ts";
import { callsIn, isResponse, listField, partsOf, resultsIn, textOfPart, thoughtText } from "./records.ts";

export const MARK = { said: 0, thought: 1, call: 2, result: 3 } as const;

const KIND_BITS = 2;
const KIND_MASK = 3;

/** The marks of a message; the mark of a result is followed by the hash of its response. */
export function contentMarks(message: Json, ids: IdTable): number[] {
  const marks: number[] = [];
  const said = (kind: number, text: string): void => {
    if (text !== "") marks.push((hashOf(text) << KIND_BITS) | kind);
  };
  for (const part of partsOf(message.content)) {
    if (isResponse(part) || (isJson(part) && isJson(part.functionCall))) continue;
    const isThought = isJson(part) && part.thought !== undefined && part.thought !== false;
    said(isThought ? MARK.thought : MARK.said, isThought ? (textField(part, "text") ?? "") : saidBy(part));
  }
  for (const thought of listField(message, "thoughts")) said(MARK.thought, thoughtText(thought));
  for (const call of callsIn(message)) marks.push((internId(ids, call.id) << KIND_BITS) | MARK.call);
  for (const result of resultsIn(message)) {
    const hash = hashOfResponse(result.response);
    marks.push((internId(ids, result.callId) << KIND_BITS) | MARK.result, hash);
  }
  return marks;
}

function saidBy(part: unknown): string {
  const text = textOfPart(part);
  if (text !== null) return text;
  const inline = isJson(part) && isJson(part.inlineData) ? part.inlineData.data : undefined;
  return typeof inline === "string" ? inline : (JSON.stringify(part) ?? "");
}

/** Most responses are one text under one key; the others are hashed as JSON. */
function hashOfResponse(response: unknown): number {
  const [[key, text] = [], another] = isJson(response) ? Object.entries(response) : [];
  if (key === undefined || another !== undefined || typeof text !== "string") {
    return hashOf(JSON.stringify(response) ?? "");
  }
  return mix(hashOf(text) ^ hashOf(key));
}

/** OpenSSL hashes UTF-8, which has no half of a surrogate pair: a text with one would have the hash of another text. */
function hashOf(text: string): number {
  return text.length > NATIVE_HASH_CHARS && text.isWellFormed() ? longHash(text) : shortHash(text);
}

/** OpenSSL is faster for a text that is longer than this, and slower for a shorter one. */
const NATIVE_HASH_CHARS = 2_000;

function longHash(text: string): number {
  return Number.parseInt(toHash("sha256", text, "hex").slice(0, 8), 16) | 0;
}

/** Computes FNV-1a over UTF-16 units in four lanes, which a processor computes in parallel, and then mixes them. */
function shortHash(text: string): number {
  let a = 0x811c9dc5 ^ text.length;
  let b = 0x01000193;
  let c = 0x2c1b3c6d;
  let d = 0x297a2d39;
  const end = text.length - (text.length % 4);
  for (let i = 0; i < end; i += 4) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
    b = Math.imul(b ^ text.charCodeAt(i + 1), 0x01000193);
    c = Math.imul(c ^ text.charCodeAt(i + 2), 0x01000193);
    d = Math.imul(d ^ text.charCodeAt(i + 3), 0x01000193);
  }
  for (let i = end; i < text.length; i++) a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
  return mix(mix(mix(mix(a) ^ b) ^ c) ^ d);
}

function mix(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return half ^ (half >>> 13);
}

export function markKind(mark: number): number {
  return mark & KIND_MASK;
}

export interface Marks {
  /** Marks of texts, pictures and thoughts, with their kinds. */
  readonly said: readonly number[];
  /** Numbers of ids of calls, in order. */
  readonly calls: readonly number[];
  readonly results: readonly ResultMark[];
}

export interface ResultMark {
  /** Number of the call's id. */
  readonly call: number;
  readonly hash: number;
}

/** Reads the marks between two positions of the column. */
export function readMarks(column: Int32Array, start: number, end: number): Marks {
  const said: number[] = [];
  const calls: number[] = [];
  const results: ResultMark[] = [];
  for (let i = start; i < end; i++) {
    const mark = column[i] ?? 0;
    const kind = markKind(mark);
    if (kind === MARK.call) calls.push(mark >> KIND_BITS);
    else if (kind === MARK.result) results.push({ call: mark >> KIND_BITS, hash: column[++i] ?? 0 });
    else said.push(mark);
  }
  return { said, calls, results };
}
