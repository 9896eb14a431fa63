/**
 * Every public function that takes a signal rejects with `cancelled` if the signal is aborted. The compiler asks for a
 * line for each function of an entry point, and each method of the objects that they return, that takes a signal.
 */

import { cpSync } from "node:fs";
import { join } from "node:path";
import * as agents from "@continuo/agents";
import type * as modelAgent from "@continuo/agents/model-agent";
import * as client from "@continuo/core/client";
import type * as clientLive from "@continuo/core/client/live";
import type * as transcript from "@continuo/core/transcript";
import * as live from "@continuo/live";
import type * as server from "@continuo/server";
import * as storeEntry from "@continuo/store";
import type * as testing from "@continuo/store/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { METHODS } from "../packages/store/src/store/method-options.ts";
import * as continuo from "../src/index.ts";
import { openChannelServer } from "./channels/open-channel.ts";
import { scratchFolder } from "./scratch-folder.ts";

/**
 * True if a parameter has a signal. A table of strings, such as an environment, has none. Each parameter is checked
 * separately, because `unknown` would hide the others.
 */
type TakesSignal<F> = F extends (...given: infer Args) => unknown
  ? { [Place in keyof Args]: IsSignal<Args[Place]> }[number]
  : never;
type IsSignal<T> = unknown extends T
  ? never
  : T extends AbortSignal
    ? true
    : T extends { readonly signal?: AbortSignal | undefined }
      ? string extends keyof T
        ? never
        : "signal" extends keyof T
          ? true
          : never
      : never;
/** The members whose calls take a signal. */
type Cancellable<Members> = {
  [Name in keyof Members]-?: true extends TakesSignal<Members[Name]> ? Name & string : never;
}[keyof Members];

type PublicFunction =
  | Cancellable<typeof continuo>
  | `TranscriptBuilder.${Cancellable<typeof continuo.TranscriptBuilder>}`
  | `SessionManager.${Cancellable<typeof continuo.SessionManager>}`
  | Cancellable<typeof agents>
  | Cancellable<typeof client>
  | Cancellable<typeof clientLive>
  | Cancellable<typeof live>
  | Cancellable<typeof modelAgent>
  | Cancellable<typeof server>
  | Cancellable<typeof storeEntry>
  | Cancellable<typeof testing>
  | Cancellable<typeof transcript>
  | `client.${Cancellable<client.AgenticClient>}`
  | `watched.${Cancellable<client.ChannelWatch>}`
  | `continuo.${Cancellable<continuo.Continuo>}`
  | `session.${Cancellable<continuo.SessionHandle>}`
  | `run.${Cancellable<continuo.RunHandle>}`
  | `driver.${Cancellable<continuo.AgentDriver>}`
  | `sessionsOfAgent.${Cancellable<continuo.SessionsOfAgent>}`
  | `opened.${Cancellable<continuo.OpenedSession>}`
  | `liveService.${Cancellable<live.LiveService>}`;

type Call = (signal: AbortSignal) => unknown;
/** A call that ends without an error when its signal is aborted: a list, a stream, or a queue. */
interface Ending {
  readonly ends: Call;
}

const home = scratchFolder("cancelled");
const places = { home, env: {} };
const REF = { agent: "claude", sessionId: "none", location: "/none" } as never;
const never = (): never => {
  throw new Error("it must not be called");
};
const AGENT: continuo.Agent = { name: "desk", capabilities: never, execute: never };
const { SessionManager, TranscriptBuilder } = continuo;

let store: storeEntry.OpenedStore;
let c: continuo.Continuo;
let channels: Awaited<ReturnType<typeof openChannelServer>>;
let ann: client.AgenticClient;
let watched: client.ChannelWatch;
let opened: continuo.OpenedSession;
/** A session whose files define tools. */
let withTools: continuo.OpenedSession | undefined;
let driver: continuo.AgentDriver;
let liveService: live.LiveService;

