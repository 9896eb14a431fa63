/** Messages of a session, fetched record by record in the order of the file. */

import { type Message, present } from "@continuo/core/model";
import { isJson, type Json } from "@continuo/files";
import type { LineFile } from "@continuo/files/records";
import {
  chainMessages,
  findId,
  type HistoryOptions,
  type HistorySteps,
  hasFlag,
  placeOf,
  type StepMessages,
  textOfId,
} from "../kit/index.ts";
import { FLAG, type Index, KIND } from "./index-fold.ts";
import { type ToolCall, toMessage } from "./messages.ts";
import { assetIdsOf, dataOf, filledField, requestsOf } from "./records.ts";
import { usageIn } from "./usage.ts";

export interface LinkedScan {
  readonly index: Index;
  readonly lines: LineFile;
  /** True if only the end of a file was read: then the line numbers are not those of the file. */
  readonly partial: boolean;
}

/**
 * Returns the id of a record, or `line:N` if it has no id or an earlier record has the same one. The result is unique,
 * whatever ids the file has.
 */
export function idOf(index: Index, record: number): string {
  const id = index.id[record] ?? -1;
  if (id !== -1 && index.recordOf[id] === record) return textOfId(index.ids, id);
  let made = `line:${index.line[record]}`;
  while (findId(index.ids, made) !== -1) made += "+";
  return made;
}

export function readHistory(
  scanned: LinkedScan,
  tip: number,
  options: HistoryOptions,
): AsyncGenerator<Message, void, void> {
  return chainMessages(readSteps(scanned, stepsUpTo(scanned, tip), options, () => true));
}

/** Each message is a step. */
export function stepsTo(scanned: LinkedScan, tip: number): HistorySteps {
  const told = stepsUpTo(scanned, tip);
  const lines = told.map((record) => scanned.index.line[record] ?? 0);
  return {
    keys: lines.map(String),
    lastLines: lines,
    read: (isWanted, signal) => readSteps(scanned, told, present({ signal }), isWanted),
  };
}

/** The last record that is a message; -1 for none. */
export function lastMessage(index: Index): number {
  for (let record = index.count - 1; record >= 0; record--) if (isTold(index, record)) return record;
  return -1;
}

/** Any message can be the end of a history. */
export function nodeOf({ index }: LinkedScan, id: string): number | null {
  for (let record = 0; record < index.count; record++) {
    if (isTold(index, record) && idOf(index, record) === id) return record;
  }
  return null;
}

function stepsUpTo({ index }: LinkedScan, tip: number): readonly number[] {
  const told: number[] = [];
  for (let record = 0; record <= tip; record++) if (isTold(index, record)) told.push(record);
  return told;
}

function isTold(index: Index, record: number): boolean {
  return (index.kind[record] ?? KIND.silent) !== KIND.silent;
}

async function* readSteps(
  scanned: LinkedScan,
  told: readonly number[],
  options: HistoryOptions,
  isWanted: (step: number) => boolean,
): AsyncGenerator<StepMessages, void, void> {
  const { index, partial } = scanned;
  const calls = new Map<string, ToolCall>();
  let from = 0;
  for (const [step, record] of told.entries()) {
    options.signal?.throwIfAborted();
    await noteCommands(scanned, calls, { from, to: record });
    from = record + 1;
    if (!isWanted(step)) continue;
    const value = await recordAt(scanned, record);
    const assets = new Map<string, Json>();
    for (const id of assetIdsOf(value)) {
      const at = index.assets.get(id);
      if (at !== undefined) assets.set(id, dataOf(await recordAt(scanned, at)));
    }
    const usedAt = index.usageOf[record] ?? -1;
    const message = toMessage(
      { place: partial ? {} : { line: index.line[record] ?? 0 }, id: idOf(index, record), value },
      {
        native: options.native === true,
        lost: hasFlag(index, record, FLAG.lost),
        callOf: (id) => calls.get(id),
        assetOf: (id) => assets.get(id),
        usage: usedAt === -1 ? null : usageIn(await recordAt(scanned, usedAt)),
      },
    );
    yield { step, messages: [message] };
    noteCalls(calls, value);
  }
}

async function recordAt({ index, lines }: LinkedScan, record: number): Promise<Json> {
  const value = await lines.fetch(placeOf(index, record));
  return isJson(value) ? value : {};
}

/** Notes the commands that the person requested. Each of them comes before its result in the file. */
async function noteCommands(
  scanned: LinkedScan,
  calls: Map<string, ToolCall>,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  for (let record = from; record < to; record++) {
    if (!hasFlag(scanned.index, record, FLAG.command)) continue;
    const data = dataOf(await recordAt(scanned, record));
    const id = filledField(data, "toolCallId");
    if (id !== null) calls.set(id, { name: filledField(data, "toolName") ?? "", input: data.arguments });
  }
}

/**
 * Notes the calls of an answer, and forgets the earlier calls: their results come before the next answer that has
 * calls.
 */
function noteCalls(calls: Map<string, ToolCall>, record: Json): void {
  if (record.type !== "assistant.message") return;
  const requests = requestsOf(dataOf(record));
  if (requests.length > 0) calls.clear();
  for (const request of requests) {
    const id = filledField(request, "toolCallId");
    if (id !== null) calls.set(id, { name: filledField(request, "name") ?? "", input: request.arguments });
  }
}
