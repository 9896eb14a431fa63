/** Messages of a path, fetched entry by entry from the root to its end. */

import { isJson, type Json } from "../../files/index.ts";
import type { LineFile } from "../../files/records/index.ts";
import type { Message } from "../../model/index.ts";
import { type HistoryOptions, pathTo } from "../kit/index.ts";
import { idOf, type Tree } from "./branches.ts";
import { type Index, KIND, placeOf } from "./index-fold.ts";
import { type PlacedEntry, type ToolCall, toMessage } from "./messages.ts";
import { blocksOf, messageOf } from "./records.ts";

export interface LinkedScan {
  readonly index: Index;
  readonly tree: Tree;
  readonly lines: LineFile;
  /** The end of a file alone was read: line numbers are not those of the file. */
  readonly partial: boolean;
}

export async function* readHistory(
  scanned: LinkedScan,
  tip: number,
  options: HistoryOptions,
): AsyncGenerator<Message, void, void> {
  const { index, tree, lines, partial } = scanned;
  const path = pathTo(tree.up, tip);
  const calls = new Map<string, ToolCall>();
  let parentId: string | null = null;
  for (const [at, record] of path.entries()) {
    options.signal?.throwIfAborted();
    if ((index.kind[record] ?? KIND.outside) <= KIND.silent) continue;
    const value = await lines.fetch(placeOf(index, record));
    const entry: PlacedEntry = {
      place: partial ? {} : { line: index.line[record] ?? 0 },
      id: idOf(index, record),
      parentId,
      value: isJson(value) ? value : {},
    };
    yield toMessage(entry, {
      native: options.native === true,
      callOf: (id) => calls.get(id),
      keptMessageId: keptMessageId(scanned, path, at),
    });
    parentId = entry.id;
    noteCalls(calls, messageOf(entry.value));
  }
}

/** Any entry can be the end of a history. */
export function nodeOf({ index }: LinkedScan, id: string): number | null {
  for (let record = 0; record < index.count; record++) {
    if (index.kind[record] !== KIND.outside && idOf(index, record) === id) return record;
  }
  return null;
}

/** The first message of the path from the first kept entry on; `null` where the record keeps none. */
function keptMessageId({ index, tree }: LinkedScan, path: Int32Array, at: number): string | null {
  const kept = tree.kept.get(path[at] ?? -1) ?? -1;
  if (kept === -1) return null;
  for (let i = path.indexOf(kept); i < at; i++) {
    const record = path[i] ?? -1;
    if ((index.kind[record] ?? KIND.outside) > KIND.silent) return idOf(index, record);
  }
  return null;
}

/** A result follows the answer with its call, so that the calls of the last answer are all that is kept. */
function noteCalls(calls: Map<string, ToolCall>, message: Json | null): void {
  if (message === null || message.role !== "assistant") return;
  calls.clear();
  for (const block of blocksOf(message.content)) {
    if (!isJson(block) || block.type !== "toolCall" || typeof block.id !== "string") continue;
    calls.set(block.id, { name: typeof block.name === "string" ? block.name : "", input: block.arguments });
  }
}
