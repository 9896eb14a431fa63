/**
 * Sends the events of a chat to a page: the state, the running turn from its beginning, and then everything that
 * happens.
 */

import { isOwn } from "@continuo/agents/catalog";
import { isContinuoError, type StoredEvent } from "@continuo/core/model";
import type { ChatEvent, ChatState } from "@continuo/core/wire/machine";
import { withChanges } from "./changes.ts";
import { LIVE_LIMITS } from "./limits.ts";
import { type LiveTurn, openLiveTurn } from "./live-turn.ts";
import type { ChatParts, ChatSession } from "./parts.ts";
import { RUN_EVENT_TYPES } from "./runs.ts";
import { agentsOf, stateOfNative, stateOfOwn } from "./state.ts";

/** Ends when the signal aborts, or when the session no longer exists. */
export async function* chatEvents(
  parts: ChatParts,
  key: string,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  const named = await parts.named(key, signal);
  if (named.key !== key) yield { type: "moved", key: named.key };
  else if (isOwn(named.row)) yield* ofOwn(parts, named, signal);
  else yield* ofNative(parts, named, signal);
}

/** Returns a function that makes an event only for a state that differs from the last one. */
function createNews(): (state: ChatState) => readonly ChatEvent[] {
  let told = "";
  return (state) => {
    const text = JSON.stringify(state);
    if (text === told) return [];
    told = text;
    return [{ type: "state", state }];
  };
}

async function* ofNative(
  parts: ChatParts,
  { key, row }: ChatSession,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  const { options, moved, changes } = parts;
  const agents = await agentsOf(parts, row);
  const news = createNews();
  yield* news(stateOfNative(await options.named(key, signal), agents));
  for await (const _ of withChanges(nothing(signal), changes, LIVE_LIMITS.lookMs)) {
    const next = moved.get(key);
    if (next !== undefined) return yield { type: "moved", key: next };
    try {
      yield* news(stateOfNative(await options.named(key, signal), agents));
    } catch (error) {
      if (!isContinuoError(error, "not_found")) throw error;
      // The session may be about to get its new key.
    }
  }
}

async function* ofOwn(parts: ChatParts, first: ChatSession, signal: AbortSignal): AsyncGenerator<ChatEvent> {
  const { store: open, changes, options } = parts;
  const { key, row } = first;
  const { sessionId } = row;
  const store = await open();
  const agents = await agentsOf(parts, row);
  const news = createNews();
  const look = async (): ReturnType<typeof stateOfOwn> =>
    await stateOfOwn(parts, await options.named(key, signal), agents);
  const begin = (startedAt: number): Promise<LiveTurn> =>
    openLiveTurn(store, sessionId, { after: startedAt - 1, key });
  const head = await store.latestSequence(sessionId);
  const { state, running } = await look();
  yield* news(state);
  yield { type: "turn" };
  let turn = running === null || running.startedAt === null ? null : await begin(running.startedAt);
  if (turn !== null) yield* await turn.news();
  const tail = store.tail(sessionId, { after: head, signal })[Symbol.asyncIterator]();
  for await (const item of withChanges<StoredEvent>(tail, changes, LIVE_LIMITS.lookMs)) {
    if (item === "changed") {
      yield* news((await look()).state);
      continue;
    }
    const { sequence, type } = item;
    if (type === "run_started" && (turn === null || sequence > turn.upTo)) {
      turn = await begin(sequence);
      // The state is sent first, so that a page does not think that the new turn has already ended.
      yield* news((await look()).state);
      yield { type: "turn" };
    }
    // The turn is sent before the state, because the state may report its end only after the whole turn was sent.
    if (turn !== null && sequence > turn.upTo) yield* await turn.news(sequence);
    if (STATE_EVENTS.has(type)) yield* news((await look()).state);
  }
}

/** Events after which the state may differ. */
const STATE_EVENTS: ReadonlySet<string> = new Set([
  ...RUN_EVENT_TYPES,
  "session_updated",
  "approval_requested",
  "approval_resolved",
]);

/** Yields nothing, and ends when the signal aborts. */
async function* nothing(signal: AbortSignal): AsyncGenerator<never> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
