/**
 * Unknown options: every public function that takes options refuses them before it does anything else, even before it
 * looks at its other arguments. The compiler finds the functions, so a new one is tested too.
 */

import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, relative } from "node:path";
import { openChannel, openChat, watch } from "@continuo/core/client";
import { LiveService } from "@continuo/live";
import { toNodeListener } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ContinuoChatTransport } from "../../packages/ai-sdk/src/index.ts";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";
import * as continuo from "../../src/index.ts";
import { hello1 } from "../acp/script.ts";
import { SCRIPTED_AGENT } from "../acp/scripted-program.ts";
import { openChannelServer } from "../channels/open-channel.ts";
import { copyHome } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { type OptionsParameter, optionParameters } from "./option-types.ts";

const ROOT = `${import.meta.dirname}/../..`;
const home = scratchFolder("options");

/** Programs give us agents and writers, and the other types are internal, so only Continuo calls their methods. */
const CALLED_BY_US: ReadonlySet<string> = new Set([
  ...["Agent", "EchoAgent", "ScriptedAgent", "ModelAgent", "NoteWriter", "Embedder", "Transcriber"],
  ...["AgentFormat", "AgentReader", "AgentVisibility", "RecordSink", "SessionOwner"],
]);
/**
 * Names whose parameter is not a table of options: a module of another package, a context from the session manager, and
 * a failure.
 */
const NO_OPTIONS: ReadonlySet<string> = new Set(["toTokenizer", "execute", "failureText"]);

let objects: Readonly<Record<string, object>>;
const opened = new AsyncDisposableStack();

beforeAll(async () => {
  vi.stubEnv("HOME", home);
  const { places, sessions } = await copyHome(home, ["claude", "parallel-tools"]);
  const store = opened.use(await openStore("memory:"));
  const c = opened.use(await continuo.openContinuo(store, { agents: [new EchoAgent()], work: false }));
  const session = c.session("s", { create: true });
  const server = opened.use(await openChannelServer(store));
  const script = join(home, "script.json");
  writeFileSync(script, JSON.stringify({ hello: hello1() }));
  const driver = await continuo.openAgent("desk", { command: [process.execPath, SCRIPTED_AGENT, script] });
  const conversation = opened.use(await driver.open({ cwd: home }));
  const live = new LiveService({ store });
  const found = opened.use(await continuo.openNativeSession(sessions[0]?.sessionId ?? "", { places }));
  objects = {
    AgentDriver: driver,
    AgenticClient: opened.use(await server.join("ann")),
    Approvals: c.approvals,
    ChannelHandle: c.channel("team"),
    ChannelWatch: opened.adopt(await watch({ serverUrl: server.url, channel: "team" }), (one) => one.close()),
    Continuo: c,
    ContinuoChatTransport: new ContinuoChatTransport({ url: server.url }),
    Conversation: conversation,
    DeadLetters: c.deadLetters,
    DrivenAgent: continuo.toAgent(driver, { cwd: home }),
    LiveService: live,
    OpenedChannel: opened.adopt(
      await openChannel({ serverUrl: server.url, channel: "team", handle: "bob" }),
      (one) => one.close(),
    ),
    OpenedChat: opened.use(await openChat({ serverUrl: await served(c), session: "s" })),
    OpenedSession: found,
    OpenedStore: store,
    Removals: live.removals,
    RunHandle: session.run("r"),
    SessionHandle: session,
    SessionsOfAgent: continuo.sessionsOfAgent("claude"),
    Store: store,
  };
});
/** Serves the chats of a program, and returns the address. */
async function served(c: continuo.Continuo): Promise<string> {
  const http = createServer(
    toNodeListener(c.handler({ authorize: () => ({ sessions: "*", access: "chat" }) })),
  );
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  opened.defer(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

afterAll(async () => {
  vi.unstubAllEnvs();
  await opened.disposeAsync();
});

/** Clients and pictures are made by functions, and their classes are only types. */
const MADE_BY_FUNCTIONS: ReadonlySet<string> = new Set(["AgenticClient", "LiveClient", "Frames"]);

const FUNCTIONS = optionParameters().filter(
  ({ owner, name, isClass }) =>
    !CALLED_BY_US.has(owner) && !NO_OPTIONS.has(name) && !(isClass && MADE_BY_FUNCTIONS.has(name)),
);

/** Calls the function with these options in their place, and with meaningless values for the arguments before them. */
async function callOf(one: OptionsParameter, options: object): Promise<unknown> {
  const { owner, name, index, isClass } = one;
  const path = name.split(".");
  let holder: unknown = owner.startsWith("/") ? await import(owner) : objects[owner];
  if (holder === undefined) throw new Error(`the test has no ${owner}`);
  for (const part of path.slice(0, -1)) holder = (holder as Record<string, unknown>)[part];
  const member = (holder as Record<string, (...given: unknown[]) => unknown>)[path.at(-1) ?? ""];
  const given = [...Array.from({ length: index }, () => "s"), options];
  if (member === undefined) throw new Error(`${owner} has no ${name}`);
  if (isClass) return Reflect.construct(member, given);
  const result = member.apply(holder, given);
  const isStream = typeof result === "object" && result !== null && Symbol.asyncIterator in result;
  return isStream ? await Array.fromAsync(result as AsyncIterable<unknown>) : await result;
}

const CASES = FUNCTIONS.flatMap((one) => {
  const title = `${one.owner.startsWith("/") ? relative(ROOT, one.owner) : one.owner}: ${one.name}`;
  return [
    { title, one, options: { timeoutMS: 1 } },
    ...one.tables.map((table) => ({
      title: `${title}, ${table}`,
      one,
      options: { [table]: { timeoutMS: 1 } },
    })),
  ];
});

test.each(CASES)("$title refuses an unknown option", async ({ one, options }) => {
  await expect(callOf(one, options)).rejects.toMatchObject({
    code: "usage",
    message: expect.stringMatching(/^there is no option timeoutMS of /u),
  });
});

test("the compiler finds the functions", () => {
  expect(FUNCTIONS.length).toBeGreaterThan(200);
  expect(CASES.map(({ title }) => title)).toEqual(
    expect.arrayContaining([
      "SessionHandle: send",
      "Store: prune",
      "src/index.ts: SessionManager.executeRun, budget",
      "src/index.ts: TranscriptBuilder.fromStore",
    ]),
  );
});
