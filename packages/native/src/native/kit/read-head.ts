/** Reads the beginning of a file, by which a reader recognises files of its agent. */

import { isFailure } from "@continuo/core/model";
import { isJson, type Json } from "@continuo/files";
import { openLines } from "@continuo/files/records";

/** Returns the objects in the first chunk that contains any, within `maxBytes`; none if the file cannot be read. */
export async function readHead(path: string, maxBytes: number): Promise<readonly Json[]> {
  const head: Json[] = [];
  try {
    using file = openLines(path, 0);
    for await (const records of file.scan()) {
      for (const { value } of records) if (isJson(value)) head.push(value);
      if (head.length > 0 || (records.at(-1)?.offset ?? 0) > maxBytes) break;
    }
  } catch (error) {
    if (!isFailure(error)) throw error;
  }
  return head;
}
