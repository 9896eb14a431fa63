/**
 * The turns of other programs in the session of the conversation: of an editor, a page, or another terminal. Each is
 * reported when it has ended.
 */

import { randomUUID } from "node:crypto";
import type { Talk } from "@continuo/agents/conversations";
import {
  contentBlocks,
  isEvent,
  keepNewest,
  RUN_END_STATUSES,
  RUN_EVENTS,
  type StoredEvent,
  textOf,
} from "@continuo/core/model";
import type { SpokenMessage } from "./last-turns.ts";
import { REPL_LIMITS } from "./limits.ts";

export interface OtherTurns extends Disposable {
  /** Returns the id of a turn of this program, which is not reported; a new one unless it is given. */
  own(runId?: string): string;
  /** Follows the session that the conversation has now. It reports no error: the conversation works without it. */
  follow(): void;
}

/** @param onTurn called with the messages of a turn */
export function createOtherTurns(
  talk: Talk,
  onTurn: (messages: readonly SpokenMessage[]) => void,
): OtherTurns {
  const own = new Set<string>();
  let followed: { readonly sessionId: string; readonly stop: AbortController } | null = null;

  const show = async (sessionId: string, signal: AbortSignal): Promise<void> => {
    const store = await talk.store();
    const turns = new Map<string, SpokenMessage[]>();
    const after = await store.latestSequence(sessionId);
    for await (const event of store.tail(sessionId, { after, signal })) {
      const { runId, type } = event;
      if (runId === undefined || own.has(runId)) continue;
      // Only one program of an agent can have its session open.
      if (type === "run_created") void talk.rest().catch(() => undefined);
      const messages = turns.get(runId) ?? [];
      const said = spokenIn(event);
      if (said !== null && textOf(said.content).trim() !== "" && messages.length < REPL_LIMITS.otherMessages)
        messages.push(said);
      turns.set(runId, messages);
      keepNewest(turns, REPL_LIMITS.otherTurns);
      if (!ENDS.has(type)) continue;
      turns.delete(runId);
      if (messages.length > 0) onTurn(messages);
    }
  };
  return {
    own(runId = randomUUID()) {
      own.add(runId);
      keepNewest(own, REPL_LIMITS.ownRuns);
      return runId;
    },
    follow() {
      const sessionId = talk.session?.sessionId;
      if (sessionId === followed?.sessionId) return;
      followed?.stop.abort();
      followed = null;
      if (sessionId === undefined) return;
      const stop = new AbortController();
      followed = { sessionId, stop };
      // The turns of others are an addition: a store that cannot be followed fails the next turn, which says why.
      void show(sessionId, stop.signal).catch(() => undefined);
    },
    [Symbol.dispose]() {
      followed?.stop.abort();
    },
  };
}

const ENDS: ReadonlySet<string> = new Set(RUN_END_STATUSES.map((status) => RUN_EVENTS[status]));

function spokenIn(event: StoredEvent): SpokenMessage | null {
  if (isEvent(event, "message_sent")) {
    const { role = "user", content } = event.data;
    return role === "user" ? { role, content: contentBlocks(content) } : null;
  }
  if (isEvent(event, "message_received"))
    return { role: "assistant", content: contentBlocks(event.data.content) };
  return null;
}
