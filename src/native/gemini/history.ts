/** Messages of a list, fetched record by record in the order of the plan. */

import { isJson, type Json } from "../../files/index.ts";
import type { Message, RecordPlace } from "../../model/index.ts";
import { textOfId } from "../kit/index.ts";
import type { Children } from "./blocks.ts";
import { FLAG, has, type Index, idOf, lineOf, placeOf } from "./index-fold.ts";
import {
  type MessageOptions,
  merged,
  type PlacedMessage,
  type PlacedResult,
  toAnswer,
  toAside,
  toToolMessage,
} from "./messages.ts";
import { type PlannedResult, planHistory, type Step } from "./plan.ts";
import { type CallRecord, callsIn, kindOf, listIn, resultsIn } from "./records.ts";
import type { RecordSource } from "./source.ts";

export interface HistorySource {
  readonly index: Index;
  readonly records: RecordSource;
  readonly children: Children;
  /** Records that Gemini CLI itself does not see. */
  readonly lost: ReadonlySet<number>;
  /** Whether line numbers are those of the file. */
  readonly withLines: boolean;
}

export interface ReadHistoryOptions {
  readonly native?: boolean;
  readonly signal?: AbortSignal;
}

export async function* readHistory(
  source: HistorySource,
  list: readonly number[],
  options: ReadHistoryOptions,
): AsyncGenerator<Message, void, void> {
  const { index, children } = source;
  const fetch = createFetch(source);
  const nameOf = createNames(index);
  const messageOptions: MessageOptions = { children, native: options.native === true };
  let parentId: string | undefined;
  let calls: ReadonlyMap<string, CallRecord> = new Map();
  for (const step of planHistory(index, list)) {
    options.signal?.throwIfAborted();
    const listed = step.node === -1 ? null : await fetch(step.node);
    const own = step.own === -1 ? null : await fetch(step.own);
    const isAnswer = step.node !== -1 && has(index, step.node, FLAG.gemini);
    const messages: Message[] = [];
    if (listed !== null && isAnswer) {
      messages.push({ ...toAnswer(listed, own, messageOptions), id: nameOf(step.node) });
      const value = own === null ? listed.value : merged(listed.value, own.value);
      calls = new Map(callsIn(value).map((call) => [call.id, call]));
    }
    for (const placed of await placeResults(index, step, { calls, fetch, nameOf })) {
      messages.push(toToolMessage(placed, messageOptions));
    }
    if (listed !== null && !isAnswer) {
      messages.push({ ...toAside(listed, own, messageOptions), id: nameOf(step.node) });
    }
    for (const message of messages) {
      yield parentId === undefined ? message : { ...message, parentId };
      parentId = message.id;
    }
  }
}

/**
 * The id of a message within one history. What a compaction took out can hold another version of a message
 * that is written on behind it: that one is called `ID@LINE`.
 */
function createNames(index: Index): (node: number) => string {
  const owner = new Int32Array(index.ids.size).fill(-1);
  return (node) => {
    const id = index.id[node] ?? 0;
    if (owner[id] === -1) owner[id] = node;
    return owner[id] === node ? idOf(index, node) : `${idOf(index, node)}@${lineOf(index, node)}`;
  };
}

export type Fetch = (node: number) => Promise<PlacedMessage>;

/** Keeps the record that carries a list while its messages are asked for one after another. */
export function createFetch({ index, records, lost, withLines }: HistorySource): Fetch {
  let held: { readonly record: number; readonly list: readonly unknown[] } | null = null;
  return async (node) => {
    const record = index.record[node] ?? 0;
    const item = index.item[node] ?? -1;
    const place: RecordPlace = withLines ? { line: index.line[record] ?? 0 } : {};
    let value: unknown;
    if (item === -1) value = await records.fetch(placeOf(index, record));
    else {
      if (held?.record !== record) {
        const whole = await records.fetch(placeOf(index, record));
        held = { record, list: isJson(whole) ? (listIn(whole, kindOf(whole)) ?? []) : [] };
      }
      value = held.list[item];
    }
    return { place, value: isJson(value) ? value : ({} as Json), lost: lost.has(record) };
  };
}

interface Placing {
  /** Of the answer that was read last. */
  readonly calls: ReadonlyMap<string, CallRecord>;
  readonly fetch: Fetch;
  readonly nameOf: (node: number) => string;
}

async function placeResults(index: Index, step: Step, placing: Placing): Promise<PlacedResult[]> {
  const { calls, fetch, nameOf } = placing;
  const placed: PlacedResult[] = [];
  const used = new Map<number, number>();
  for (const planned of step.results) {
    const source = await fetch(planned.node);
    const callId = textOfId(index.ids, planned.call);
    const result = resultsIn(source.value).find((each) => each.callId === callId);
    if (result === undefined) continue;
    const node = planned.node === step.own ? step.node : planned.node;
    // The bare id is that of the record's own message, where it becomes one.
    const count = (used.get(node) ?? (node === step.node ? 1 : 0)) + 1;
    used.set(node, count);
    placed.push({
      result,
      source,
      repeats: await fetchAll(planned, fetch),
      call: calls.get(callId) ?? null,
      id: count === 1 ? nameOf(node) : `${nameOf(node)}#${count}`,
    });
  }
  return placed;
}

async function fetchAll(planned: PlannedResult, fetch: Fetch): Promise<PlacedMessage[]> {
  const repeats: PlacedMessage[] = [];
  for (const node of planned.repeats) repeats.push(await fetch(node));
  return repeats;
}
