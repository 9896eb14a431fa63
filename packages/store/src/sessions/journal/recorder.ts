/** Between the agent and the journal: gathers parts of messages for a moment, and refuses late events. */

import { type AgentEvent, ContinuoError, toPlainJson } from "@continuo/core/model";
import type { JournalEntry } from "./entry.ts";
import { type Journal, refused } from "./journal.ts";
import { LIMITS } from "./limits.ts";
import { journalPart } from "./speech.ts";
import { journalEvent, type TurnJournal } from "./turn.ts";

export interface Recorder {
  /** The agent calls it. It never throws, and a rejection that nobody waits for does no harm. */
  readonly onEvent: (event: AgentEvent) => Promise<void>;
  /** From now on nothing is heard. */
  close(): void;
}

export interface RecorderOptions {
  readonly turn: TurnJournal;
  readonly journal: Journal;
  /** Looks at the event before it is kept; what it throws is the agent's answer, and the event is not kept. */
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
  return {
    onEvent: (told) => {
      if (state === "closed") return refused(tooLate());
      let event: AgentEvent;
      try {
        // The agent may use its object again, and getters may give something else the next time.
        event = toPlainJson(told) as AgentEvent;
      } catch (error) {
        return isObject(told) ? journal.lose(error) : refused(error);
      }
      let entries: readonly JournalEntry[];
      try {
        inspect(event);
        entries = journalEvent(turn, event);
      } catch (error) {
        // Not allowed, or no event at all.
        return refused(error);
      }
      const kept = journal.keep(entries, isPart(event) ? "room" : "durable");
      if (turn.speech.waiting === null) clearTimeout(timer);
      if (turn.speech.waiting === null) timer = undefined;
      else timer ??= setTimeout(flush, LIMITS.streamMs);
      onHeard(event);
      return kept;
    },
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
