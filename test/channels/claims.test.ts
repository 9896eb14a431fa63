/**
 * A process crashes between the writes of a claim, or of the end of a run: run, input and cursor are written together
 * or not at all.
 */

import type { Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { claimInput, endRun, openChannel, participantSession, takeHandle } from "@continuo/store/channels";
import { expect, test } from "vitest";
import { withCalls } from "../intercepted.ts";

const PLACE = { channel: "team", handle: "bot" };
const LOG = "channels/team";
const CARD = { instance: "i", handle: "bot", name: "bot", type: "agent", capabilities: [] };
const WRITES: readonly string[] = ["append", "createSession", "createLog", "updateSession", "commitCursor"];

/** A store whose process ends before its write number `crashAt`. */
function crashing(store: Store, crashAt: number): { readonly store: Store; readonly writes: () => number } {
  let writes = 0;
  const crashed = withCalls(store, ({ method, proceed }) => {
    if (WRITES.includes(method) && writes++ >= crashAt) throw new Error("the process ended");
    return proceed();
  });
  return { store: crashed, writes: () => writes };
}

async function stateOf(store: Store): Promise<object> {
  const sessionId = participantSession(PLACE);
  const cursor = async (name: string) => (await store.getCursor({ logId: LOG, name }))?.sequence ?? 0;
  const events = (await store.getLog(sessionId)) === null ? [] : (await store.read(sessionId)).events;
  return {
    runs: (await store.listRuns({ sessionId })).items.map(({ status }) => status),
    said: events.filter(({ type }) => /^run_|^message_/u.test(type)).map(({ type }) => type),
    received: await cursor("received/bot"),
    processed: await cursor("processed/bot"),
  };
}

const NOTHING = { runs: [], said: [], received: 0, processed: 0 };
const CLAIMED = {
  runs: ["running"],
  said: ["run_created", "run_started", "message_sent"],
  received: 1,
  processed: 0,
};

/** Opens a channel with one input, and the agent that has the handle. */
async function prepared() {
  const store = await openStore("memory:");
  await openChannel(store, "team");
  const actor = { kind: "person", id: "ann" } as const;
  await store.append(LOG, [{ type: "message_sent", actor, data: { content: "@bot hello" } }]);
  const fence = await takeHandle(store, PLACE, { card: CARD });
  const claim = { place: PLACE, fence, sequence: 1, instance: "i", agent: "echo" };
  return { store, fence, claim };
}

test("a process that ends while it claims an input leaves run, input and received cursor, or none of them", async () => {
  const seen = new Set<string>();
  for (let crashAt = 0; ; crashAt++) {
    const { store, claim } = await prepared();
    const broken = crashing(store, crashAt);
    const ended = await claimInput(broken.store, claim).then(
      () => "claimed",
      () => "crashed",
    );
    const state = await stateOf(store);
    expect([NOTHING, CLAIMED]).toContainEqual(state);
    seen.add(JSON.stringify(state));
    await store.close();
    if (ended === "claimed") break;
  }
  expect(seen.size).toBe(2);
});

test("a process that ends while it ends a run leaves run, answer and processed cursor, or none of them", async () => {
  const done = {
    runs: ["completed"],
    said: [...CLAIMED.said, "message_received", "run_completed"],
    received: 1,
    processed: 1,
  };
  const seen = new Set<string>();
  for (let crashAt = 0; ; crashAt++) {
    const { store, fence, claim } = await prepared();
    const { runId } = await claimInput(store, claim);
    const broken = crashing(store, crashAt);
    const end = { place: PLACE, fence, runId: runId ?? "", status: "completed", answer: "hi" } as const;
    const ended = await endRun(broken.store, end).then(
      () => "ended",
      () => "crashed",
    );
    const state = await stateOf(store);
    expect([CLAIMED, done]).toContainEqual(state);
    seen.add(JSON.stringify(state));
    await store.close();
    if (ended === "ended") break;
  }
  expect(seen.size).toBe(2);
});
