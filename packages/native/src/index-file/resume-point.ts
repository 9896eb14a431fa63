/**
 * Finds the point at which the text of a grown session continues, after the unchanged turns. A history comes in steps,
 * each with a key for its content; as long as the keys are the same, so are the messages.
 */

import type { Message } from "@continuo/core/model";

/** The messages of a session, in steps. */
export interface TextSteps {
  /** The key of each step; empty if the keys are unknown, and then everything is read each time. */
  readonly keys: readonly string[];
  /** True if equal keys stand for the same messages. */
  readonly isContinued: boolean;
  /** True if messages that several branches share are yielded once, and recognized by their ids. */
  readonly withIds: boolean;
  /**
   * Yields every message once, in order, from a step on.
   *
   * @param before the ids of the messages before that step, if `withIds`
   */
  read(from: number, before: readonly string[]): AsyncIterable<HistoryStep>;
  /** Called after everything was read. Returns `null` if the next fill must read the session as a whole. */
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
  /** The number of turns that keep their position: whole chunks. */
  readonly stay: number;
  /** The number of unchanged turns, including these: they are taken from the index. */
  readonly turns: number;
  /** True if the turn after these is unchanged too, but may continue. */
  readonly isOpen: boolean;
  /** The steps before `step`. */
  readonly kept: StoredSteps["steps"];
  /** The step at which reading starts. */
  readonly step: number;
  /** The number of messages of that step which belong to earlier turns. */
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

/** A turn is complete if the next one begins with an unchanged message; the last turn may continue. */
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

/** The ids of the messages of some steps; none if they were not kept. */
export function idsOf(steps: StoredSteps["steps"]): string[] {
  return steps.flatMap(([, messages]) => (typeof messages === "number" ? [] : messages));
}

/** Treats all messages as one step, if nothing is known before they are read. */
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
