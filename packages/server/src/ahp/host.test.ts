/**
 * The host keeps its promises to the server that it belongs to: it never rejects by itself, and follows a bounded
 * number of sessions.
 */

import { ContinuoError } from "@continuo/core/model";
import type { MachineService } from "@continuo/core/wire/machine";
import { afterEach, expect, test, vi } from "vitest";
import { AhpHost } from "./host.ts";
import { LIMITS } from "./limits.ts";
import { ROOT_CHANNEL, type RootState, STATUS } from "./protocol.ts";
import { toChatUri } from "./uris.ts";

let host: AhpHost | null = null;
afterEach(() => host?.close());

const NO_TURNS = { running: null, waiting: [], unanswered: [], questions: [], readOnly: null };
const NO_SESSIONS = { sessions: [], agents: [], nextCursor: null };

function hostOver(
  machine: Partial<Record<keyof MachineService, unknown>>,
  { now = Date.now, report = () => undefined }: { now?: () => number; report?: (line: string) => void } = {},
): AhpHost {
  const chat = { agentsIn: async () => ({ cwd: "/", agents: [], agent: null }) };
  const service = { sessions: async () => NO_SESSIONS, chat, ...machine } as unknown as MachineService;
  host = new AhpHost({ machine: service, now, report });
  return host;
}

