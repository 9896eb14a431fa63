/**
 * The order of a history: the lines of each message, determined only from the index.
 *
 * - lines of one answer (`message.id`) are one step, even if results or attachments are between them
 * - lines of an answer, and results of its calls, that are not on the path are put back in the order of the file
 *   (`mergeInOrder`). With parallel calls, the next line has only the last result as its parent
 * - all results of a call are put back, even if the path already has one: Claude Code sends the first
 */

import { type HistoryCounts, hasFlag } from "../kit/index.ts";
import type { Tree } from "./branches.ts";
import { FLAG, type Index, KIND, toolsOf } from "./index-fold.ts";

export type PlanStep =
  | { readonly type: "answer"; readonly records: readonly number[]; readonly place: AnswerPlace }
  | { readonly type: "line"; readonly record: number };

/** `after results`: results of its calls come before its last line, which happens only if lines are out of order. */
export type AnswerPlace = "before results" | "after results";

interface OffPathLines {
  /** The keys are numbers of `message.id`: lines of the answer that are not on the path. */
  readonly answers: ReadonlyMap<number, readonly number[]>;
  /** The keys are numbers of calls: the lines with its results that are not on the path. */
  readonly results: ReadonlyMap<number, readonly number[]>;
  /** 1 for lines that were put back. */
  readonly placed: Uint8Array;
}

/**
 * @param partial the index begins inside of the file, perhaps inside of an answer: an incomplete answer is left out.
 */
export function* planHistory(
  index: Index,
  tree: Tree,
  path: Int32Array,
  partial: boolean,
): Generator<PlanStep, void, void> {
  const beside = besidePath(index, tree, path);
  const start = partial ? halfAnswer(index, path) : 0;
  for (let i = start; i < path.length; ) {
    const record = path[i] ?? 0;
    const answer = index.message[record] ?? -1;
    if (index.kind[record] !== KIND.assistant) {
      yield { type: "line", record };
      i += 1;
      continue;
    }
    const { members, between, next } = gatherAnswer(index, path, i);
    const siblings = answer === -1 ? [] : (beside.answers.get(answer) ?? []);
    i = next;
    const following = [...between];
    while (i < path.length && isResultLine(index, path[i] ?? 0)) following.push(path[i++] ?? 0);
    const late = lateResults(index, [...members, ...siblings], beside);
    const turn = mergeInOrder([...members, ...following], [...siblings, ...late]);
    const records = turn.filter((line) => members.includes(line) || siblings.includes(line));
    const isAfter = turn.length > records.length && records.includes(turn.at(-1) ?? -1);
    yield {
      type: "answer",
      records: siblings.length === 0 ? records : callsLast(index, records),
      place: isAfter ? "after results" : "before results",
    };
    for (const line of turn) if (!records.includes(line)) yield { type: "line", record: line };
  }
}

export function countHistory(index: Index, steps: Iterable<PlanStep>): HistoryCounts {
  const counts = { total: 0, user: 0, assistant: 0, tool: 0, system: 0, toolCalls: 0 };
  for (const step of steps) {
    if (step.type === "answer") {
      if (step.records.some((record) => hasFlag(index, record, FLAG.message))) counts.assistant += 1;
      for (const record of step.records) counts.toolCalls += toolsOf(index, record).length;
      continue;
    }
    if (index.kind[step.record] === KIND.user) counts.tool += toolsOf(index, step.record).length;
    if (!hasFlag(index, step.record, FLAG.message)) continue;
    if (hasFlag(index, step.record, FLAG.userRole)) counts.user += 1;
    else counts.system += 1;
  }
  return { ...counts, total: counts.user + counts.assistant + counts.tool + counts.system };
}

/** A call that was put back comes after the text of its answer (seen in 2.1.332). */
function callsLast(index: Index, records: readonly number[]): number[] {
  const isCall = (record: number): boolean => toolsOf(index, record).length > 0;
  return [...records.filter((record) => !isCall(record)), ...records.filter(isCall)];
}

/** Number of lines at the start of a path that are the rest of an answer. */
function halfAnswer(index: Index, path: Int32Array): number {
  const first = path[0] ?? -1;
  if (first === -1 || !hasFlag(index, first, FLAG.laterBlock)) return 0;
  return gatherAnswer(index, path, 0).next;
}

interface MessageGroup {
  readonly members: number[];
  /** Results and attachments that are between the lines of the answer. */
  readonly between: readonly number[];
  readonly next: number;
}

function gatherAnswer(index: Index, path: Int32Array, start: number): MessageGroup {
  const members = [path[start] ?? 0];
  const between: number[] = [];
  const answer = index.message[path[start] ?? 0] ?? -1;
  let next = start + 1;
  let passed: number[] = [];
  for (let i = start + 1; answer !== -1 && i < path.length; i++) {
    const record = path[i] ?? 0;
    if (index.message[record] === answer) {
      members.push(record);
      between.push(...passed);
      passed = [];
      next = i + 1;
    } else if (isResultLine(index, record) || index.kind[record] === KIND.attachment) passed.push(record);
    else break;
  }
  return { members, between, next };
}

/** True for a user line with only results. */
function isResultLine(index: Index, record: number): boolean {
  return (
    index.kind[record] === KIND.user &&
    !hasFlag(index, record, FLAG.message) &&
    (index.tool[record] ?? -1) !== -1
  );
}

function besidePath(index: Index, tree: Tree, path: Int32Array): OffPathLines {
  const onPath = new Uint8Array(index.count);
  const wanted = new Uint8Array(index.ids.size);
  for (const record of path) {
    onPath[record] = 1;
    const answer = index.message[record] ?? -1;
    if (answer !== -1) wanted[answer] = 1;
    if (index.kind[record] !== KIND.assistant) continue;
    for (const tool of toolsOf(index, record)) wanted[tool] = 1;
  }
  const answers = new Map<number, number[]>();
  for (let record = 0; record < index.count; record++) {
    const answer = index.message[record] ?? -1;
    if (tree.member[record] === 0 || onPath[record] === 1 || answer === -1 || wanted[answer] === 0) continue;
    addTo(answers, answer, record);
    for (const tool of toolsOf(index, record)) wanted[tool] = 1;
  }
  const results = new Map<number, number[]>();
  for (let record = 0; record < index.count; record++) {
    if (tree.member[record] === 0 || onPath[record] === 1 || !isResultLine(index, record)) continue;
    for (const tool of toolsOf(index, record)) {
      if (wanted[tool] === 1) addTo(results, tool, record);
    }
  }
  return { answers, results, placed: onPath };
}

function addTo(lists: Map<number, number[]>, key: number, record: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [record]);
  else list.push(record);
}

/** Each line is put back only once, even if a damaged file has its call twice. */
function lateResults(index: Index, answer: readonly number[], beside: OffPathLines): number[] {
  const late = new Set<number>();
  for (const record of answer) {
    for (const tool of toolsOf(index, record)) {
      for (const result of beside.results.get(tool) ?? []) {
        if (beside.placed[result] === 0) late.add(result);
        beside.placed[result] = 1;
      }
    }
  }
  return [...late];
}

/**
 * Keeps the order of the path. A line that is not on the path goes before the first line of the path that follows it in
 * the file, but never before the path's first line.
 */
function mergeInOrder(path: readonly number[], beside: readonly number[]): number[] {
  const merged = [...path];
  for (const record of [...beside].sort((a, b) => a - b)) {
    const behind = merged.findIndex((other, at) => at > 0 && other > record);
    if (behind === -1) merged.push(record);
    else merged.splice(behind, 0, record);
  }
  return merged;
}
