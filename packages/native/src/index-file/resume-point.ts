/**
 * The place at which the text of a grown session continues: after the unchanged turns. A history comes in
 * steps, each with a key for its content; as long as the keys are the same, so are the messages.
 */

import type { Message } from "@continuo/core/model";

/** The messages of a session, by what they are made of. */
export interface TextSteps {
  /** The key of each step; none if that is unknown; then everything is read each time. */
  readonly keys: readonly string[];
  /** True if equal keys stand for the same messages. */
  readonly isContinued: boolean;
  /** Messages that several branches share come once: what was read before is known by their ids. */
  readonly withIds: boolean;
  /** Every message once, in order, from a step on. @param before ids of the messages before it, where `withIds` */
  read(from: number, before: readonly string[]): AsyncIterable<HistoryStep>;
  /** Asked when all was read. `null` if the next fill must read the session as a whole. */
  saved(): SavedSteps | null;
}

export interface HistoryStep {
  readonly step: number;
  readonly messages: readonly Message[];
}

export interface SavedSteps {
  /** The state with which the session is opened the next time, as JSON. */
  readonly scan: unknown;
  /** The number of first steps that do not change while the session only grows. */
  readonly settled: number;
}

/** The steps of a session as the index stores them, as JSON. */
export interface StoredSteps {
  readonly scan: unknown;
  readonly withIds: boolean;
  /** Settled steps: the key of each, and the ids of its messages or their number. */
  readonly steps: readonly (readonly [key: string, messages: number | readonly string[]])[];
  readonly turns: readonly StoredTurnLength[];
}

export type StoredTurnLength = readonly [messages: number, cutChars: number];

export interface ResumePoint {
  /** Turns that stay where they are: whole chunks. */
  readonly stay: number;
  /** Turns that are as they were, these included: taken from the index. */
  readonly turns: number;
  /** The turn after these is as it was too, and may continue. */
  readonly isOpen: boolean;
  /** The turns of the steps before `step`. */
  readonly kept: StoredSteps["steps"];
  /** The step at which reading starts. */
  readonly step: number;
  /** Messages of that step which belong to the turns before. */
  readonly skip: number;
}

export const START_POINT: ResumePoint = { stay: 0, turns: 0, isOpen: false, kept: [], step: 0, skip: 0 };

/** @param stored the turns that are in the index, by their chunks */
export function resumePointOf(
  kept: StoredSteps | null,
  now: TextSteps,
  stored: readonly { readonly chunk: number }[],
): ResumePoint {
  const isOfThese = kept?.turns.length === stored.length && kept.withIds === now.withIds;
  if (kept === null || !isOfThese || !now.isContinued) return START_POINT;
  const other = kept.steps.findIndex(([key], at) => key !== now.keys[at]);
  const same = other === -1 ? kept.steps : kept.steps.slice(0, other);
  const { turns, messages, isOpen } = turnsWithin(kept.turns, same.map(countOf).reduce(plus, 0));
  const { step, skip } = placeOf(same, messages);
  let stay = turns;
  while (stay > 0 && stored[stay]?.chunk === stored[stay - 1]?.chunk) stay -= 1;
  return { stay, turns, isOpen, kept: same.slice(0, step), step, skip };
}

/** A turn ends where another one begins, with a message that is the same; the last one may continue. */
function turnsWithin(
  turns: readonly StoredTurnLength[],
  sameMessages: number,
): { readonly turns: number; readonly messages: number; readonly isOpen: boolean } {
  let messages = 0;
  for (const [at, [count]] of turns.entries()) {
    if (messages + count > sameMessages) return { turns: at, messages, isOpen: false };
    messages += count;
    if (messages === sameMessages) return { turns: at, messages, isOpen: true };
  }
  return { turns: turns.length, messages, isOpen: false };
}

/** Returns the place of a message by its number. */
function placeOf(
  steps: StoredSteps["steps"],
  message: number,
): { readonly step: number; readonly skip: number } {
  let [step, before] = [0, 0];
  for (const each of steps) {
    if (before + countOf(each) > message) break;
    before += countOf(each);
    step += 1;
  }
  return { step, skip: message - before };
}

/** The ids of the messages of some steps; none where they were not kept. */
export function idsOf(steps: StoredSteps["steps"]): string[] {
  return steps.flatMap(([, messages]) => (typeof messages === "number" ? [] : messages));
}

/** Messages that nothing is known of before they are read. */
export function asOneStep(messages: AsyncIterable<Message>): TextSteps {
  return {
    keys: [],
    isContinued: false,
    withIds: false,
    saved: () => null,
    async *read() {
      for await (const message of messages) yield { step: 0, messages: [message] };
    },
  };
}

function countOf([, messages]: StoredSteps["steps"][number]): number {
  return typeof messages === "number" ? messages : messages.length;
}

function plus(a: number, b: number): number {
  return a + b;
}
