/**
 * The list of messages as Gemini CLI holds it, and every earlier state of it from which messages were removed.
 * The rules are those of Gemini CLI (0.61.0):
 *
 * - a message is put at the end; the same id again takes the place of the earlier one
 * - `$set.messages` takes the place of the whole list
 * - `$rewindTo` takes out that message and all after it; an id that is not in the list empties it
 *
 * Continuo keeps the removed messages. Each state with content that no later version has is a branch. The context that
 * the program adds again at every start, and notices to the person, do not count as content. Messages that a compaction
 * removed stay in front of the summary that stands for it.
 *
 * Each state is stored as the inverse of a step, so that memory grows with the file and not with its square.
 */

import type { Problem } from "@continuo/core/model";
import { isJson, textOfValue } from "@continuo/files";
import { findId, hasFlag, withRoom } from "../kit/index.ts";
import { addNode, covers, FLAG, type Index, idOf, lineOf, messagesIn, spokenMarks } from "./index-fold.ts";
import { kindOf, listIn } from "./records.ts";

interface ListChange {
  readonly type: "rewind" | "list" | "replace";
  /** Length of the list when the step was done. */
  readonly length: number;
  /** The removed messages: the end of the list, all of it, or one message. */
  readonly removed: Int32Array;
  /** The position of a replaced message. */
  readonly position: number;
  /** Consecutive steps that only remove messages belong to the same state. */
  readonly state: number;
}

export interface Timeline {
  readonly index: Index;
  /** The list now: numbers of messages. */
  list: number[];
  /** The keys are numbers of ids: the position of each in the list, else -1. */
  position: Int32Array;
  readonly steps: ListChange[];
  /** The keys are numbers of the summaries' ids: the messages that each stands for, the oldest first. */
  readonly compacted: Map<number, readonly number[]>;
  /** The messages that a compaction removed, and those that it rewrote under other ids: they are not lost. */
  readonly kept: Set<number>;
  /**
   * For messages on separate lines, at their first appearance: the newest time, the number of messages that are older
   * than an earlier one, and the line of the first of these.
   */
  readonly order: { newestMs: number; late: number; firstLine: number };
  /** True if a message was added since the last step. */
  grown: boolean;
  states: number;
  readonly problems: Problem[];
}

export function createTimeline(index: Index): Timeline {
  return {
    index,
    list: [],
    position: new Int32Array(64).fill(-1),
    steps: [],
    compacted: new Map(),
    kept: new Set(),
    order: { newestMs: Number.NEGATIVE_INFINITY, late: 0, firstLine: 0 },
    grown: false,
    states: 0,
    problems: [],
  };
}

/** @param partial the file was read from its middle, so unknown earlier ids are not a problem. */
export function foldTimeline(timeline: Timeline, record: number, value: unknown, partial: boolean): void {
  if (!isJson(value)) return;
  const kind = kindOf(value);
  if (kind === "rewind") rewind(timeline, record, textOfValue(value.$rewindTo), partial);
  if (kind === "set" && listIn(value, kind) !== null) clearList(timeline);
  const before = timeline.steps.at(-1);
  for (const { item, message } of messagesIn(value, kind)) {
    const id = findId(timeline.index.ids, message.id);
    const isFirst = id === -1 || (timeline.index.newest[id] ?? -1) === -1;
    const node = addNode(timeline.index, record, item, message);
    if (isFirst && item === -1) noteOrder(timeline, node);
    place(timeline, node);
  }
  if (kind === "set" && before?.type === "list") foldCompaction(timeline, before);
}

function place(timeline: Timeline, node: number): void {
  const { index, list } = timeline;
  const id = index.id[node] ?? 0;
  timeline.position = withRoom(timeline.position, id, -1);
  const at = timeline.position[id] ?? -1;
  const old = list[at];
  if (old === undefined) {
    timeline.position[id] = list.length;
    list.push(node);
  } else {
    list[at] = node;
    if (!covers(index, node, old)) {
      addStep(timeline, { type: "replace", removed: Int32Array.of(old), position: at });
      if ((index.item[node] ?? -1) === -1 && (index.item[old] ?? -1) === -1)
        noteDuplicate(timeline, old, node);
    }
  }
  if (!hasFlag(index, node, FLAG.context)) timeline.grown = true;
}

function noteOrder({ index, order }: Timeline, node: number): void {
  const ms = index.time[node] ?? Number.NaN;
  if (ms < order.newestMs) {
    if (order.late === 0) order.firstLine = lineOf(index, node);
    order.late += 1;
  }
  if (ms > order.newestMs) order.newestMs = ms;
}

function noteDuplicate(timeline: Timeline, old: number, node: number): void {
  const { index, problems } = timeline;
  const message = `message ${idOf(index, node)} is also on line ${lineOf(index, old)} with other content; the later line is used`;
  problems.push({ code: "duplicate_id", line: lineOf(index, node), message });
}

