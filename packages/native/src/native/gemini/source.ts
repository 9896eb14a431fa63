/**
 * The records of a session file, in either of its forms: one JSON object a line, or, in older versions, one object for
 * the whole file, written over several lines. Such a file is a single record, and is kept in memory as a whole.
 */

import { closeSync, readFileSync, readSync } from "node:fs";
import { ContinuoError, type Problem } from "@continuo/core/model";
import { isJson, parseJson, TooDeepError } from "@continuo/files";
import {
  type LineFile,
  type LineRecord,
  openForReading,
  openLines,
  toReadError,
} from "@continuo/files/records";
import { HEAD_BYTES } from "./limits.ts";

export interface RecordSource extends Omit<LineFile, "position" | "continues"> {
  /** `whole`: one record, the file. */
  readonly form: "lines" | "whole";
  /** `null` for a whole. */
  readonly lines: LineFile | null;
}

/** Errors: `not_found`, `unreadable`. */
export function openRecords(path: string, sizeBytes: number, keep?: "all"): RecordSource {
  if (startsAsWhole(path)) return openWhole(path, sizeBytes);
  const lines = openLines(path, sizeBytes, keep);
  return { ...lines, form: "lines", lines };
}

/** An object that is written over several lines begins with a line of one bracket. */
export function startsAsWhole(path: string): boolean {
  return /^\ufeff?\s*\{\s*\r?\n/u.test(readHeadText(path));
}

/** Errors: `not_found`, `unreadable`. */
export function readHeadText(path: string): string {
  try {
    const fd = openForReading(path);
    try {
      const buffer = Buffer.alloc(HEAD_BYTES);
      return buffer.toString("utf8", 0, readSync(fd, buffer, 0, HEAD_BYTES, 0));
    } finally {
      closeSync(fd);
    }
  } catch (cause) {
    throw cause instanceof ContinuoError ? cause : toReadError(path, cause);
  }
}

function openWhole(path: string, sizeBytes: number): RecordSource {
  let value: unknown;
  const problems: Problem[] = [];
  try {
    const text = readFileSync(path, "utf8");
    if (text.startsWith("\ufeff")) {
      problems.push({ code: "byte_order_mark", line: 1, message: "the file begins with a byte order mark" });
    }
    value = parseWhole(text, problems);
  } catch (cause) {
    throw toReadError(path, cause);
  }
  const record: LineRecord = { line: 1, offset: 0, length: sizeBytes, value, problems };
  return {
    form: "whole",
    lines: null,
    path,
    // A single object cannot be read from its middle.
    async *scan() {
      yield [record];
    },
    fetch: async () => value,
    problems: () => [],
    close: () => undefined,
    [Symbol.dispose]: () => undefined,
  };
}

function parseWhole(text: string, problems: Problem[]): unknown {
  try {
    const value: unknown = parseJson(text.replace(/^\ufeff/u, ""));
    if (isJson(value)) return value;
  } catch (error) {
    if (error instanceof TooDeepError) {
      problems.push({ code: "too_large", line: 1, message: error.message });
      return undefined;
    }
    const isTorn = /\bend\b|unterminated/iu.test((error as Error).message);
    problems.push(
      isTorn
        ? { code: "torn_line", line: null, message: "the file is one JSON object and breaks off" }
        : { code: "bad_json", line: null, message: "the file begins as one JSON object and is none" },
    );
    return undefined;
  }
  problems.push({ code: "bad_record", line: 1, message: "the file is JSON, but no object" });
  return undefined;
}
