/** A form of an agent reaches the editor, and its answer the agent, in any two versions of the protocol. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import {
  type ClientContext,
  type CreateElicitationResponse,
  client,
  ndJsonStream,
  type UpdateSessionNotification,
} from "@agentclientprotocol/sdk/experimental/v2";
import { shippedPrices } from "@continuo/agents/catalog";
import { afterEach, describe, expect, test } from "vitest";
import { conversationOf } from "../../src/cli/flags/index.ts";
import { serveAcp } from "../../src/gateway/index.ts";
import { DONE, hello1, type Json, type Script, type ScriptStep } from "../acp/script.ts";
import { cleanEnv } from "../cli/home.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";
import { openEditor } from "./editor.ts";

type Version = 1 | 2;

const FORM: Json = {
  mode: "form",
  message: "Where shall it be deployed?",
  requestedSchema: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
};
const PAGE: Json = {
  mode: "url",
  message: "Log in",
  elicitationId: "e1",
  url: "https://example.org/login",
};
const ANSWER = { action: "accept", content: { place: "here" } };

function scriptOf(version: Version): Script {
  const call = version === 1 ? "tool_call" : "tool_call_update";
  const prompts: Record<string, readonly ScriptStep[]> = {
    form: [
      { update: { sessionUpdate: call, toolCallId: "t1", title: "Run", kind: "execute", rawInput: {} } },
      { request: "elicitation/create", params: { ...FORM, toolCallId: "t1" } },
      DONE,
    ],
    visit: [
      { request: "elicitation/create", params: PAGE },
      { notify: { method: "elicitation/complete", params: { elicitationId: "e1" } } },
      DONE,
    ],
    "without a field": [
      { request: "elicitation/create", params: { mode: "form", message: "Go on?", requestedSchema: {} } },
      DONE,
    ],
    "ask for ever": [
      { request: "elicitation/create", params: FORM },
      { result: { stopReason: "cancelled" } },
    ],
  };
  if (version === 1) {
    const hello = hello1({ resume: {} }, { loadSession: true });
    return { hello, answers: { "session/resume": [{ result: {} }] }, prompts };
  }
  const info = { name: "scripted-agent", version: "1.0.0" };
  return {
    states: true,
    hello: { protocolVersion: 2, info, capabilities: { session: { prompt: {}, mcp: { stdio: {} } } } },
    prompts,
  };
}

let home: TalkHome;
afterEach(() => home[Symbol.dispose]());

/** A home whose agent `robot` speaks the version. */
function homeOf(version: Version): TalkHome {
  const made = createTalkHome(scriptOf(version));
  const file = ".continuo/continuo.yaml";
  const { agents } = JSON.parse(readFileSync(join(made.path, file), "utf8"));
  const robot = { ...agents.robot, protocol: version };
  made.write(file, JSON.stringify({ agent: "robot", agents: { robot } }));
  return made;
}

/** An editor of either version, in which forms are shown. */
interface FormEditor extends AsyncDisposable {
  /** Begins a turn. Resolves with its end. */
  readonly say: (text: string) => Promise<unknown>;
  readonly cancel: () => Promise<void>;
  readonly sessionId: string;
  readonly forms: Json[];
  /** Ids of the pages that the agent has finished with. */
  readonly completed: readonly string[];
  /** The ids by which the editor knows the calls. */
  readonly calls: () => readonly unknown[];
  /** The states of the session, of which version 1 has none. */
  readonly states: () => readonly unknown[];
}

type Answer = (form: Json, signal: AbortSignal) => Promise<unknown>;

async function openV1(answer: Answer): Promise<FormEditor> {
  const forms: Json[] = [];
  const editor = await openEditor(home, {
    capabilities: { elicitation: { form: {}, url: {} } },
    onAgentRequest: async (_method, params, signal) => {
      forms.push(params);
      return await answer(params, signal);
    },
  });
  const cwd = join(home.path, "project");
  const { sessionId } = await editor.agent.request("session/new", { cwd, mcpServers: [] });
  return {
    say: async (text) =>
      (await editor.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] }))
        .stopReason,
    cancel: () => editor.agent.notify("session/cancel", { sessionId }),
    sessionId,
    forms,
    completed: editor.completed,
    calls: () =>
      editor.updates.flatMap(({ update }) =>
        update.sessionUpdate === "tool_call" ? [update.toolCallId] : [],
      ),
    states: () => [],
    [Symbol.asyncDispose]: () => editor[Symbol.asyncDispose](),
  };
}

