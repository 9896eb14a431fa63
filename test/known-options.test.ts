/** Options that there are not: every public function that takes options refuses them before it does anything. */

import { openRunAgent } from "@continuo/agents";
import { ModelAgent } from "@continuo/agents/model-agent";
import { type AgenticClient, connect, watch } from "@continuo/core/client";
import { openLive, watchLive } from "@continuo/core/client/live";
import type { AgentDriver } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as continuo from "../src/index.ts";
import { openChannelServer } from "./channels/open-channel.ts";

let store: continuo.Store;
let server: Awaited<ReturnType<typeof openChannelServer>>;
let client: AgenticClient;
beforeAll(async () => {
  store = await openStore("memory:");
  server = await openChannelServer(store);
  client = await server.join("ann");
});
afterAll(async () => {
  await client.close();
  await server[Symbol.asyncDispose]();
  await store.close();
});

const NO_SCHEMA: continuo.StandardSchema = {} as never;
const NOBODY: AgentDriver = { agent: "nobody" } as never;
const CALLS: readonly (readonly [what: string, option: string, call: (options: never) => unknown])[] = [
  ["readNativeList", "limits", (options) => continuo.listNativeSessions(options)],
  ["readNativeList", "sinse", (options) => continuo.readNativeList(options)],
  ["findNativeSessions", "agent", (options) => Array.fromAsync(continuo.findNativeSessions(options))],
  ["listAgentSessions", "driver", (options) => continuo.listAgentSessions(options)],
  ["openNativeSession", "newestByte", (options) => continuo.openNativeSession("x", options)],
  ["readNativeSession", "views", (options) => continuo.readNativeSession("x", options)],
  ["checkNativeSession", "folder", (options) => continuo.checkNativeSession("x", options)],
  ["forkNativeSession", "att", (options) => continuo.forkNativeSession("x", options)],
  ["renameNativeSession", "title", (options) => continuo.renameNativeSession("x", "y", options)],
  ["repairNativeSession", "writes", (options) => continuo.repairNativeSession("x", options)],
  ["write", "forse", (write) => continuo.repairNativeSession("x", { write })],
  ["trashNativeSession", "force", (options) => continuo.trashNativeSession("x", options)],
  ["restoreNativeSession", "forced", (options) => continuo.restoreNativeSession("x", options)],
  ["listTrashedSessions", "limit", (options) => continuo.listTrashedSessions(options)],
  ["emptyTrash", "olderThenDays", (options) => continuo.emptyTrash(options)],
  ["openSessionAdapter", "session", (options) => continuo.openSessionAdapter(options)],
  ["sessionsOfAgent", "folder", (options) => continuo.sessionsOfAgent("claude", options)],
  ["list", "limits", (options) => continuo.sessionsOfAgent("claude").list(options)],
  ["handOff", "maxloss", (options) => continuo.handOff("x", options)],
  ["openAgent", "permissions", (options) => continuo.openAgent("claude", options)],
  ["limits", "startMS", (limits) => continuo.openAgent("claude", { limits })],
  ["coding", "permision", (options) => continuo.coding("claude", options)],
  ["permissionsBy", "timeLimitMS", (options) => continuo.permissionsBy(options)],
  ["openRunAgent", "permision", (options: object) => openRunAgent("claude", { cwd: "/", ...options })],
  ["toAgent", "permision", (options: object) => continuo.toAgent(NOBODY, { cwd: "/", ...options })],
  ["ModelAgent", "maxstep", (options) => new ModelAgent(options)],
  ["planContext", "maxToken", (options) => continuo.planContext([], options)],
  ["fromEvents", "maxChar", (options) => continuo.TranscriptBuilder.fromEvents([], options)],
  ["fromStore", "limits", (options) => continuo.TranscriptBuilder.fromStore(store, "s", options)],
  ["createSession", "titel", (options) => continuo.SessionManager.startSession(store, options)],
  ["connect", "chanel", (options) => connect(options)],
  ["watch", "handle", (options) => watch(options)],
  ["send", "reply", (options) => client.send("hello", options)],
  ["events", "part", (options) => client.events(options)],
  ["openLive", "video", (options) => openLive(options)],
  ["watchLive", "afters", (options) => watchLive(options)],
  ["messagesToText", "think", (options) => continuo.messagesToText([], options)],
  ["defineEvent", "upcaster", (options) => continuo.defineEvent("order.placed", NO_SCHEMA, options)],
];

test.each(CALLS)("%s refuses the option %s, which there is not", async (what, option, call) => {
  const calling = async (): Promise<unknown> => await call({ [option]: 1 } as never);
  await expect(calling()).rejects.toMatchObject({
    code: "usage",
    message: `there is no option ${option} of ${what}`,
  });
});
