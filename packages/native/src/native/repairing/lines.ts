/** Makes a draft of the bytes of a file, and bytes of a draft. Pure. */

import { isUtf8 } from "node:buffer";
import { isJson, type Json, parseExactly, TooDeepError } from "@continuo/files";
import { type DraftLine, linesOf, type RepairDraft, remove } from "./draft.ts";

const LF = 0x0a;
const CR = 0x0d;
const BYTE_ORDER_MARK = Buffer.from("\ufeff");

/** Lines that are not JSON objects are removed, and changes of bytes by other programs are undone. */
export function draftOf(bytes: Buffer): RepairDraft {
  const isMarked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const lines: DraftLine[] = [];
  const start = isMarked ? BYTE_ORDER_MARK.length : 0;
  const ends = { crlf: 0, lf: 0 };
  for (let at = start; at < bytes.length; ) {
    const lf = bytes.indexOf(LF, at);
    const end = lf === -1 ? bytes.length : lf + 1;
    const origin = bytes.subarray(at, end);
    const line = toLine(origin, lines.length + 1);
    if (line.before !== "" && lf !== -1) ends[origin.at(-2) === CR ? "crlf" : "lf"] += 1;
    lines.push(line);
    at = end;
  }
  if (ends.crlf > 0 && ends.lf > 0) lines.filter(endsInCrLf).forEach(noteEnd);
  const [first] = lines;
  if (isMarked && first !== undefined) first.reasons.push("a byte order mark stood before it");
  return { lines, first: [] };
}

function toLine(origin: Buffer, line: number): DraftLine {
  const isEnded = origin.at(-1) === LF;
  const before = origin.toString("utf8").replace(/\r?\n$/u, "");
  const isBlank = /^[ \t\r]*$/u.test(before);
  const read = isBlank ? null : readRecord(before, isEnded);
  const value = typeof read === "string" ? null : read;
  const notes = { reasons: [], droppedResults: 0, ahead: [], behind: [] };
  const draft: DraftLine = { line, origin, before, after: before, value, read: value, ...notes };
  if (typeof read === "string") remove(draft, read);
  if (value === null) return draft;
  if (before.includes("\ufffd") && !isUtf8(origin)) draft.reasons.push("it holds bytes that are no UTF-8");
  return draft;
}

/** Returns the reason as a text if the line is not a record. */
function readRecord(text: string, isEnded: boolean): Json | string {
  try {
    const value = parseExactly(text);
    return isJson(value) ? value : "it is no record";
  } catch (error) {
    if (error instanceof TooDeepError) return error.message;
    return isEnded ? "it is not JSON" : "it breaks off";
  }
}

function endsInCrLf({ origin }: DraftLine): boolean {
  return origin?.at(-1) === LF && origin.at(-2) === CR;
}

function noteEnd({ reasons }: DraftLine): void {
  reasons.push("it ends in CR LF, as other lines do not");
}

/** New lines end in CR LF if all lines of the file do. */
export function bytesOf(draft: RepairDraft): Buffer {
  const lines = linesOf(draft);
  const ended = lines.filter(({ origin, before }) => before !== "" && origin?.at(-1) === LF);
  const lineEnd = ended.length > 0 && ended.every(endsInCrLf) ? "\r\n" : "\n";
  const parts: Buffer[] = [];
  for (const { origin, after, reasons } of lines) {
    if (after === null) continue;
    const isSame = origin !== null && reasons.length === 0;
    const last = parts.at(-1);
    if (last !== undefined && last.at(-1) !== LF) parts.push(Buffer.from(lineEnd));
    parts.push(isSame ? origin : Buffer.from(`${after}${lineEnd}`));
  }
  return Buffer.concat(parts);
}
