/**
 * Reads a compressed rollout. It can only be read from its start, so one pass finds the facts for a row, which are at
 * its beginning and at its end.
 */

import { present } from "@continuo/core/model";
import type { FoundFile } from "@continuo/files";
import { openLines } from "@continuo/files/records";
import { toTitle } from "../kit/index.ts";
import { parseRecord } from "./records.ts";
import { typedText } from "./text-authors.ts";

export interface CompressedEnds {
  /** The first typed text, and the offset of its record in the decompressed file. */
  readonly typed: { readonly title: string; readonly offset: number } | null;
  /** The time stamp of the last record that has one. */
  readonly lastTime: string | null;
}

const known = new WeakMap<FoundFile, Promise<CompressedEnds>>();

/** Errors: `not_found`, `unreadable`. */
export async function readCompressedEnds(file: FoundFile, signal?: AbortSignal): Promise<CompressedEnds> {
  const reading = known.get(file) ?? readEnds(file.path, signal);
  known.set(file, reading);
  try {
    return await reading;
  } catch (error) {
    known.delete(file);
    throw error;
  }
}

async function readEnds(path: string, signal: AbortSignal | undefined): Promise<CompressedEnds> {
  let typed: CompressedEnds["typed"] = null;
  let lastTime: string | null = null;
  using lines = openLines(path, Number.POSITIVE_INFINITY);
  for await (const records of lines.scan(present({ signal }))) {
    for (const { value, offset } of records) {
      const record = parseRecord(value);
      if (record === null) continue;
      lastTime = record.timestamp ?? lastTime;
      if (typed !== null) continue;
      const title = toTitle(typedText(record.type, record.payload));
      if (title !== null) typed = { title, offset };
    }
  }
  return { typed, lastTime };
}
