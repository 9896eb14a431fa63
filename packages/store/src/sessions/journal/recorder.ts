/** Receives events from the agent for the journal: gathers parts of messages for a moment, and refuses late events. */

import {
  type AgentEvent,
  ContinuoError,
  canonicalJson,
  type ToolOffer,
  toPlainJson,
} from "@continuo/core/model";
import type { JournalEntry } from "./entry.ts";
import { handled, type Journal, offerOf, refused } from "./journal.ts";
import { LIMITS } from "./limits.ts";
import { journalPart } from "./speech.ts";
import { journalEvent, type TurnJournal } from "./turn.ts";

export interface Recorder {
  /** The agent calls it. It never throws, and a rejection of its promise need not be handled. */
  readonly onEvent: (event: AgentEvent) => Promise<void>;
  /** The agent calls it. It stores the tools if they are not those that the agent last offered. */
  readonly onTools: (offer: ToolOffer) => Promise<void>;
  /** Refuses all events from now on. */
  close(): void;
}

export interface RecorderOptions {
  readonly turn: TurnJournal;
  readonly journal: Journal;
  /** Called before the event is stored; if it throws, the agent receives the error, and the event is not stored. */
  readonly inspect: (event: AgentEvent) => void;
  /** Called when an event arrives, before it is stored. */
  readonly onHeard: (event: AgentEvent) => void;
}

export function createRecorder({ turn, journal, inspect, onHeard }: RecorderOptions): Recorder {
  let state: "open" | "closed" = "open";
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    timer = undefined;
    void journal.keep(journalPart(turn.speech), "room");
  };
  /** The agent may use its object again, and getters may return another value the next time. */
  const keepCopy = <T>(told: T, keep: (copy: T) => Promise<void>): Promise<void> => {
    if (state === "closed") return refused(tooLate());
    let copy: T;
    try {
      copy = toPlainJson(told) as T;
    } catch (error) {
      return isObject(told) ? journal.lose(error) : refused(error);
    }
    return keep(copy);
  };
  const keepOffer = async (offer: ToolOffer): Promise<void> => {
    const isKnown = canonicalJson(await journal.offeredTools()) === canonicalJson(offerOf(offer));
    if (state === "closed") throw tooLate();
    if (!isKnown) await journal.keep([{ type: "mode_changed", data: { ...offer } }], "durable");
  };
  const keepEvent = (event: AgentEvent): Promise<void> => {
    let entries: readonly JournalEntry[];
    try {
      inspect(event);
      entries = journalEvent(turn, event);
    } catch (error) {
      // The event is not allowed, or is not an event at all.
      return refused(error);
    }
    const kept = journal.keep(entries, isPart(event) ? "room" : "durable");
    if (turn.speech.waiting === null) clearTimeout(timer);
    if (turn.speech.waiting === null) timer = undefined;
    else timer ??= setTimeout(flush, LIMITS.streamMs);
    onHeard(event);
    return kept;
  };
  return {
    onTools: (told) => keepCopy(told, (offer) => handled(keepOffer(offer))),
    onEvent: (told) => keepCopy(told, keepEvent),
    close: () => {
      state = "closed";
      clearTimeout(timer);
    },
  };
}

function isObject(value: unknown): boolean {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

function isPart({ type }: AgentEvent): boolean {
  return type === "text" || type === "thinking";
}

function tooLate(): ContinuoError {
  return new ContinuoError("interrupted", "cannot store this event: the run has ended");
}