async function openV2(answer: Answer): Promise<FormEditor> {
  const [toAgent, toEditor] = [new PassThrough(), new PassThrough()];
  const places = { home: home.path, cwd: home.path, env: cleanEnv(home.path), now: new Date() };
  const served = serveAcp({
    places,
    openStore: conversationOf({}, places as never).openStore,
    input: toAgent,
    output: toEditor,
    version: "1.2.3",
    signal: new AbortController().signal,
    report: () => undefined,
    prices: async () => ({ own: {}, list: shippedPrices() }),
    onUnindexed: () => undefined,
  });
  const updates: UpdateSessionNotification["update"][] = [];
  const forms: Json[] = [];
  const completed: string[] = [];
  const { agent }: { agent: ClientContext } = client({ name: "editor" })
    .onNotification("session/update", ({ params }) => void updates.push(params.update))
    .onNotification("elicitation/complete", ({ params }) => void completed.push(params.elicitationId))
    // The library refuses a request that the schema of version 2 does not allow.
    .onRequest("elicitation/create", async ({ params, signal }) => {
      forms.push(params);
      return (await answer(params, signal)) as CreateElicitationResponse;
    })
    .connect(
      ndJsonStream(
        Writable.toWeb(toAgent) as WritableStream<Uint8Array>,
        Readable.toWeb(toEditor) as ReadableStream<Uint8Array>,
      ),
    );
  await agent.request("initialize", {
    protocolVersion: 2,
    info: { name: "editor", version: "1" },
    capabilities: { elicitation: { form: {}, url: {} } },
  });
  const cwd = join(home.path, "project");
  const { sessionId } = await agent.request("session/new", { cwd, mcpServers: [] });
  const states = () => updates.filter(({ sessionUpdate }) => sessionUpdate === "state_update") as Json[];
  const ends = () => states().filter(({ state }) => state === "idle");
  return {
    say: async (text) => {
      const before = ends().length;
      await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
      await expect.poll(() => ends().length).toBeGreaterThan(before);
      return ends().at(-1)?.stopReason;
    },
    cancel: () => agent.notify("session/cancel", { sessionId }),
    sessionId,
    forms,
    completed,
    calls: () =>
      (updates as Json[]).flatMap(({ toolCallId }) => (toolCallId === undefined ? [] : [toolCallId])),
    states: () => states().map(({ state }) => state),
    [Symbol.asyncDispose]: async () => {
      toAgent.end();
      await served;
    },
  };
}

const OPEN: Readonly<Record<Version, (answer: Answer) => Promise<FormEditor>>> = { 1: openV1, 2: openV2 };
const PAIRS: readonly (readonly [agent: Version, editor: Version])[] = [
  [1, 2],
  [2, 1],
  [2, 2],
];

describe.each(PAIRS)("between an agent of version %d and an editor of version %d", (agent, version) => {
  const open = async (answer: Answer): Promise<FormEditor> => {
    home = homeOf(agent);
    return await OPEN[version](answer);
  };

  test("a form has the editor's ids of the session and of the call, and its answer reaches the agent", async () => {
    await using editor = await open(async () => ANSWER);
    expect(await editor.say("form")).toBe("end_turn");
    const [toolCallId] = editor.calls();
    expect(editor.forms).toEqual([{ ...FORM, sessionId: editor.sessionId, toolCallId }]);
    expect(home.answers().at(-1)).toMatchObject({ result: ANSWER });
    const states = version === 1 ? [] : ["running", "requires_action", "running", "idle"];
    expect(editor.states()).toEqual(states);
  });

  test("a page is named by its id, and the editor learns that it is done with", async () => {
    await using editor = await open(async () => ({ action: "accept" }));
    expect(await editor.say("visit")).toBe("end_turn");
    expect(editor.forms).toEqual([{ ...PAGE, sessionId: editor.sessionId }]);
    expect(home.answers().at(-1)).toMatchObject({ result: { action: "accept" } });
    await expect.poll(() => editor.completed).toEqual(["e1"]);
  });

  test("a form that is open when the turn is cancelled is cancelled for the agent", async () => {
    const shown = Promise.withResolvers<AbortSignal>();
    await using editor = await open(async (_form, signal) => {
      shown.resolve(signal);
      return await new Promise(() => undefined);
    });
    const turn = editor.say("ask for ever");
    const signal = await shown.promise;
    await editor.cancel();
    expect(await turn).toBe("cancelled");
    await expect.poll(() => signal.aborted).toBe(true);
    await expect.poll(() => home.answers().at(-1)).toMatchObject({ result: { action: "cancel" } });
  });
});

test("a form whose schema leaves out what version 1 has defaults for is valid in version 2", async () => {
  home = homeOf(1);
  await using editor = await openV2(async () => ({ action: "accept", content: {} }));
  expect(await editor.say("without a field")).toBe("end_turn");
  expect(editor.forms).toMatchObject([{ requestedSchema: { type: "object", properties: {} } }]);
});
