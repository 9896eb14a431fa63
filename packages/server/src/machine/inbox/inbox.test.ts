import { join } from "node:path";
import type { ListedSession } from "@continuo/agents/catalog";
import type { Store } from "@continuo/core/model";
import type { MachineInbox, MachineSession } from "@continuo/core/wire/machine";
import type { PlacesAt } from "@continuo/files";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { type Changes, type Chat, createChanges } from "../chat/index.ts";
import { createInbox } from "./inbox.ts";
import { INBOX_LIMITS } from "./limits.ts";

/** Later than the start of every inbox of these tests, and too late for a session to count as being written now. */
const AFTER = "2031-01-01T00:00:00.000Z";
const LATER = "2031-01-02T00:00:00.000Z";

let places: PlacesAt;
let store: Store;
let changes: Changes;
let rows: Map<string, { readonly row: ListedSession; readonly shown: MachineSession }>;
let inbox: MachineInbox;
beforeEach(async () => {
  const home = scratchFolder("inbox");
  places = { home, cwd: home, env: { CONTINUO_HOME: join(home, ".continuo") } };
  store = await openStore(`sqlite:${join(home, ".continuo/continuo.db")}`);
  changes = createChanges();
  rows = new Map();
  inbox = inboxWith({});
});
afterEach(async () => {
  await store.close();
});

function inboxWith(chat: Partial<Chat>): MachineInbox {
  const none = { openSessions: () => [], openQuestions: () => new Map(), changes };
  return createInbox({
    places,
    chat: { ...none, ...chat } as unknown as Chat,
    rows: async () => rows,
    lastWords: (some) => some.map(() => null),
  });
}

/** A row of the list, which replaces the row with its key. */
function list(key: string, more: Partial<MachineSession>): void {
  const [agent = "", sessionId = ""] = key.split(":");
  const session = { key, agent, sessionId, title: key, cwd: "/", updatedAt: null, live: null, ...more };
  const shown = session as unknown as MachineSession;
  rows.set(key, { row: session as unknown as ListedSession, shown });
}

async function now(from: MachineInbox = inbox): ReturnType<MachineInbox["now"]> {
  return await from.now(new AbortController().signal);
}

function keysOf(items: readonly { readonly session: { readonly key: string } }[]): readonly string[] {
  return items.map(({ session }) => session.key);
}

/** One of Continuo's own sessions in which a turn of this process runs. */
async function runTurn(title: string): Promise<{ readonly key: string; readonly sessionId: string }> {
  const { sessionId } = await store.createSession({ title });
  const runId = `run-${title}`;
  await store.createRun({ sessionId, runId, input: [{ type: "text", text: "x" }], agent: "robot" });
  await store.append(sessionId, [{ type: "run_started", data: { runId }, runId }], {
    also: [{ type: "run", runId, to: "running" }],
  });
  await store.acquireLease(`session/${sessionId}`, { owner: "test", ttlMs: 60_000 });
  return { key: `continuo:${sessionId}`, sessionId };
}

test("a turn that Continuo drives is listed once, even while its session is open in its agent", async () => {
  const { key } = await runTurn("busy");
  list(key, { live: true, updatedAt: AFTER });
  expect(await now()).toMatchObject({
    running: [{ session: { key }, runner: "another process", agent: "robot" }],
    unseen: 0,
  });
});

test("a session with an open question is listed as asking and not as running", async () => {
  const { key, sessionId } = await runTurn("asking");
  list(key, { updatedAt: AFTER });
  const question = { approvalId: "a" } as never;
  const state = await now(inboxWith({ openQuestions: () => new Map([[sessionId, [question]]]) }));
  expect([keysOf(state.asks), state.running, state.unseen]).toEqual([[key], [], 0]);
});

test("a running session is not listed as unseen, and the newest running session comes first", async () => {
  list("claude:first", { live: true, updatedAt: AFTER });
  list("claude:last", { live: true, updatedAt: LATER });
  const { running, unseen } = await now();
  expect([keysOf(running), unseen]).toEqual([["claude:last", "claude:first"], 0]);
});

test("a file that was written a moment ago counts as running unless its agent says that it is closed", async () => {
  const updatedAt = new Date().toISOString();
  list("gemini:asked", { live: false, updatedAt });
  list("gemini:unknown", { live: null, updatedAt });
  list("gemini:ahead", { live: null, updatedAt: AFTER });
  const { running } = await now();
  expect(running).toMatchObject([{ session: { key: "gemini:unknown" }, runner: "unknown" }]);
});

test("the number of unseen sessions includes those that are not listed", async () => {
  const count = INBOX_LIMITS.listed + 3;
  for (let at = 0; at < count; at += 1) list(`claude:${at}`, { updatedAt: AFTER });
  const { finished, unseen } = await now();
  expect([finished.length, unseen]).toEqual([INBOX_LIMITS.listed, count]);
});

test("a session that changed after a person viewed it is unseen again", async () => {
  list("claude:a", { updatedAt: AFTER });
  await inbox.see({ keys: ["claude:a"] });
  expect((await now()).unseen).toBe(0);
  list("claude:a", { updatedAt: LATER });
  expect(keysOf((await now()).finished)).toEqual(["claude:a"]);
});

test("the end of a turn is read again when its session changed", async () => {
  const { key, sessionId } = await runTurn("mended");
  const end = async (runId: string, type: "run_failed" | "run_completed"): Promise<void> => {
    const data = type === "run_failed" ? { runId, error: { code: "invalid", message: "no key" } } : { runId };
    await store.append(sessionId, [{ type, data, runId }], {
      also: [{ type: "run", runId, to: type === "run_failed" ? "failed" : "completed" }],
    });
  };
  await end("run-mended", "run_failed");
  list(key, { updatedAt: AFTER });
  expect(await now()).toMatchObject({ failed: [{ session: { key } }], finished: [] });
  await store.createRun({ sessionId, runId: "again", input: [{ type: "text", text: "x" }], agent: "robot" });
  await store.append(sessionId, [{ type: "run_started", data: { runId: "again" }, runId: "again" }], {
    also: [{ type: "run", runId: "again", to: "running" }],
  });
  await end("again", "run_completed");
  list(key, { updatedAt: LATER });
  expect(await now()).toMatchObject({ failed: [], finished: [{ session: { key } }] });
});

test.each([
  ["a session was viewed", { keys: ["claude:a"] }],
  ["all sessions were marked as viewed", { all: true }],
] as const)("pages that follow the inbox learn at once that %s", async (_, request) => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  try {
    list("claude:a", { updatedAt: AFTER });
    const stop = new AbortController();
    const states = inbox.events(stop.signal)[Symbol.asyncIterator]();
    expect((await states.next()).value).toMatchObject({ unseen: 1 });
    const next = states.next();
    await inbox.see(request);
    expect((await next).value).toMatchObject({ unseen: 0 });
    stop.abort();
  } finally {
    vi.useRealTimers();
  }
});