function rewind(timeline: Timeline, record: number, target: string, partial: boolean): void {
  const { index } = timeline;
  const id = findId(index.ids, target);
  const found = id === -1 ? -1 : (timeline.position[id] ?? -1);
  if (found === -1 && !partial) {
    const message = `a rewind to ${target.slice(0, 80)}, which is not there: Gemini CLI leaves out all messages before it`;
    timeline.problems.push({ code: "dangling_parent", line: index.line[record] ?? null, message });
  }
  removeFrom(timeline, "rewind", Math.max(0, found));
}

function clearList(timeline: Timeline): void {
  removeFrom(timeline, "list", 0);
}

function removeFrom(timeline: Timeline, type: "rewind" | "list", start: number): void {
  const removed = Int32Array.from(timeline.list.slice(start));
  if (removed.length > 0 || type === "list") addStep(timeline, { type, removed, position: start });
  for (const node of removed) timeline.position[timeline.index.id[node] ?? 0] = -1;
  timeline.list.length = start;
}

function addStep(timeline: Timeline, step: Pick<ListChange, "type" | "removed" | "position">): void {
  if (timeline.grown || timeline.steps.length === 0) timeline.states += 1;
  timeline.grown = false;
  timeline.steps.push({ ...step, length: timeline.list.length, state: timeline.states });
}

/**
 * After a compaction the list begins with a summary and an answer to it; then come the newest messages of the
 * old list, under new ids and without their times (seen in 0.61.0).
 */
function foldCompaction(timeline: Timeline, before: ListChange): void {
  const { index, list, compacted, kept } = timeline;
  const at = list.findIndex((node) => !hasFlag(index, node, FLAG.context));
  const summary = list[at];
  if (summary === undefined || !hasFlag(index, summary, FLAG.summary)) return;
  const id = index.id[summary] ?? 0;
  const old = [...before.removed].filter((node) => !hasFlag(index, node, FLAG.context));
  if (compacted.has(id) || old.length === 0 || old.some((node) => index.id[node] === id)) return;
  compacted.set(id, old.slice(0, old.length - repeatedEnd(index, old, list.slice(at + 2))));
  for (const node of old) kept.add(node);
}

/** Counts the messages at the end of the old list that the new one repeats; 0 if they differ. */
function repeatedEnd(index: Index, old: readonly number[], again: readonly number[]): number {
  let left = old.length;
  for (const node of again.toReversed()) {
    const wanted = spokenMarks(index, node);
    const start = left;
    let said: number[] = [];
    // Several messages of one side in a row become one.
    while (left > 0 && said.length < wanted.length) said = [...spokenMarks(index, old[--left] ?? 0), ...said];
    if (said.length !== wanted.length || said.some((mark, at) => mark !== wanted[at])) return 0;
    const original = old[left] ?? -1;
    if (start - left === 1) index.own[node] = index.own[original] ?? -1;
  }
  return old.length - left;
}

/** Reports messages on separate lines that are older than an earlier one, as one problem. */
export function orderProblems({ order }: Timeline): Problem[] {
  if (order.late === 0) return [];
  const message =
    order.late === 1
      ? "1 message is older than one in front of it"
      : `${order.late} messages are older than one in front of them`;
  return [{ code: "bad_order", line: order.firstLine, message }];
}

/** A state of the list, preceded by the messages that compactions removed. */
export function withCompacted(timeline: Timeline, list: readonly number[]): number[] {
  const { index, compacted } = timeline;
  const parts: (readonly number[])[] = [];
  const seen = new Set<number>();
  for (let current = list; ; ) {
    parts.push(current);
    const summary = current.find((node) => hasFlag(index, node, FLAG.summary));
    const id = summary === undefined ? -1 : (index.id[summary] ?? -1);
    const taken = compacted.get(id);
    if (taken === undefined || seen.has(id)) break;
    seen.add(id);
    current = taken;
  }
  return parts.reverse().flat();
}

/** The states that became branches: the newest first, without the list as it is now. */
export function* pastStates(timeline: Timeline): Generator<number[], void, void> {
  const lost = lostStates(timeline);
  const { steps } = timeline;
  let list = [...timeline.list];
  for (let at = steps.length - 1; at >= 0; at--) {
    const step = steps[at];
    if (step === undefined) continue;
    list = undo(list, step);
    // Before the first of the steps that leave a state, the list had all messages of that state.
    if (steps[at - 1]?.state !== step.state && lost.has(step.state)) yield [...list];
  }
}

function undo(list: number[], step: ListChange): number[] {
  if (step.type === "replace") {
    list.length = step.length;
    list[step.position] = step.removed[0] ?? 0;
    return list;
  }
  list.length = step.position;
  for (const node of step.removed) list.push(node);
  return list;
}

function lostStates(timeline: Timeline): Set<number> {
  const { index, kept } = timeline;
  const lost = new Set<number>();
  for (const step of timeline.steps) {
    if (!lost.has(step.state) && step.removed.some((node) => isLost(index, node, kept))) lost.add(step.state);
  }
  return lost;
}

function isLost(index: Index, node: number, kept: ReadonlySet<number>): boolean {
  const isSomething = hasFlag(index, node, FLAG.gemini) || hasFlag(index, node, FLAG.user);
  if (!isSomething || hasFlag(index, node, FLAG.context) || kept.has(node)) return false;
  const next = index.next[node] ?? -1;
  return next === -1 || !covers(index, next, node);
}
