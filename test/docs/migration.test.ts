/** docs/migration.md: every name in it exists, and messages are imported as it describes. */

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as agents from "@continuo/agents";
import {
  type AdapterFormat,
  listNativeSessions,
  openNativeSession,
  openSessionAdapter,
  readNativeSession,
  type SessionAdapterOptions,
} from "@continuo/agents";
import type { AgenticClient } from "@continuo/core/client";
import { AGENT_NAMES, type AgentName, ERROR_KINDS, type Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import * as continuo from "../../src/index.ts";
import { openChannelServer, take } from "../channels/open-channel.ts";
import { scratchFolder } from "../scratch-folder.ts";

const [DOCUMENT = "", ADAPTERS = ""] = readFileSync(
  join(import.meta.dirname, "../../docs/migration.md"),
  "utf8",
).split("## From session adapters");

interface Found {
  readonly store: Store;
  readonly client: AgenticClient;
}

type Check = (found: Found) => unknown;

/** Names of other systems. */
const THEIRS = new Set([
  "agentic_sessions",
  "agentic_sessions.checkpoint",
  "agentic_sessions.sdk_session_id",
  "agentic_sessions.status",
  "agentic_history",
  "workspace-ID-sessions",
  "workspace:channel:handle",
  "pubsubId",
]);

const SESSION = "participant:team:ann";
const isMember =
  (name: keyof AgenticClient): Check =>
  ({ client }) =>
    expect(typeof client[name]).toBe("function");

/** Checks that each of our names exists, on a connected participant. */
const CHECKS: Readonly<Record<string, Check>> = {
  "event.sequence": async ({ client }) => expect((await take(client, 1))[0]?.sequence).toBe(2),
  "event.pubsubId": async ({ client }) => expect((await take(client, 1))[0]?.pubsubId).toBe(3),
  undefined: async ({ client }) => {
    const [presence] = await take(client, 1, ({ type }) => type === "presence");
    expect(presence).toMatchObject({ pubsubId: undefined });
  },
  "participant:CHANNEL:HANDLE": async ({ store }) => expect(await store.getSession(SESSION)).not.toBeNull(),
  "received/HANDLE": async ({ store }) =>
    expect(await store.getCursor({ logId: "channels/team", name: "received/ann" })).not.toBeNull(),
  "processed/HANDLE": async ({ store }) =>
    expect(await store.getCursor({ logId: "channels/team", name: "processed/ann" })).toMatchObject({
      sequence: 1,
    }),
  "channels/CHANNEL": async ({ store }) => expect(await store.getLog("channels/team")).not.toBeNull(),
  "channels/NAME": async ({ store }) => expect(await store.getLog("channels/team")).not.toBeNull(),
  "client.checkpoint": ({ client }) => expect(client.checkpoint).toBe(1),
  "client.sdkSessionId": ({ client }) => expect(client.sdkSessionId).toBe("native-1"),
  "metadata.sdkSessionId": async ({ store }) =>
    expect((await store.getSession(SESSION))?.metadata.sdkSessionId).toBe("native-1"),
  "client.status": ({ client }) => expect(client.status).toBe("active"),
  active: ({ client }) => expect(client.status).toBe("active"),
  interrupted: async ({ store }) => {
    // Rule MSG-3 of PROTOCOL.md requires this.
    await store.updateSession(SESSION, { status: "interrupted" });
    expect((await store.getSession(SESSION))?.status).toBe("interrupted");
  },
  storeMessage: isMember("storeMessage"),
  getHistory: isMember("getHistory"),
  clearHistory: isMember("clearHistory"),
  // No query reaches another workspace.
  workspaceId: async ({ store }) => expect(await store.forWorkspace("other").getSession(SESSION)).toBeNull(),
  "client.sessionKey": ({ client }) => expect(client.sessionKey).toBe("default:team:ann"),
  participant_joined: ({ store }) => stays(store, "participant_joined"),
  participant_left: ({ store }) => stays(store, "participant_left"),
  presence_changed: ({ store }) => stays(store, "presence_changed"),
  PUT: () => undefined,
  POST: () => undefined,
  "/v1/stream/channels/NAME": () => undefined,
  "store.append": ({ store }) => expect(typeof store.append).toBe("function"),
  "store.commitCursor": ({ store }) => expect(typeof store.commitCursor).toBe("function"),
};

/** Checks that a row of the type is read as it was stored. */
async function stays(store: Store, type: string): Promise<void> {
  const { logId } = await store.createLog();
  await store.append(logId, [{ type, data: { handle: "bob" } }]);
  expect((await store.read(logId)).events).toMatchObject([{ type, data: { handle: "bob" } }]);
}

test("messages are imported once, and a consumer that had processed some continues after them", async () => {
  await using store = await openStore("memory:");
  await using server = await openChannelServer(store);
  const url = `${server.url}/v1/stream/channels/team`;
  const headers = { "content-type": "application/json" };
  const old = ["one", "two", "@ann three"].map((content, n) => ({
    id: `old-${n}`,
    type: "message_sent",
    data: { content },
    occurredAt: `2020-01-0${n + 1}T00:00:00.000Z`,
  }));
  for (let times = 0; times < 2; times++) {
    expect((await fetch(url, { method: "PUT", headers })).ok).toBe(true);
    expect((await fetch(url, { method: "POST", headers, body: JSON.stringify(old) })).status).toBe(204);
  }
  expect((await store.read("channels/team")).events.map(({ id }) => id)).toEqual(["old-0", "old-1", "old-2"]);
  await store.commitCursor({ logId: "channels/team", name: "processed/ann", sequence: 2 });
  const ann = await server.join("ann");
  expect([ann.checkpoint, ann.missedMessages]).toEqual([2, []]);
  expect(await take(ann, 1)).toMatchObject([{ id: "old-2", content: "@ann three", redelivered: false }]);
});

test("every name in docs/migration.md exists", async () => {
  const names = new Set([...DOCUMENT.matchAll(/`([^`]+)`/gu)].map(([, name = ""]) => name));
  const ours = [...names].filter((name) => !THEIRS.has(name));
  expect(ours.toSorted()).toEqual(Object.keys(CHECKS).toSorted());
  await using store = await openStore("memory:");
  await using server = await openChannelServer(store);
  const bob = await server.join("bob");
  for (const word of ["one", "two", "three"]) await bob.send(word);
  const ann = await server.join("ann");
  await ann.commitCheckpoint(1);
  await ann.updateSdkSession("native-1");
  await ann.close();
  const client = await server.join("ann", { replayMode: "stream" });
  for (const name of ours) await CHECKS[name]?.({ store, client });
});

const FORMATS: Readonly<Record<AdapterFormat, AgentName>> = {
  "pi-agent": "pi",
  ccsdk: "claude",
  codex: "codex",
  gemini: "gemini",
  opencode: "opencode",
  copilot: "copilot",
};

/** Every option of an adapter; the compiler asks for a new one. */
const OPTIONS: Readonly<Record<keyof SessionAdapterOptions, true>> = {
  format: true,
  sessionFile: true,
  sessionId: true,
  create: true,
  places: true,
  lockWaitMs: true,
  signal: true,
};

/** The names that the left column explains, in code or as the arguments of a method. */
function namesIn(text: string): ReadonlySet<string> {
  const codes = [...text.matchAll(/`([^`]+)`/gu)].map(([, code = ""]) => code);
  return new Set(codes.flatMap((code) => code.match(/[\w-]+/gu) ?? []));
}

test("every method, option, format and metadata key of an adapter is listed with our name for it", async () => {
  const rows = ADAPTERS.split("\n").filter((line) => line.startsWith("| "));
  const left = namesIn(rows.map((row) => row.split(" | ")[0]).join("\n"));
  const places = { home: scratchFolder("migration"), env: {} };
  await using adapter = openSessionAdapter({ format: "codex", create: { cwd: "/" }, places });
  await adapter.appendUserMessage("What grows here?");
  const wanted = [
    ...Object.keys(adapter),
    ...Object.keys(OPTIONS),
    ...Object.keys(FORMATS),
    ...Object.keys(await adapter.getMetadata()),
  ];
  expect(wanted.length).toBeGreaterThan(25);
  expect(wanted.filter((name) => !left.has(name))).toEqual([]);
});

test("each of our names that is listed with a name of the adapters exists", async () => {
  const rows = ADAPTERS.split("\n").filter((line) => line.startsWith("| "));
  const right = namesIn(rows.map((row) => row.split(" | ")[1]).join("\n"));
  const ours: Readonly<Record<string, unknown>> = { ...continuo };
  const places = { home: scratchFolder("migration"), env: {} };
  await using adapter = openSessionAdapter({ format: "codex", create: { cwd: "/" }, places });
  await adapter.appendUserMessage("What grows here?");
  using opened = await openNativeSession(adapter.sessionFile, { places });
  const known = new Set([
    ...Object.keys(adapter),
    ...Object.keys(opened.details),
    ...AGENT_NAMES,
    ...Object.keys(ERROR_KINDS),
    // Options, fields of messages, types, and placeholders.
    ...["details", "create", "signal", "places", "last", "messages", "history", "ref", "agent", "images"],
    ...["SessionInfo", "Message", "data", "image", "resume", "await", "using", "AGENT", "ID"],
  ]);
  expect([...right].filter((name) => !known.has(name) && !(name in ours) && !(name in agents))).toEqual([]);
});

/** The formats of files. opencode's own program makes its sessions, as rows of a database. */
const FILES = Object.entries(FORMATS).filter(([, agent]) => agent !== "opencode");

test.each(FILES)("a session of the format %s reads the same under our names", async (format, agent) => {
  const places = { home: scratchFolder("migration"), env: {} };
  const cwd = join(places.home, "project");
  mkdirSync(cwd);
  const adapter = openSessionAdapter({ format: format as AdapterFormat, create: { cwd }, places });
  await adapter.appendUserMessage("What grows here?");
  await adapter.appendAssistantMessage([{ type: "tool_call", id: "t1", name: "look", args: {} }]);
  await adapter.appendToolResult("t1", "beans");
  await adapter.appendAssistantMessage("Beans.");
  await adapter.flush();
  const { sessionId, createdAt } = await adapter.getMetadata();
  const history = await adapter.loadHistory();
  const { sessionFile } = adapter;
  await adapter.close();
  const [row] = await listNativeSessions({ agents: [agent], places });
  expect([row?.agent, row?.sessionId, row?.location]).toEqual([agent, sessionId, sessionFile]);
  const { messages } = await readNativeSession(sessionId, { places });
  expect(messages.map(({ id, content }) => [id, content])).toEqual(
    history.map(({ id, content }) => [id, content]),
  );
  using opened = await openNativeSession(sessionFile, { places });
  expect(await Array.fromAsync(opened.history())).toHaveLength(history.length);
  expect(createdAt).toBe(row?.createdAt);
});