test("a list that cannot be read is reported, and followed again", async () => {
  let looks = 0;
  const reported: string[] = [];
  const machine = {
    async *changed(signal: AbortSignal) {
      looks += 1;
      if (looks === 1) throw new Error("the disk is full");
      yield { sessions: [], gone: [] };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  };
  const rejected = vi.fn();
  process.on("unhandledRejection", rejected);
  try {
    await hostOver(machine, { report: (line) => reported.push(line) }).snapshot(ROOT_CHANNEL);
    await expect.poll(() => looks, { timeout: 10_000 }).toBe(2);
    expect(reported).toEqual(["the list of sessions cannot be read: the disk is full"]);
    expect(rejected).not.toHaveBeenCalled();
  } finally {
    process.off("unhandledRejection", rejected);
  }
});

test("a list of more sessions than one page of the machine has all of them", async () => {
  const row = (at: number) => ({
    key: `claude:${at}`,
    agent: "claude",
    title: `Number ${at}`,
    place: null,
    cwd: null,
    updatedAt: `2026-01-01T00:00:0${at}.000Z`,
    problems: [],
    forkedFrom: null,
  });
  const machine = {
    sessions: async ({ cursor }: { readonly cursor?: string }) =>
      cursor === undefined
        ? { ...NO_SESSIONS, sessions: [row(3), row(2)], nextCursor: "rest" }
        : { ...NO_SESSIONS, sessions: cursor === "rest" ? [row(1)] : [] },
  };
  const listed = await hostOver(machine).list();
  expect(listed.map(({ title }) => title)).toEqual(["Number 3", "Number 2", "Number 1"]);
});

test("sessions that nobody reads are dropped to make room, and sessions that somebody reads or just requested are not", async () => {
  let nowMs = 1_000_000;
  const machine = {
    known: () => Promise.reject(new ContinuoError("not_found", "there is no such session")),
    chat: { agentsIn: async (cwd: string) => ({ cwd, agents: ["claude"], agent: "claude" }) },
  };
  const own = hostOver(machine, { now: () => nowMs });
  const open = async (n: number): Promise<unknown> => {
    await own.create(`claude:/draft-${n}`, { provider: "claude", folder: "/work" });
    return await own.feedOf(`claude:/draft-${n}`);
  };
  const [first, second] = [await open(0), await open(1)];
  const channels = new Set(["claude:/draft-0"]);
  own.join({ clientId: "editor", channels, notify: () => undefined });
  // A client may read the chat of a session only.
  const chats = new Set([toChatUri("claude:/draft-1")]);
  own.join({ clientId: "reader", channels: chats, notify: () => undefined });
  for (let n = 2; n < LIMITS.sessions; n++) await open(n);
  await expect(open(-1)).rejects.toMatchObject({ code: "busy" });
  nowMs += LIMITS.openingMs + 1;
  await own.feedOf("claude:/draft--1");
  expect(await own.feedOf("claude:/draft-0")).toBe(first);
  expect(await own.feedOf("claude:/draft-1")).toBe(second);
});

test("the root has the agents with which a session can begin, and the sessions are shown without them", async () => {
  const known = { createdAt: null, updatedAt: null, live: null, costUsd: null, forkedFrom: null };
  const row = { key: "pi:1", agent: "pi", sessionId: "1", title: "x", place: null, archived: false };
  const sessions = [{ ...row, ...known, cwd: null, gitBranch: null, problems: [] }];
  const machine = { changed: () => [], sessions: async () => ({ ...NO_SESSIONS, sessions }) };
  const reported: string[] = [];
  const report = (line: string): void => void reported.push(line);
  const agentsOf = async (agentsIn: () => Promise<object>): Promise<readonly string[]> => {
    const own = hostOver({ ...machine, chat: { agentsIn } }, { report });
    const take = await own.snapshot(ROOT_CHANNEL);
    expect((await own.list()).map(({ title }) => title)).toEqual(["x"]);
    const { agents } = take().state as RootState;
    own.close();
    return agents.map(({ provider }) => provider);
  };
  expect(await agentsOf(async () => ({ agents: ["codex", "mine"] }))).toEqual(["continuo", "codex", "mine"]);
  expect(reported).toEqual([]);
  expect(await agentsOf(() => Promise.reject(new Error("continuo.yaml is wrong")))).toEqual(["continuo"]);
  expect(reported).toEqual(["the agents for new sessions are not known: continuo.yaml is wrong"]);
});

test("an agent with its first session is added to the agents that clients have, and to the state of the root", async () => {
  const row = {
    key: "pi:1",
    agent: "pi",
    sessionId: "1",
    title: "x",
    place: null,
    archived: false,
    problems: [],
  };
  const known = {
    createdAt: null,
    updatedAt: null,
    cwd: null,
    gitBranch: null,
    live: null,
    costUsd: null,
    forkedFrom: null,
  };
  const begun = Promise.withResolvers<void>();
  const machine = {
    async *changed(signal: AbortSignal) {
      await begun.promise;
      yield { sessions: [{ ...row, ...known }], gone: [] };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  };
  const own = hostOver(machine);
  const told: { readonly action?: object }[] = [];
  const notify = (_method: string, params: object): void => void told.push(params);
  own.join({ clientId: "editor", channels: new Set([ROOT_CHANNEL]), notify });
  const take = await own.snapshot(ROOT_CHANNEL);
  begun.resolve();
  await expect.poll(() => told.flatMap(({ action }) => action ?? [])).toHaveLength(1);
  const [changed] = told.flatMap(({ action }) => action ?? []);
  const { agents } = take().state as RootState;
  expect(agents.map(({ provider }) => provider)).toEqual(["continuo", "pi"]);
  expect(changed).toEqual({ type: "root/agentsChanged", agents });
});

test("a client that knew a session before it was read again gets a new state in place of the actions", async () => {
  const machine = {
    known: () => Promise.reject(new ContinuoError("not_found", "there is no such session")),
    chat: { agentsIn: async (cwd: string) => ({ cwd, agents: ["claude"], agent: "claude" }) },
  };
  const own = hostOver(machine);
  const before = own.serverSeq;
  await own.create("claude:/draft", { provider: "claude", folder: "/work" });
  await own.feedOf("claude:/draft");
  const reader = { clientId: "editor", channels: new Set(["claude:/draft"]), notify: () => undefined };
  expect(own.missedBy(reader, before)).toBeNull();
  expect(own.missedBy(reader, own.serverSeq)).toEqual([]);
});

test.each([
  ["is still in the list", []],
  ["left the list", ["claude:1"]],
])(
  "a session that gets another key while a prompt is sent stays one row, if the earlier key %s",
  async (_, gone) => {
    const facts = { agent: "claude", title: "x", place: null, archived: false, cwd: null, updatedAt: null };
    const none = {
      createdAt: null,
      gitBranch: null,
      live: null,
      costUsd: null,
      forkedFrom: null,
      problems: [],
    };
    const rowOf = (key: string) => ({ ...facts, ...none, key, sessionId: "1" });
    const sent = Promise.withResolvers<void>();
    const untilOver = (signal: AbortSignal) =>
      new Promise((resolve) => signal.addEventListener("abort", resolve));
    const machine = {
      sessions: async () => ({ ...NO_SESSIONS, sessions: [rowOf("claude:1")] }),
      known: async () => ({ session: rowOf("claude:1") }),
      history: async () => ({ messages: [], hasOlder: false, position: null }),
      chat: {
        agentsIn: async () => ({ agents: [] }),
        async *events(_key: string, signal: AbortSignal) {
          yield { type: "state", state: NO_TURNS };
          await untilOver(signal);
        },
      },
      async *changed(signal: AbortSignal) {
        await sent.promise;
        yield { sessions: [rowOf("continuo:2")], gone };
        await untilOver(signal);
      },
    };
    const own = hostOver(machine);
    const rows = new Set(["claude:/1"]);
    const seen: string[] = [];
    const notify = (method: string, params: object): void => {
      const { summary, session = "" } = params as { summary?: { resource: string }; session?: string };
      if (method === "root/sessionAdded") rows.add(summary?.resource ?? "");
      if (method === "root/sessionRemoved") rows.delete(session);
      seen.push([...rows].join());
    };
    own.join({ clientId: "editor", channels: new Set([ROOT_CHANNEL]), notify });
    await own.snapshot(ROOT_CHANNEL);
    const feed = await own.feedOf("claude:/1");
    const message = { text: "go on", origin: { kind: "user" } };
    await feed.begin(
      { type: "chat/turnStarted", turnId: "t", startedAt: "2026-01-01T00:00:00.000Z", message },
      {
        async send() {
          sent.resolve();
          await expect.poll(() => seen.some((at) => at.includes("continuo:/2"))).toBe(true);
          return { key: "continuo:2", runId: "run" };
        },
      },
    );
    expect([...rows]).toEqual(["claude:/1"]);
  },
);

test("the list shows that a turn runs and that it has ended, also if no row of the machine tells it", async () => {
  const row = { key: "claude:1", agent: "claude", sessionId: "1", title: "x", place: null, archived: false };
  const known = { createdAt: null, updatedAt: null, live: null, costUsd: null, forkedFrom: null };
  const session = { ...row, ...known, cwd: null, gitBranch: null, problems: [] };
  const run = {
    runId: "run",
    status: "running",
    agent: "claude",
    text: "go on",
    at: "2026-01-01",
    message: null,
  };
  const ended = Promise.withResolvers<void>();
  const untilOver = (signal: AbortSignal) =>
    new Promise((resolve) => signal.addEventListener("abort", resolve));
  const machine = {
    sessions: async () => ({ ...NO_SESSIONS, sessions: [session] }),
    known: async () => ({ session }),
    history: async () => ({ messages: [], hasOlder: false, position: null }),
    growth: () => [],
    chat: {
      agentsIn: async () => ({ agents: [] }),
      async *events(_key: string, signal: AbortSignal) {
        yield { type: "state", state: NO_TURNS };
        yield { type: "state", state: { ...NO_TURNS, running: run } };
        await ended.promise;
        yield { type: "state", state: NO_TURNS };
        await untilOver(signal);
      },
    },
    // The row comes before the chat takes the end of the turn, and never again.
    async *changed(signal: AbortSignal) {
      await ended.promise;
      yield { sessions: [session], gone: [] };
      await untilOver(signal);
    },
  };
  const own = hostOver(machine);
  const told: object[] = [];
  const notify = (method: string, params: object): void => {
    if (method === "root/sessionSummaryChanged") told.push(params);
  };
  own.join({ clientId: "editor", channels: new Set([ROOT_CHANNEL]), notify });
  await own.snapshot(ROOT_CHANNEL);
  await own.feedOf("claude:/1");
  const rowIs = (status: number): object => ({
    channel: ROOT_CHANNEL,
    session: "claude:/1",
    changes: { status: status | STATUS.isRead },
  });
  await expect.poll(() => told).toEqual([rowIs(STATUS.inProgress)]);
  const listed = async (): Promise<unknown> => (await own.list())[0]?.status;
  expect(await listed()).toBe(STATUS.inProgress | STATUS.isRead);
  ended.resolve();
  await expect.poll(() => told).toEqual([rowIs(STATUS.inProgress), rowIs(STATUS.idle)]);
  expect(await listed()).toBe(STATUS.idle | STATUS.isRead);
});
