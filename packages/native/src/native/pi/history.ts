/** Messages of a path, fetched entry by entry from the root to its end. */

import { type Message, present } from "@continuo/core/model";
import { isJson, type Json } from "@continuo/files";
import type { LineFile } from "@continuo/files/records";
import {
  chainMessages,
  type HistoryOptions,
  type HistorySteps,
  pathTo,
  placeOf,
  type StepMessages,
} from "../kit/index.ts";
import { idOf, type Tree } from "./branches.ts";
import { type Index, KIND } from "./index-fold.ts";
import { type PlacedEntry, type ToolCall, toMessage } from "./messages.ts";
import { blocksOf, messageOf } from "./records.ts";

export interface LinkedScan {
  readonly index: Index;
  readonly tree: Tree;
  readonly lines: LineFile;
  /** Only the end of a file was read: line numbers are not those of the file. */
  readonly partial: boolean;
}

export function readHistory(
  scanned: LinkedScan,
  tip: number,
  options: HistoryOptions,
): AsyncGenerator<Message, void, void> {
  return chainMessages(readSteps(scanned, stepsOf(scanned, tip), options, () => true));
}

/** Each message is a step. */
export function stepsTo(scanned: LinkedScan, tip: number): HistorySteps {
  const { index } = scanned;
  const steps = stepsOf(scanned, tip);
  const lines = steps.told.map((at) => index.line[steps.path[at] ?? -1] ?? 0);
  return {
    keys: lines.map(String),
    lastLines: lines,
    read: (isWanted, signal) => readSteps(scanned, steps, present({ signal }), isWanted),
  };
}

interface Steps {
  readonly path: Int32Array;
  /** Places in the path of entries that are messages. */
  readonly told: readonly number[];
}

function stepsOf({ index, tree }: LinkedScan, tip: number): Steps {
  const path = pathTo(tree.up, tip);
  const places = [...path.keys()];
  return { path, told: places.filter((at) => isTold(index, path[at] ?? -1)) };
}

function isTold(index: Index, record: number): boolean {
  return (index.kind[record] ?? KIND.outside) > KIND.silent;
}

async function* readSteps(
  scanned: LinkedScan,
  { path, told }: Steps,
  options: HistoryOptions,
  isWanted: (step: number) => boolean,
): AsyncGenerator<StepMessages, void, void> {
  const { index, lines, partial } = scanned;
  const calls = new Map<string, ToolCall>();
  for (const [step, at] of told.entries()) {
    options.signal?.throwIfAborted();
    if (!isWanted(step)) continue;
    const record = path[at] ?? -1;
    const value = await lines.fetch(placeOf(index, record));
    const entry: PlacedEntry = {
      place: partial ? {} : { line: index.line[record] ?? 0 },
      id: idOf(index, record),
      value: isJson(value) ? value : {},
    };
    const message = toMessage(entry, {
      native: options.native === true,
      callOf: (id) => calls.get(id),
      keptMessageId: keptMessageId(scanned, path, at),
    });
    yield { step, messages: [message] };
    noteCalls(calls, messageOf(entry.value));
  }
}

/** The record with this id, because any entry can be the end of a history; `null` if there is none. */
export function nodeOf({ index }: LinkedScan, id: string): number | null {
  for (let record = 0; record < index.count; record++) {
    if (index.kind[record] !== KIND.outside && idOf(index, record) === id) return record;
  }
  return null;
}

/** The first message of the path from the first kept entry on; `null` if the record keeps none. */
function keptMessageId({ index, tree }: LinkedScan, path: Int32Array, at: number): string | null {
  const kept = tree.kept.get(path[at] ?? -1) ?? -1;
  if (kept === -1) return null;
  for (let i = path.indexOf(kept); i < at; i++) {
    const record = path[i] ?? -1;
    if (isTold(index, record)) return idOf(index, record);
  }
  return null;
}

/** Keeps only the calls of the last answer, because a result follows the answer with its call. */
function noteCalls(calls: Map<string, ToolCall>, message: Json | null): void {
  if (message === null || message.role !== "assistant") return;
  calls.clear();
  for (const block of blocksOf(message.content)) {
    if (!isJson(block) || block.type !== "toolCall" || typeof block.id !== "string") continue;
    calls.set(block.id, { name: typeof block.name === "string" ? block.name : "", input: block.arguments });
  }
}
