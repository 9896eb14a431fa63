/** The questions that decide if a line of a file can be read without the others; the readers are `LineReader`s. Pure. */

import { parseJson } from "@continuo/files";
import type { FoundSession } from "./port.ts";

const LINE_FEED = 0x0a;

/** The first line as JSON; `undefined` if it is not JSON. */
export function firstLineOf(bytes: Buffer): unknown {
  const end = bytes.indexOf(LINE_FEED);
  try {
    return end === -1 ? undefined : parseJson(bytes.toString("utf8", 0, end));
  } catch {
    return undefined;
  }
}

/** True if a field has a value once in a file. A text that quotes the field does not count: its quotes are escaped. */
export function standsOnce(bytes: Buffer, key: string, value: string): boolean {
  const text = JSON.stringify(value);
  let count = 0;
  for (let at = bytes.indexOf(text); at !== -1 && count < 2; at = bytes.indexOf(text, at + 1)) {
    const before = bytes.toString("latin1", Math.max(0, at - key.length - MOST_SPACE), at);
    if (BEFORE_VALUE.exec(before)?.[1] === key) count += 1;
  }
  return count === 1;
}

/** Real JSON texts have at most this much space around a colon. */
const MOST_SPACE = 16;
const BEFORE_VALUE = /"([^"\\]*)"\s*:\s*$/u;

/** True if a field has this literal anywhere in a file. */
export function hasField(bytes: Buffer, key: string, literal: string): boolean {
  const name = JSON.stringify(key);
  for (let at = bytes.indexOf(name); at !== -1; at = bytes.indexOf(name, at + 1)) {
    const end = at + name.length;
    const after = bytes.toString("latin1", end, end + literal.length + MOST_SPACE);
    if (/^\s*:\s*(\S*)/u.exec(after)?.[1]?.startsWith(literal) === true) return true;
  }
  return false;
}

/** True if the session is one file without other sessions, is not a sub-agent, and was found without problems. */
export function isAlone({ files, location, parentId, problems }: FoundSession): boolean {
  const [file, ...others] = files;
  return file?.path === location && others.length === 0 && parentId === undefined && problems.length === 0;
}
