/** The state of the store of Continuo's own sessions. A check does not create a store. */

import { type OpenOwn, openOwn } from "@continuo/agents/catalog";
import { keyOf } from "@continuo/agents/pages";
import type { Run } from "@continuo/core/model";
import type { HealthRun, MachineHealth } from "@continuo/core/wire/machine";
import { runnerOf } from "@continuo/store/sessions";
import type { Chat } from "./chat/index.ts";
import { MACHINE_LIMITS } from "./limits.ts";
import type { Machine } from "./machine-parts.ts";

export async function healthOf({ options }: Machine, chat: Chat): Promise<MachineHealth> {
  const conversations = chat.openSessions();
  const open = new Set(conversations);
  await using own = await openOwn(options.places);
  if (own === null) return { store: null, running: [], waiting: 0, conversations: open.size };
  const { store } = own;
  const [info, running, waiting] = await Promise.all([
    store.info(),
    store.listRuns({ status: "running", limit: MACHINE_LIMITS.healthRuns }),
    store.listRuns({ status: "pending", limit: MACHINE_LIMITS.healthWaiting }),
  ]);
  const { engine, location, schemaVersion, sessions, runs, events, blobs, sizeBytes } = info;
  return {
    store: { engine, location, schemaVersion, sessions, runs, events, blobs, sizeBytes },
    running: await Promise.all(running.items.map((run) => toHealthRun(run, own, open))),
    waiting: waiting.items.length,
    conversations: open.size,
  };
}

async function toHealthRun(
  { sessionId, agent, startedAt }: Run,
  { store, location }: OpenOwn,
  open: ReadonlySet<string>,
): Promise<HealthRun> {
  const [session, lease] = await Promise.all([store.getSession(sessionId), runnerOf(store, sessionId)]);
  return {
    key: keyOf({ agent: "continuo", sessionId, location: `${location}#${sessionId}` }),
    title: session?.title ?? null,
    agent,
    startedAt,
    runner: lease === null ? "nobody" : open.has(sessionId) ? "this server" : "another process",
    leaseUntil: lease?.expiresAt ?? null,
  };
}
