/** The questions that decide if a line of a file can be read without the others; the readers are `LineReader`s. Pure. */

import { parseJson } from "@continuo/files";
import type { FoundSession } from "./port.ts";

const LINE_FEED = 0x0a;

/** The first line as JSON; `undefined` where it is none. */
export function firstLineOf(bytes: Buffer): unknown {
  const end = bytes.indexOf(LINE_FEED);
  try {
    return end === -1 ? undefined : parseJson(bytes.toString("utf8", 0, end));
  } catch {
    return undefined;
  }
}

/** True if no other line of the file has this value in this field. */
export function standsOnce(bytes: Buffer, key: string, value: unknown): boolean {
  const field = `${JSON.stringify(key)}:${JSON.stringify(value)}`;
  const first = bytes.indexOf(field);
  return first !== -1 && bytes.indexOf(field, first + 1) === -1;
}

/** True if a key is followed by its value at once, wherever it stands: then `standsOnce` misses none. */
export function isDense(bytes: Buffer, key: string): boolean {
  return !bytes.includes(`"${key}" `) && !bytes.includes(`"${key}": `);
}

/** The one file of a session that shares it with no other and is not read together with others. */
export function isAlone({ files, location, parentId, problems }: FoundSession): boolean {
  const [file, ...others] = files;
  return file?.path === location && others.length === 0 && parentId === undefined && problems.length === 0;
}

