import type { ListedSession } from "@continuo/agents/catalog";
import { CHAT_LIMITS, trashKey } from "@continuo/core/wire/machine";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import type { ChatParts, ChatSession } from "./parts.ts";
import { readOnlyOf, stateOfOwn } from "./state.ts";

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

test("a sub-agent, a session in the trash and one that its agent has open get no prompt", () => {
  const refusal = (more: Partial<ChatSession>, live: boolean | null = null): string | null =>
    readOnlyOf({ key: "claude:a", parentKey: null, row: { agent: "claude", live }, ...more } as ChatSession)
      ?.code ?? null;
  expect([refusal({}), refusal({}, false)]).toEqual([null, null]);
  expect(refusal({ parentKey: "claude:b" })).toBe("unsupported");
  expect(refusal({ key: trashKey("t1") })).toBe("unsupported");
  expect(refusal({}, true)).toBe("session_live");
});

test("prompts that wait are shown up to a limit, and none waits for a process that is gone", async () => {
  await using store = await openStore("memory:");
  const { sessionId } = await store.createSession({});
  const input = [{ type: "text", text: "why?" }] as const;
  for (let n = 0; n < CHAT_LIMITS.waiting + 5; n++) {
    const runId = `r${n}`;
    await store.append(sessionId, [{ type: "run_created", runId, data: { runId, input, agent: "robot" } }], {
      also: [{ type: "new_run", run: { runId, input, agent: "robot" } }],
    });
  }
  const options = { places: {} };
  const parts = { chats: new Map(), store: async () => store, options } as unknown as ChatParts;
  const row = { agent: "continuo", sessionId, live: null } as unknown as ListedSession;
  const named = { key: `continuo:${sessionId}`, row, parentKey: null } as unknown as ChatSession;
  const waiting = async (): Promise<number> => (await stateOfOwn(parts, named, AGENTS)).state.waiting.length;
  expect(await waiting()).toBe(0);
  await store.acquireLease(`session/${sessionId}`, { owner: "another process", ttlMs: 60_000 });
  expect(await waiting()).toBe(CHAT_LIMITS.waiting);
});
