/** The messages of one branch, in the order that `plan.ts` gives. */

import { type Message, present, type RecordPlace } from "@continuo/core/model";
import { isJson, type Json } from "@continuo/files";
import { type HistorySteps, hasFlag, placeOf, type StepMessages, textOfId } from "../kit/index.ts";
import type { Children } from "./blocks.ts";
import { FLAG, type Index, idOf, lineOf } from "./index-fold.ts";
import {
  type MessageOptions,
  merged,
  type PlacedMessage,
  type PlacedResult,
  toAnswer,
  toAside,
  toToolMessage,
} from "./messages.ts";
import { type PlannedResult, type PlanStep, planHistory } from "./plan.ts";
import { type CallRecord, callsIn, kindOf, listIn, resultsIn } from "./records.ts";
import type { RecordSource } from "./source.ts";

export interface HistorySource {
  readonly index: Index;
  readonly records: RecordSource;
  readonly children: Children;
  /** Records that Gemini CLI itself does not read. */
  readonly lost: ReadonlySet<number>;
  /** True if line numbers are those of the file. */
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
  let parentId: string | undefined;
  for await (const { messages } of readSteps(source, nameSteps(source.index, list), options, () => true)) {
    for (const message of messages) {
      yield parentId === undefined ? message : { ...message, parentId };
      parentId = message.id;
    }
  }
}

export function stepsTo(source: HistorySource, list: readonly number[]): HistorySteps {
  const { index } = source;
  const steps = [...nameSteps(index, list)];
  const recordOf = (node: number): number => index.record[node] ?? 0;
  return {
    // Two steps with equal keys give equal messages. The ids of the messages depend on the steps before.
    keys: steps.map((step) => JSON.stringify([nodesOf(step), step.results])),
    lastLines: steps.map((step) =>
      Math.max(0, ...nodesOf(step).map((node) => index.line[recordOf(node)] ?? 0)),
    ),
    read: (isWanted, signal) => readSteps(source, steps, present({ signal }), isWanted),
  };
}

/** A step with the ids of its messages, and with the answer whose calls its results belong to. */
interface NamedStep extends PlanStep {
  readonly names: ReadonlyMap<number, string>;
  /** The step with the last answer, this one included. */
  readonly answer: PlanStep | null;
}

function* nameSteps(index: Index, list: readonly number[]): Generator<NamedStep, void, void> {
  const idOfNode = createIds(index);
  let answer: PlanStep | null = null;
  for (const step of planHistory(index, list)) {
    const named = [step.node, ...step.results.map(({ node }) => (node === step.own ? step.node : node))];
    const names = new Map(named.filter((node) => node !== -1).map((node) => [node, idOfNode(node)]));
    if (isAnswer(index, step)) answer = step;
    yield { ...step, names, answer };
  }
}

function isAnswer(index: Index, { node }: PlanStep): boolean {
  return node !== -1 && hasFlag(index, node, FLAG.gemini);
}

/** Every node that the messages of a step are made from. */
function nodesOf({ node, own, responses, results, answer }: NamedStep): readonly number[] {
  const ofResults = results.flatMap((result) => [result.node, ...result.repeats]);
  const ofAnswer = answer === null ? [] : [answer.node, answer.own];
  return [node, own, ...responses, ...ofResults, ...ofAnswer].filter((each) => each !== -1);
}

async function* readSteps(
  source: HistorySource,
  steps: Iterable<NamedStep>,
  options: ReadHistoryOptions,
  isWanted: (step: number) => boolean,
): AsyncGenerator<StepMessages, void, void> {
  const { index, children } = source;
  const fetch = createFetch(source);
  const messageOptions: MessageOptions = { children, native: options.native === true };
  const fetchOrNull = async (node: number): Promise<PlacedMessage | null> =>
    node === -1 ? null : await fetch(node);
  let calls: Calls = { step: null, byId: new Map() };
  let number = -1;
  for (const step of steps) {
    options.signal?.throwIfAborted();
    number += 1;
    if (!isWanted(number)) continue;
    const listed = await fetchOrNull(step.node);
    const own = await fetchOrNull(step.own);
    const messages: Message[] = [];
    const { answer } = step;
    if (answer !== null && answer.node !== calls.step) {
      const [first, second] =
        answer.node === step.node
          ? [listed, own]
          : [await fetchOrNull(answer.node), await fetchOrNull(answer.own)];
      calls = { step: answer.node, byId: callsOf(first, second) };
    }
    if (listed !== null && isAnswer(index, step)) {
      messages.push({ ...toAnswer(listed, own, messageOptions), id: nameOf(step, step.node) });
    }
    for (const placed of await placeResults(index, step, { calls: calls.byId, fetch })) {
      messages.push(toToolMessage(placed, messageOptions));
    }
    if (listed !== null && !isAnswer(index, step)) {
      messages.push({ ...toAside(listed, own, messageOptions), id: nameOf(step, step.node) });
    }
    yield { step: number, messages };
  }
}

interface Calls {
  /** The node of the answer that contains the calls. */
  readonly step: number | null;
  readonly byId: ReadonlyMap<string, CallRecord>;
}

function callsOf(listed: PlacedMessage | null, own: PlacedMessage | null): Calls["byId"] {
  if (listed === null) return new Map();
  const value = own === null ? listed.value : merged(listed.value, own.value);
  return new Map(callsIn(value).map((call) => [call.id, call]));
}

function nameOf({ names }: NamedStep, node: number): string {
  return names.get(node) ?? "";
}

/**
 * Returns a function for the id of a message in one history. A message that a compaction removed can come again in
 * another version. Such a later version receives the id `ID@LINE`.
 */
function createIds(index: Index): (node: number) => string {
  const owner = new Int32Array(index.ids.size).fill(-1);
  return (node) => {
    const id = index.id[node] ?? 0;
    if (owner[id] === -1) owner[id] = node;
    return owner[id] === node ? idOf(index, node) : `${idOf(index, node)}@${lineOf(index, node)}`;
  };
}

export type Fetch = (node: number) => Promise<PlacedMessage>;

/** Keeps the last record with a list of messages, because they are fetched one after another. */
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

interface ResultContext {
  /** The calls of the answer that was read last. */
  readonly calls: ReadonlyMap<string, CallRecord>;
  readonly fetch: Fetch;
}

async function placeResults(index: Index, step: NamedStep, placing: ResultContext): Promise<PlacedResult[]> {
  const { calls, fetch } = placing;
  const placed: PlacedResult[] = [];
  const used = new Map<number, number>();
  for (const planned of step.results) {
    const source = await fetch(planned.node);
    const callId = textOfId(index.ids, planned.call);
    const result = resultsIn(source.value).find((each) => each.callId === callId);
    if (result === undefined) continue;
    const node = planned.node === step.own ? step.node : planned.node;
    // If the record itself becomes a message, that message has the id without a number.
    const count = (used.get(node) ?? (node === step.node ? 1 : 0)) + 1;
    used.set(node, count);
    placed.push({
      result,
      source,
      repeats: await fetchAll(planned, fetch),
      call: calls.get(callId) ?? null,
      id: count === 1 ? nameOf(step, node) : `${nameOf(step, node)}#${count}`,
    });
  }
  return placed;
}

async function fetchAll(planned: PlannedResult, fetch: Fetch): Promise<PlacedMessage[]> {
  const repeats: PlacedMessage[] = [];
  for (const node of planned.repeats) repeats.push(await fetch(node));
  return repeats;
}