beforeAll(async () => {
  cpSync(join(import.meta.dirname, "fixtures/claude/parallel-tools/home"), join(home, ".claude"), {
    recursive: true,
  });
  store = await storeEntry.openStore("memory:");
  await SessionManager.startSession(store, { sessionId: "s" });
  await SessionManager.startRun(store, "s", "hello", { runId: "r", agent: "desk" });
  c = await continuo.openContinuo(store, { agents: [AGENT], work: false });
  channels = await openChannelServer(store);
  ann = await channels.join("ann");
  watched = await client.watch({ serverUrl: channels.url, channel: "team" });
  const [row] = await continuo.listNativeSessions({ places });
  if (row === undefined) throw new Error("the fixture has a session");
  opened = await continuo.openNativeSession(`${row.agent}:${row.sessionId}`, { places });
  const other = { home: join(home, "other"), env: {} };
  cpSync(join(import.meta.dirname, "fixtures/codex/server-tools/home"), join(other.home, ".codex"), {
    recursive: true,
  });
  const [coded] = await continuo.listNativeSessions({ places: other });
  withTools = await continuo.openNativeSession(`codex:${coded?.sessionId}`, { places: other });
  driver = await continuo.openAgent("desk", { places, command: ["/none"] });
  liveService = new live.LiveService({ store });
  await liveService.open("talk", { videoId: "talk" });
});
afterAll(async () => {
  opened.close();
  withTools?.close();
  await liveService.stop();
  await watched.close();
  await ann.close();
  await channels[Symbol.asyncDispose]();
  await c.close();
  await store.close();
});

