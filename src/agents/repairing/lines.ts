/** The bytes of a file to a draft, and back. Pure. */

import { isUtf8 } from "node:buffer";
import { isJson } from "../reader/index.ts";
import { type Draft, type DraftLine, remove } from "./draft.ts";

const LF = 0x0a;
const CR = 0x0d;
const BYTE_ORDER_MARK = Buffer.from("\ufeff");

/** Lines that are no JSON objects are removed, and what other programs did to bytes is undone. */
export function draftOf(bytes: Buffer): Draft {
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
  return { lines };
}

function toLine(origin: Buffer, line: number): DraftLine {
  const isEnded = origin.at(-1) === LF;
  const before = origin.toString("utf8").replace(/\r?\n$/u, "");
  const draft: DraftLine = { line, origin, before, after: before, value: null, reasons: [] };
  if (/^[ \t\r]*$/u.test(before)) return draft;
  let value: unknown;
  try {
    value = JSON.parse(before);
  } catch {
    remove(draft, isEnded ? "it is not JSON" : "it breaks off");
    return draft;
  }
  if (!isJson(value)) {
    remove(draft, "it is no record");
    return draft;
  }
  draft.value = value;
  if (before.includes("\ufffd") && !isUtf8(origin)) draft.reasons.push("it holds bytes that are no UTF-8");
  return draft;
}

function endsInCrLf({ origin }: DraftLine): boolean {
  return origin?.at(-1) === LF && origin.at(-2) === CR;
}

function noteEnd({ reasons }: DraftLine): void {
  reasons.push("it ends in CR LF, as other lines do not");
}

export function bytesOf({ lines }: Draft): Buffer {
  const parts: Buffer[] = [];
  for (const { origin, after, reasons } of lines) {
    if (after === null) continue;
    const isSame = origin !== null && reasons.length === 0;
    const last = parts.at(-1);
    if (last !== undefined && last.at(-1) !== LF) parts.push(Buffer.from("\n"));
    parts.push(isSame ? origin : Buffer.from(`${after}\n`));
  }
  return Buffer.concat(parts);
}
