/** Messages of a path, fetched line by line in the order of the plan. */

import { type Message, present, type RecordPlace } from "@continuo/core/model";
import { isJson, type Json, textField } from "@continuo/files";
import type { LineFile } from "@continuo/files/records";
import { findId, type HistorySteps, pathTo, placeOf, type StepMessages, textOfId } from "../kit/index.ts";
import type { Tree } from "./branches.ts";
import { type Index, KIND, toolsOf } from "./index-fold.ts";
import { type MessageOptions, type PlacedLine, type ToolCall, toAnswer, toMessages } from "./messages.ts";
import { type PlanStep, planHistory } from "./plan.ts";
import { contentOf, isToolUse } from "./records.ts";

export interface HistorySource {
  readonly index: Index;
  readonly tree: Tree;
  readonly lines: LineFile;
  /** Sub-agents by the id of the call that started them. */
  readonly children: ReadonlyMap<string, string>;
  /** True if the line numbers count from the start of the file. */
  readonly withLines: boolean;
}

export interface HistoryReader {
  idOf(record: number): string;
  /** The line that an id names. Any line of the conversation can be the end of a history. */
  nodeOf(id: string): number | null;
  read(tip: number, options: ReadOptions): AsyncGenerator<Message, void, void>;
  steps(tip: number): HistorySteps;
}

interface ReadOptions {
  readonly native?: boolean;
  readonly signal?: AbortSignal;
}

export function createHistoryReader(source: HistorySource): HistoryReader {
  const { index, tree, lines, children, withLines } = source;
  const idOf = (record: number): string => {
    const id = index.id[record] ?? -1;
    return id === -1 ? `line:${index.line[record]}` : textOfId(index.ids, id);
  };

  async function fetch(record: number): Promise<PlacedLine> {
    const value = await lines.fetch(placeOf(index, record));
    const place: RecordPlace = withLines ? { line: index.line[record] ?? 0 } : {};
    return { place, id: idOf(record), value: isJson(value) ? value : {} };
  }

  const findCalls = createCallFinder(source, fetch);

  function planTo(tip: number): Generator<PlanStep, void, void> {
    return planHistory(index, tree, pathTo(tree.up, tip), !withLines);
  }

  async function* readSteps(
    steps: Iterable<PlanStep>,
    options: ReadOptions,
    isWanted: (step: number) => boolean,
  ): AsyncGenerator<StepMessages, void, void> {
    const messageOptions: MessageOptions = { children, native: options.native === true };
    // These are the calls of the last answer; their results come next.
    let known: ReadonlyMap<string, ToolCall> = new Map();
    let number = -1;
    for (const step of steps) {
      options.signal?.throwIfAborted();
      number += 1;
      if (!isWanted(number)) continue;
      if (step.type === "answer") {
        const answer: PlacedLine[] = [];
        for (const record of step.records) answer.push(await fetch(record));
        known = new Map(answer.flatMap((line) => [...callsOf(line.value)]));
        const message = toAnswer(answer, { ...messageOptions, place: step.place });
        yield { step: number, messages: message === null ? [] : [message] };
      } else {
        const line = await fetch(step.record);
        const calls = await findCalls(step.record, known);
        yield { step: number, messages: toMessages(line, (id) => calls.get(id), messageOptions) };
      }
    }
  }

  return {
    idOf,
    nodeOf(id) {
      const number = findId(index.ids, id);
      const named = number === -1 ? -1 : (tree.recordOf[number] ?? -1);
      if (number !== -1) return named === -1 ? null : named;
      for (let record = 0; record < index.count; record++) {
        if (tree.member[record] === 1 && index.id[record] === -1 && idOf(record) === id) return record;
      }
      return null;
    },
    async *read(tip, options) {
      let parentId: string | undefined;
      for await (const { messages } of readSteps(planTo(tip), options, () => true)) {
        for (const message of messages) {
          yield parentId === undefined ? message : { ...message, parentId };
          parentId = message.id;
        }
      }
    },
    steps(tip) {
      const steps = [...planTo(tip)];
      const lines = steps.map((step) => recordsOf(step).map((record) => index.line[record] ?? 0));
      return {
        keys: lines.map((each) => each.join(" ")),
        lastLines: lines.map((each) => Math.max(...each)),
        read: (isWanted, signal) => readSteps(steps, present({ signal }), isWanted),
      };
    },
  };
}

type FindCalls = (
  record: number,
  known: ReadonlyMap<string, ToolCall>,
) => Promise<ReadonlyMap<string, ToolCall>>;

/** The calls that the results of a line answer. */
function createCallFinder(
  { index, tree }: HistorySource,
  fetch: (record: number) => Promise<PlacedLine>,
): FindCalls {
  const callLines = callLinesOf(index, tree);

  async function fetchCall(record: number, id: string): Promise<ToolCall | undefined> {
    if (record === -1) return undefined;
    return callsOf((await fetch(record)).value).get(id);
  }

  return async (record, known) => {
    const calls = new Map<string, ToolCall>();
    if (index.kind[record] !== KIND.user) return calls;
    for (const tool of toolsOf(index, record)) {
      const id = textOfId(index.ids, tool);
      const call = known.get(id) ?? (await fetchCall(callLines[tool] ?? -1, id));
      if (call !== undefined) calls.set(id, call);
    }
    return calls;
  };
}

function recordsOf(step: PlanStep): readonly number[] {
  return step.type === "answer" ? step.records : [step.record];
}

function callsOf(record: Json): Map<string, ToolCall> {
  const calls = new Map<string, ToolCall>();
  for (const block of contentOf(record) ?? []) {
    if (isToolUse(block)) calls.set(block.id, { name: textField(block, "name") ?? "", input: block.input });
  }
  return calls;
}

/** The record that has each call, by the number of the call; -1 if no record has it. */
function callLinesOf(index: Index, tree: Tree): Int32Array {
  const callLines = new Int32Array(index.ids.size).fill(-1);
  for (let record = 0; record < index.count; record++) {
    if (tree.member[record] === 0 || index.kind[record] !== KIND.assistant) continue;
    for (const tool of toolsOf(index, record)) callLines[tool] = record;
  }
  return callLines;
}
