/**
 * Finds out why a turn failed if the agent records the error only in its session file. Over ACP, such an agent ends a
 * failed turn like a successful one, and sends the error as text of the answer. Such a text is held back until the turn
 * ends. If the session file has the same error, the text is the reason why the turn failed.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { type AgentEvent, type Message, textOf } from "@continuo/core/model";
import type { AcpDescription } from "@continuo/native";
import { retryEvent } from "../link/index.ts";
import type { ReadNewest } from "./recorded-history.ts";

/** The agent writes its file a moment after its answer. */
const TRIES = 20;
const PAUSE_MS = 50;

export interface RecordedErrors {
  /** The events that can be reported now, in their order. */
  pass(events: readonly AgentEvent[]): Promise<readonly AgentEvent[]>;
  /** Returns the text that is still held back, or the reason why the turn failed. */
  end(): Promise<RecordedEnd>;
}

export interface RecordedEnd {
  readonly events: readonly AgentEvent[];
  /** `null` if the turn was answered. */
  readonly reason: string | null;
}

type Text = AgentEvent & { readonly type: "text" };
type ErrorWords = NonNullable<AcpDescription["errorWords"]>;

export function createRecordedErrors(words: ErrorWords, read: ReadNewest): RecordedErrors {
  let waiting: Text | null = null;

  async function reasonOf({ delta }: Text): Promise<string | null> {
    const errors = errorsOf(await read());
    return errors.find((message) => delta === `${words.before}${message}`) ?? null;
  }

  /**
   * Returns the text that is held back. If the session file has it as an error, it is an error from which the agent
   * recovered. In all other cases, it is text of the answer.
   */
  async function passOn(): Promise<readonly AgentEvent[]> {
    if (waiting === null) return [];
    const [event, message] = [waiting, await reasonOf(waiting)];
    waiting = null;
    return [message === null ? event : { type: "error", message, details: event }];
  }

  return {
    async pass(events) {
      const told: AgentEvent[] = [];
      for (const event of events) {
        if (STANDING.has(event.type)) {
          told.push(event);
          continue;
        }
        told.push(...(await passOn()));
        if (event.type !== "text") told.push(event);
        else if (event.delta === words.retry)
          told.push(retryEvent({ why: "the model did not answer", details: { text: event.delta } }));
        else if (event.delta.startsWith(words.before)) waiting = event;
        else told.push(event);
      }
      return told;
    },
    async end() {
      if (waiting === null) return { events: [], reason: null };
      for (let tries = 0; tries < TRIES; tries++) {
        const reason = await reasonOf(waiting);
        if (reason !== null) return { events: [], reason };
        await sleep(PAUSE_MS);
      }
      return { events: await passOn(), reason: null };
    },
  };
}

/** These events say nothing about the answer, and can come at any time. */
const STANDING: ReadonlySet<AgentEvent["type"]> = new Set(["title", "mode", "usage", "plan", "diagnostics"]);

/** The errors since the newest prompt. */
function errorsOf(history: readonly Message[]): readonly string[] {
  const prompt = history.findLastIndex(({ origin }) => origin === "person");
  return history.slice(prompt + 1).flatMap(({ origin, content }) => {
    return origin === "error" ? content.map((block) => textOf([block])) : [];
  });
}
