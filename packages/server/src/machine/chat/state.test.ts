import type { ListedSession } from "@continuo/agents/catalog";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import type { ChatParts, ChatSession } from "./parts.ts";
import { stateOfOwn } from "./state.ts";

const AGENTS = { names: ["robot"], problem: null };

test("a turn runs while a process holds the lease of its session, and was interrupted when none does", async () => {
  await using store = await openStore("memory:");
  const { sessionId } = await store.createSession({});
  const input = [{ type: "text", text: "why?" }] as const;
  const runId = "r1";
  await store.append(
    sessionId,
    [
      { type: "run_created", runId, data: { runId, input, agent: "robot" } },
      { type: "run_started", runId, data: { runId } },
    ],
    {
      also: [
        { type: "new_run", run: { runId, input, agent: "robot" } },
        { type: "run", runId, to: "running" },
      ],
    },
  );
  const options = { places: {} };
  const parts = { chats: new Map(), store: async () => store, options } as unknown as ChatParts;
  const row = { agent: "continuo", sessionId, live: null } as unknown as ListedSession;
  const named = { key: `continuo:${sessionId}`, row, parentKey: null } as unknown as ChatSession;
  const stateNow = async () => (await stateOfOwn(parts, named, AGENTS)).state;
  const lease = await store.acquireLease(`session/${sessionId}`, { owner: "another process", ttlMs: 60_000 });
  expect(await stateNow()).toMatchObject({ running: { runId }, unanswered: [] });
  await store.releaseLease(lease);
  expect(await stateNow()).toMatchObject({
    running: null,
    unanswered: [{ runId, status: "interrupted", message: "the process that ran it has ended" }],
  });
});