const listed: Call = (signal) => continuo.readNativeList({ places, signal });
const found: Call = (signal) => Array.fromAsync(continuo.findNativeSessions({ places, signal }));
const allListed: Call = (signal) => continuo.listAgentSessions({ places, signal });
const CALLS: Readonly<Record<PublicFunction, Call | Ending>> = {
  listNativeSessions: (signal) => continuo.listNativeSessions({ places, signal }),
  readNativeList: listed,
  listSessions: listed,
  findNativeSessions: found,
  findSessions: found,
  listAgentSessions: allListed,
  listAllSessions: allListed,
  openNativeSession: (signal) => continuo.openNativeSession(REF, { places, signal }),
  readNativeSession: (signal) => continuo.readNativeSession(REF, { places, signal }),
  importNativeSession: (signal) => continuo.importNativeSession(store, REF, { places, signal }),
  importNativeSessions: (signal) => Array.fromAsync(continuo.importNativeSessions(store, { places, signal })),
  readNativeDetails: (signal) => agents.readNativeDetails(REF, { places, signal }),
  checkNativeSession: (signal) => continuo.checkNativeSession(REF, { places, signal }),
  checkFoundSession: (signal) => agents.checkFoundSession({} as never, { places, signal }),
  lookUpSession: (signal) => agents.lookUpSession("none", { places, signal }),
  forkNativeSession: (signal) => continuo.forkNativeSession(REF, { places, signal }),
  renameNativeSession: (signal) => continuo.renameNativeSession(REF, "a title", { places, signal }),
  repairNativeSession: (signal) => continuo.repairNativeSession(REF, { places, signal }),
  trashNativeSession: (signal) => continuo.trashNativeSession(REF, { places, signal }),
  openSessionAdapter: (signal) =>
    continuo.openSessionAdapter({ format: "ccsdk", sessionFile: "/none", places, signal }).loadHistory(),
  handOff: (signal) => continuo.handOff(REF, { to: "codex", places, signal }),
  handOffMessages: (signal) =>
    agents.handOffMessages({ messages: [], title: "", cwd: home }, { to: "codex", places, signal }),
  writeNativeSession: (signal) =>
    agents.writeNativeSession([], { to: "codex", title: "", cwd: home, places, signal }),
  planContext: (signal) => continuo.planContext([], { maxMessages: 1, summarizer: never, signal }),
  openStore: (signal) => storeEntry.openStore("memory:", { signal }),
  moveBlobs: (signal) => storeEntry.moveBlobs(store, { to: "database", signal }),
  vacuumStore: (signal) => storeEntry.vacuumStore(store, { signal }),
  verifyStore: (signal) => Array.fromAsync(storeEntry.verifyStore(store, { signal })),
  connect: (signal) => client.connect({ serverUrl: channels.url, channel: "team", handle: "ben", signal }),
  openChannel: (signal) =>
    client.openChannel({ serverUrl: channels.url, channel: "team", handle: "page", signal }),
  watch: (signal) => client.watch({ serverUrl: channels.url, channel: "team", signal }),
  fetchContextWindow: (signal) => Array.fromAsync(live.fetchContextWindow(store, "s", 0, { signal })),
  "TranscriptBuilder.fromStore": (signal) => TranscriptBuilder.fromStore(store, "s", { signal }),
  "TranscriptBuilder.readForBudget": (signal) => TranscriptBuilder.readForBudget(store, "s", { signal }),
  "TranscriptBuilder.updateFromStore": async (signal) =>
    TranscriptBuilder.updateFromStore(store, await TranscriptBuilder.fromStore(store, "s"), { signal }),
  "SessionManager.startSession": (signal) => SessionManager.startSession(store, { signal }),
  "SessionManager.openSession": (signal) => SessionManager.openSession(store, "s", { signal }),
  "SessionManager.startRun": (signal) => SessionManager.startRun(store, "s", "hello", { signal }),
  // A run that was executed has a result, which says that it was cancelled.
  "SessionManager.executeRun": {
    ends: (signal) => SessionManager.executeRun(store, AGENT, "r", { signal }),
  },
  "SessionManager.runOnce": (signal) => SessionManager.runOnce(store, AGENT, "hello", { signal }),
  "SessionManager.cancelRun": (signal) => SessionManager.cancelRun(store, "r", { signal }),
  "SessionManager.wake": (signal) => SessionManager.wake(store, "s", { signal }),
  "SessionManager.findCutOff": (signal) => SessionManager.findCutOff(store, "s", "hello", { signal }),
  "SessionManager.wakeAll": (signal) => Array.fromAsync(SessionManager.wakeAll(store, { signal })),
  "SessionManager.latestAttempt": (signal) => SessionManager.latestAttempt(store, "r", { signal }),
  "SessionManager.runnerOf": (signal) => SessionManager.runnerOf(store, "s", { signal }),
  "client.call": (signal) => ann.call("ann", "look", {}, { signal }).result,
  "client.events": { ends: (signal) => Array.fromAsync(ann.events({ signal })) },
  "watched.events": { ends: (signal) => Array.fromAsync(watched.events({ signal })) },
  "continuo.work": { ends: (signal) => c.work({ signal }) },
  "continuo.replay": (signal) => c.replay("s", { agent: AGENT, signal }),
  "session.events": { ends: (signal) => Array.fromAsync(c.session("s").events({ signal })) },
  "session.toSSE": { ends: (signal) => c.session("s").toSSE({ signal }).text() },
  "session.toUIMessageResponse": {
    ends: async (signal) => (await c.session("s").toUIMessageResponse({ open: ["r"], signal }))?.text(),
  },
  "session.toChatEvents": {
    ends: async (signal) => await (await c.session("s").toChatEvents({ signal })).text(),
  },
  "run.toUIMessageResponse": {
    ends: (signal) => c.session("s").run("r").toUIMessageResponse({ signal }).text(),
  },
  "run.result": (signal) => c.session("s").run("r").result({ signal }),
  "run.events": { ends: (signal) => Array.fromAsync(c.session("s").run("r").events({ signal })) },
  "run.textStream": { ends: (signal) => Array.fromAsync(c.session("s").run("r").textStream({ signal })) },
  "run.toSSE": { ends: (signal) => c.session("s").run("r").toSSE({ signal }).text() },
  "driver.capabilities": (signal) => driver.capabilities({ signal }),
  "driver.listSessions": (signal) => driver.listSessions({ signal }),
  "driver.logIn": (signal) => Promise.resolve(driver.logIn?.("key", { signal })),
  "driver.logOut": (signal) => Promise.resolve(driver.logOut?.({ signal })),
  "driver.open": (signal) => driver.open({ cwd: home, onMissing: "error", signal }),
  "sessionsOfAgent.list": (signal) => continuo.sessionsOfAgent("claude", { places }).list({ signal }),
  "sessionsOfAgent.capabilities": (signal) =>
    continuo.sessionsOfAgent("claude", { places }).capabilities({ signal }),
  "sessionsOfAgent.resume": (signal) =>
    continuo.sessionsOfAgent("claude", { places }).resume("last", { signal }),
  "opened.history": (signal) => Array.fromAsync(opened.history({ signal })),
  "opened.tools": (signal) => Promise.resolve(withTools?.tools?.(signal)),
  "opened.entries": (signal) => Array.fromAsync(opened.entries(signal)),
  "opened.entriesBefore": (signal) =>
    Array.fromAsync(opened.entriesBefore?.(signal) ?? opened.entries(signal)),
  "liveService.ask": (signal) => liveService.ask("talk", { text: "why?" } as never, signal),
  "liveService.replay": (signal) => liveService.replay("talk", "model", { signal }),
  "liveService.fetchContextWindow": (signal) =>
    Array.fromAsync(liveService.fetchContextWindow("s", 0, { signal })),
};

