/** The state of the fold: plain JSON, so that a transcript can be stored and continued. */

import type { Message, Usage } from "../../model/index.ts";
import type { EventLike } from "../events/index.ts";

/**
 * Why an event had no effect on the transcript: `untold`: its type is only for the log; `custom`: the type is unknown
 * or the application's own; `invalid`: its payload cannot be read; `pruned`: its payload is gone; `late`: it is a part
 * of a message whose final text had already arrived.
 */
export type LeftOutReason = "untold" | "custom" | "invalid" | "pruned" | "late";

/** Sums of tokens. Several sources can report the same tokens; the sum of the best one that reported any is used. */
export interface UsageSums {
  readonly calls?: Usage;
  /** Sums that a source reported before it started to count again. */
  readonly totalBefore?: Usage;
  readonly total?: Usage;
  readonly messages?: Usage;
  readonly turns?: Usage;
  readonly runs?: Usage;
}

export interface Facts {
  readonly events: number;
  /** 0 if no event had a sequence. */
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly lastTimestamp: string | null;
  readonly leftOut: Readonly<Record<LeftOutReason, number>>;
  readonly usage: UsageSums;
  /** The fields of the transcript's metadata. */
  readonly state: Readonly<Record<string, unknown>>;
}

/** A call without a result, and the run that made it. */
export type OpenCall = readonly [toolCallId: string, runId: string | null];

export interface FoldState {
  readonly version: 1;
  readonly sessionId: string;
  /** The events up to this sequence were not read; 0 if the log was read from its beginning. */
  readonly after: number;
  /**
   * The number of earlier events that were read as well: the instructions, if a budget needs only the end of the log.
   */
  readonly instructions?: number;
  /** All messages, if a budget left some out of `transcript.messages`. */
  readonly messages?: readonly Message[];
  readonly count: number;
  readonly facts: Facts;
  readonly open: readonly OpenCall[];
  /** The results whose call was not read. */
  readonly waiting: readonly Message[];
  /** Entries without a sequence. They come last, so they are folded again after each update. */
  readonly loose?: LooseState;
}

export interface LooseState {
  readonly events: readonly EventLike[];
  /** The number of messages before the entries without a sequence. */
  readonly count: number;
  /** The messages that these entries changed, as they were before. */
  readonly changed: readonly (readonly [position: number, message: Message])[];
}

export const NO_FACTS: Facts = {
  events: 0,
  firstSequence: 0,
  lastSequence: 0,
  lastTimestamp: null,
  leftOut: { untold: 0, custom: 0, invalid: 0, pruned: 0, late: 0 },
  usage: {},
  state: {},
};
