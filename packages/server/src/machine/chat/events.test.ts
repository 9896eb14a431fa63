/** The events of a conversation for a page, from its first state to each change. */

import { ContinuoError, type NewEvent } from "@continuo/core/model";
import type { ChatEvent } from "@continuo/core/wire/machine";
import { type OpenedStore, openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createChanges } from "./changes.ts";
import { chatEvents } from "./events.ts";
import type { ChatParts, ChatSession } from "./parts.ts";

const SESSION = "session-1";
const INPUT = [{ type: "text", text: "why?" }] as const;

let store: OpenedStore;
let parts: ChatParts;
let stop: AbortController;
/** The session as its list shows it; `null` while it is not there. */
let listed: ChatSession | null;

beforeEach(async () => {
  store = await openStore("memory:");
  stop = new AbortController();
  await store.createSession({ sessionId: SESSION });
  const named = async (): Promise<ChatSession> => {
    if (listed === null) throw new ContinuoError("not_found", "the session is gone");
    return listed;
  };
  parts = {
    options: { places: {}, named },
    changes: createChanges(),
    chats: new Map(),
    moved: new Map(),
    store: async () => store,
    named,
  } as unknown as ChatParts;
});
afterEach(async () => {
  stop.abort();
  await store.close();
});

function sessionOf(key: string, agent: string, live: boolean | null = null): ChatSession {
  return { key, parentKey: null, row: { agent, sessionId: SESSION, live } } as unknown as ChatSession;
}

const begun = (key: string): AsyncGenerator<ChatEvent> => chatEvents(parts, key, stop.signal);

test("a page with a former key of the session gets the present one", async () => {
  listed = sessionOf("continuo:session-1", "continuo");
  expect(await Array.fromAsync(begun("claude:a"))).toEqual([{ type: "moved", key: "continuo:session-1" }]);
});

test("a page of a native session gets each state once, and follows the session to its new key", async () => {
  listed = sessionOf("claude:a", "claude");
  const events = begun("claude:a");
  expect((await events.next()).value).toMatchObject({ type: "state", state: { agent: "claude" } });
  const next = events.next();
  // Neither the same state nor a session that is missing for a moment is an event.
  for (const one of [listed, null, sessionOf("claude:a", "claude", true)]) {
    listed = one;
    parts.changes.tell();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect((await next).value).toMatchObject({ state: { readOnly: expect.stringContaining("open") } });
  parts.moved.set("claude:a", "continuo:session-1");
  parts.changes.tell();
  expect(await Array.fromAsync(events)).toEqual([{ type: "moved", key: "continuo:session-1" }]);
});

const RUN = { runId: "r1", input: INPUT, agent: "robot" };

/** Begins a run as another process does, which holds the lease of the session. */
async function runBegins(...more: readonly NewEvent[]): Promise<void> {
  await store.acquireLease(`session/${SESSION}`, { owner: "another process", ttlMs: 60_000 });
  await store.append(
    SESSION,
    [
      { type: "run_created", runId: "r1", data: RUN },
      { type: "run_started", runId: "r1", data: { runId: "r1" } },
      ...more,
    ],
    {
      also: [
        { type: "new_run", run: RUN },
        { type: "run", runId: "r1", to: "running" },
      ],
    },
  );
}

const WORDS: NewEvent = { type: "message_received", data: { messageId: "m", content: "Because." } };

test("a page that comes during a turn gets the turn from its beginning", async () => {
  listed = sessionOf("continuo:session-1", "continuo");
  await runBegins(WORDS);
  const events = begun("continuo:session-1");
  const taken = [await events.next(), await events.next(), await events.next()].map(({ value }) => value);
  expect(taken.map(({ type }: ChatEvent) => type)).toEqual(["state", "turn", "messages"]);
  expect(JSON.stringify(taken[2])).toContain("Because.");
});

test("a turn that begins just after a page got the state is not missed", async () => {
  listed = sessionOf("continuo:session-1", "continuo");
  const events = begun("continuo:session-1");
  const types = [(await events.next()).value.type, (await events.next()).value.type];
  await runBegins(WORDS);
  const later: string[] = [];
  while (!later.includes("messages")) later.push((await events.next()).value.type);
  expect([types, later]).toEqual([
    ["state", "turn"],
    ["state", "turn", "messages"],
  ]);
});
