/** Shows an editor the turns of other programs in its open session, each after its end. */

import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { openOwn } from "@continuo/agents/catalog";
import {
  type Message,
  RUN_END_STATUSES,
  RUN_EVENTS,
  type Store,
  type StoredEvent,
} from "@continuo/core/model";
import { TranscriptBuilder } from "@continuo/core/transcript";
import type { PlacesAt } from "@continuo/files";
import type { CallIds } from "./call-ids.ts";
import { findSession } from "./look-up.ts";
import { replayOf } from "./replay.ts";

export interface FollowOptions {
  readonly places: PlacesAt;
  /** True for a run of this connection, which is shown while it happens. */
  readonly isOwn: (runId: string) => boolean;
  readonly ids: () => CallIds;
  readonly showsCompactions: boolean;
  /** Called when another program begins a turn, for which it needs the agent's session. */
  readonly onBegin: () => void;
  readonly show: (update: SessionUpdate) => Promise<void>;
  readonly signal: AbortSignal;
}

const BEGIN = "run_created";
const ENDS: readonly string[] = RUN_END_STATUSES.map((status) => RUN_EVENTS[status]);

/** Ends when the signal aborts, or when the session is gone. A native session that was never imported has no log to follow. */
export async function followTurnsOfOthers(id: string, options: FollowOptions): Promise<void> {
  const { places, isOwn, ids, showsCompactions, onBegin, show, signal } = options;
  const { hit } = await findSession(id, places);
  if (hit.kind === "native") return;
  await using own = await openOwn(places);
  if (own === null) return;
  const { sessionId } = hit.row;
  const after = await own.store.latestSequence(sessionId);
  // A turn that began earlier also waits for this connection.
  const live = await own.store.listRuns({ sessionId, status: ["pending", "running"] });
  if (live.items.some(({ runId }) => !isOwn(runId))) onBegin();
  const wanted = { after, types: [BEGIN, ...ENDS], signal } as const;
  for await (const { runId, type } of own.store.tail(sessionId, wanted)) {
    if (runId === undefined || isOwn(runId)) continue;
    if (type === BEGIN) {
      onBegin();
      continue;
    }
    const messages = await messagesOf(own.store, sessionId, runId);
    for await (const update of replayOf(messages, { ids: ids(), showsCompactions, isLive: false })) {
      await show(update);
    }
  }
}

/** The messages of one run, its calls and their results. */
async function messagesOf(store: Store, sessionId: string, runId: string): Promise<readonly Message[]> {
  const events: StoredEvent[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: Awaited<ReturnType<Store["read"]>> = await store.read(sessionId, { runId, after });
    events.push(...page.events);
    after = page.nextAfter;
  }
  return TranscriptBuilder.fromEvents(events, { sessionId }).messages;
}
