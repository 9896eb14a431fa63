/** The state of the fold: plain JSON, so that a transcript can be stored and continued. */

import type { Message, Usage } from "../../model/index.ts";
import type { EventLike } from "../events/index.ts";

/**
 * Why an event left nothing in the transcript: `untold` its type is only for the log, `custom` the
 * application's own or unknown type, `invalid` its payload cannot be read, `pruned` its payload is gone,
 * `late` a part of a message whose final text was there already.
 */
export type LeftOutReason = "untold" | "custom" | "invalid" | "pruned" | "late";

/** Sums of what different events say of the same tokens: the best source that spoke is believed. */
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
  /** Events that were read. */
  readonly events: number;
  /** 0 where none had a sequence. */
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly lastTimestamp: string | null;
  readonly leftOut: Readonly<Record<LeftOutReason, number>>;
  readonly usage: UsageSums;
  /** Fields of the transcript's metadata. */
  readonly state: Readonly<Record<string, unknown>>;
}

/** A call without a result, and the run that made it. */
export type OpenCall = readonly [toolCallId: string, runId: string | null];

export interface FoldState {
  readonly version: 1;
  readonly sessionId: string;
  /** Events up to this sequence were not read: 0 where the log was read from its beginning. */
  readonly after: number;
  /** The number of them that were read all the same: the session's instructions, if a budget needs only the log's end. */
  readonly instructions?: number;
  /** All messages, where a budget left some out of `transcript.messages`. */
  readonly messages?: readonly Message[];
  /** The number of all messages. */
  readonly count: number;
  readonly facts: Facts;
  readonly open: readonly OpenCall[];
  /** Results whose call was not met. */
  readonly waiting: readonly Message[];
  /** Entries without a sequence: they come last, and so are folded again after each update. */
  readonly loose?: LooseState;
}

export interface LooseState {
  readonly events: readonly EventLike[];
  /** The number of messages before them. */
  readonly count: number;
  /** Messages that they changed, as these were before. */
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