const isEnding = (call: Call | Ending): call is Ending => typeof call === "object";
const run = async (call: Call, signal: AbortSignal): Promise<unknown> => await call(signal);

test.each(Object.entries(CALLS).filter(([, call]) => !isEnding(call)) as [string, Call][])(
  "%s is cancelled by a signal that is aborted",
  async (_, call) => {
    const reason = new Error("the page was closed");
    await expect(run(call, AbortSignal.abort(reason))).rejects.toMatchObject({
      name: "ContinuoError",
      code: "cancelled",
      cause: reason,
    });
  },
);

test.each(Object.entries(CALLS).filter(([, call]) => isEnding(call)) as [string, Ending][])(
  "%s ends without an error when its signal is aborted",
  async (_, { ends }) => {
    await expect(run(ends, AbortSignal.abort())).resolves.not.toThrow();
  },
);

test.each(Object.keys(METHODS))("the store's %s is cancelled by a signal that is aborted", async (name) => {
  const [index] = METHODS[name as keyof typeof METHODS];
  const method = store[name as "getRun"] as (...given: unknown[]) => unknown;
  const given = [...Array.from({ length: index }, () => "s"), { signal: AbortSignal.abort() }];
  if (name === "tail") expect(await Array.fromAsync(method(...given) as AsyncIterable<unknown>)).toEqual([]);
  else await expect(method(...given)).rejects.toMatchObject({ code: "cancelled" });
});

test("the signal of a time limit cancels too, and the cause of the error names the time limit", async () => {
  const calling = ann.call("ann", "look", {}, { signal: AbortSignal.timeout(1) });
  await expect(calling.result).rejects.toMatchObject({ code: "cancelled", cause: { name: "TimeoutError" } });
});

test("a list that is cancelled while it reads asks no further agent", async () => {
  const stop = new AbortController();
  const onProgress = (): void => stop.abort("enough");
  const listing = continuo.listAgentSessions({ places, signal: stop.signal, onProgress });
  await expect(listing).rejects.toMatchObject({
    code: "cancelled",
    message: "the call was cancelled by its signal: enough",
  });
});

test("an abort reason with a code keeps its code", async () => {
  const reason = new continuo.ContinuoError("interrupted", "the server is closing");
  await expect(store.getRun("r", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});
