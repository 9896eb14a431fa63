/**
 * Reads the messages with which a history begins from the head of a file. If nothing in the file goes back or replaces
 * the list, a message of the head is final unless its id occurs again after the head.
 */

import { readFile } from "node:fs/promises";
import { setImmediate as otherWork } from "node:timers/promises";
import type { Message } from "@continuo/core/model";
import { isJson } from "@continuo/files";
import { type LineFile, openLines, toReadError } from "@continuo/files/records";
import { type FoundSession, hasFlag } from "../kit/index.ts";
import { newestFileOf } from "../scanning/index.ts";
import { type HistorySource, readHistory } from "./history.ts";
import { addRecord, createIndex, FLAG, type Index, idOf } from "./index-fold.ts";
import { FIRST_LINES, MAX_FIRST_FILE_BYTES } from "./limits.ts";
import { geminiLines } from "./lines.ts";
import { planHistory } from "./plan.ts";
import { foldStarted } from "./subagents.ts";
import { createTimeline, foldTimeline } from "./timeline.ts";

/** Gemini CLI also splits lines at these separators, and only a scan reports that. */
const SEPARATORS = ["\u2028", "\u2029"];

/** Errors: `not_found`, `unreadable`. */
export async function readFirstMessages(found: FoundSession): Promise<readonly Message[]> {
  const { path, sizeBytes } = newestFileOf(found);
  if (sizeBytes > MAX_FIRST_FILE_BYTES) return [];
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw toReadError(path, cause);
  });
  if (!geminiLines.isPlain(found, bytes)) return [];
  await otherWork();
  using file = openLines(path, sizeBytes);
  const { source, list, endByte } = await readHead(file);
  const head = bytes.subarray(0, endByte);
  if (SEPARATORS.some((separator) => head.includes(separator))) return [];
  const final = await countFinal(source.index, list, (id) => bytes.includes(JSON.stringify(id), endByte));
  const steps = completeSteps(source.index, list.slice(0, final));
  return await Array.fromAsync(readHistory(source, list.slice(0, steps), {}));
}

interface Head {
  readonly source: HistorySource;
  readonly list: readonly number[];
  readonly endByte: number;
}

async function readHead(file: LineFile): Promise<Head> {
  const timeline = createTimeline(createIndex());
  const { index } = timeline;
  const started: Parameters<typeof foldStarted>[0] = new Map();
  let endByte = 0;
  for await (const records of file.scan()) {
    for (const record of records.slice(0, FIRST_LINES - index.records)) {
      foldTimeline(timeline, addRecord(index, record), record.value, false);
      if (isJson(record.value)) foldStarted(started, record.value);
      endByte = record.offset + record.length;
    }
    if (index.records === FIRST_LINES) break;
  }
  const children = new Map([...started].map(([id, { toolCallId }]) => [toolCallId, id]));
  const source = { index, records: { ...file, form: "lines", lines: file }, children } as const;
  return { source: { ...source, lost: new Set(), withLines: true }, list: timeline.list, endByte };
}

/** The number of messages before the first one of which the file has a later version. */
async function countFinal(
  index: Index,
  list: readonly number[],
  comesAgain: (id: string) => boolean,
): Promise<number> {
  for (const [at, node] of list.entries()) {
    if (comesAgain(idOf(index, node))) return at;
    // The rest of the file is searched for each id.
    await otherWork();
  }
  return list.length;
}

/** The number of messages in the steps to which no later line belongs: results can follow an answer. */
function completeSteps(index: Index, list: readonly number[]): number {
  const { node = -1, responses = [] } = [...planHistory(index, list)].at(-1) ?? {};
  const isOpen = responses.length > 0 || (node !== -1 && hasFlag(index, node, FLAG.gemini));
  if (!isOpen) return list.length;
  return list.length - responses.length - (node === -1 ? 0 : 1);
}
