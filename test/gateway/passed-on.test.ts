/** Requests of an agent to its client reach the editor, and the answers the agent: files, terminals, forms. */

import { join } from "node:path";
import type { ClientCapabilities } from "@agentclientprotocol/sdk/unstable";
import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { afterEach, describe, expect, test } from "vitest";
import { DONE, hello1, type Json, type ScriptStep } from "../acp/script.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";
import { type Editor, openEditor, spokenIn } from "./editor.ts";

const ALL: ClientCapabilities = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  elicitation: { form: {}, url: {} },
};

const FORM: Json = {
  mode: "form",
  message: "Where shall it be deployed?",
  requestedSchema: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
};

const request = (method: string, params: Json): ScriptStep => ({ request: method, params });

const CALL: ScriptStep = {
  update: { sessionUpdate: "tool_call", toolCallId: "t1", title: "Run", kind: "execute", rawInput: {} },
};

const REVIEWER = { sessionId: "child-1", title: "Reviewer", capabilities: { cancel: {} } };

const PROMPTS = {
  read: [request("fs/read_text_file", { path: "/work/a.ts", line: 2, limit: 10 }), DONE],
  write: [request("fs/write_text_file", { path: "/work/a.ts", content: "const a = 1;\n" }), DONE],
  run: [
    CALL,
    request("terminal/create", { command: "make", args: ["test"], cwd: "/work", outputByteLimit: 4096 }),
    {
      update: {
        sessionUpdate: "tool_call_update",
        toolCallId: "t1",
        content: [{ type: "terminal", terminalId: "term-1" }],
      },
    },
    request("terminal/output", { terminalId: "term-1" }),
    request("terminal/kill", { terminalId: "term-1" }),
    request("terminal/wait_for_exit", { terminalId: "term-1" }),
    request("terminal/release", { terminalId: "term-1" }),
    {
      update: {
        sessionUpdate: "tool_call_update",
        toolCallId: "t1",
        status: "completed",
        content: [{ type: "terminal", terminalId: "term-1" }],
      },
    },
    DONE,
  ],
  form: [CALL, request("elicitation/create", { ...FORM, toolCallId: "t1" }), DONE],
  visit: [
    request("elicitation/create", {
      mode: "url",
      message: "Log in",
      elicitationId: "e1",
      url: "https://example.org/login",
    }),
    { notify: { method: "elicitation/complete", params: { elicitationId: "e1" } } },
    DONE,
  ],
  "sum up": [
    { update: { sessionUpdate: "compaction_update", compactionId: "c1", status: "in_progress" } },
    {
      update: {
        sessionUpdate: "compaction_summary_chunk",
        compactionId: "c1",
        content: { type: "text", text: "We built it." },
      },
    },
    { update: { sessionUpdate: "compaction_update", compactionId: "c1", status: "completed" } },
    { update: { sessionUpdate: "notice", severity: "info", title: "Summed up" } },
    DONE,
  ],
  "ask a reviewer": [
    { update: { sessionUpdate: "subagent_update", ...REVIEWER, state: { state: "running" } } },
    { update: { sessionUpdate: "subagent_update", sessionId: "child-1", state: { state: "idle" } } },
    DONE,
  ],
  "ask for ever": [request("elicitation/create", FORM), { result: { stopReason: "cancelled" } }],
} satisfies Record<string, readonly ScriptStep[]>;

let home: TalkHome;
afterEach(() => home[Symbol.dispose]());

async function begun(
  capabilities: ClientCapabilities,
  onAgentRequest: (method: string, params: Json, signal: AbortSignal) => Promise<unknown> = async () => ({}),
): Promise<{ readonly editor: Editor; readonly id: string }> {
  const hello = hello1({ resume: {} }, { loadSession: true });
  home = createTalkHome({ hello, answers: { "session/resume": [{ result: {} }] }, prompts: PROMPTS });
  const editor = await openEditor(home, { capabilities, onAgentRequest });
  const cwd = join(home.path, "project");
  const { sessionId } = await editor.agent.request("session/new", { cwd, mcpServers: [] });
  return { editor, id: sessionId };
}

function say({ editor, id }: { editor: Editor; id: string }, text: string) {
  return editor.agent.request("session/prompt", { sessionId: id, prompt: [{ type: "text", text }] });
}

/** The answers that the agent received, in order. */
function heard(editor: Editor): readonly unknown[] {
  return spokenIn(editor.take())
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

describe("the editor's files", () => {
  test("are read and written for the agent, in the editor's session", async () => {
    const asked: unknown[] = [];
    const at = await begun(ALL, async (method, params) => {
      asked.push([method, params]);
      return method === "fs/read_text_file" ? { content: "an unsaved line\n" } : {};
    });
    await using editor = at.editor;
    await say(at, "read");
    await say(at, "write");
    expect(asked).toEqual([
      ["fs/read_text_file", { sessionId: at.id, path: "/work/a.ts", line: 2, limit: 10 }],
      ["fs/write_text_file", { sessionId: at.id, path: "/work/a.ts", content: "const a = 1;\n" }],
    ]);
    expect(heard(editor)).toEqual([{ result: { content: "an unsaved line\n" } }, { result: {} }]);
  });

  test("that do not exist give the editor's own error", async () => {
    const at = await begun(ALL, async () => {
      throw new RequestError(-32_002, "Resource not found", { uri: "file:///work/a.ts" });
    });
    await using editor = at.editor;
    await say(at, "read");
    expect(heard(editor)).toEqual([
      { error: { code: -32_002, message: "Resource not found", data: { uri: "file:///work/a.ts" } } },
    ]);
  });
});

test("a terminal of the editor is created, read, ended and released, and shown in its call", async () => {
  const answers: Record<string, Json> = {
    "terminal/create": { terminalId: "term-1" },
    "terminal/output": { output: "ok\n", truncated: false, exitStatus: null },
    "terminal/kill": {},
    "terminal/wait_for_exit": { exitCode: null, signal: "SIGTERM" },
    "terminal/release": {},
  };
  const asked: unknown[] = [];
  const at = await begun(ALL, async (method, params) => {
    asked.push([method, params.sessionId, params.terminalId ?? params.command]);
    return answers[method];
  });
  await using editor = at.editor;
  await say(at, "run");
  expect(asked).toEqual([
    ["terminal/create", at.id, "make"],
    ["terminal/output", at.id, "term-1"],
    ["terminal/kill", at.id, "term-1"],
    ["terminal/wait_for_exit", at.id, "term-1"],
    ["terminal/release", at.id, "term-1"],
  ]);
  const told = editor.take();
  expect(
    spokenIn(told)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).result),
  ).toEqual(Object.values(answers));
  const terminal = [{ type: "terminal", terminalId: "term-1" }];
  const calls = told.filter(({ sessionUpdate }) => sessionUpdate === "tool_call_update");
  expect(calls).toContainEqual(expect.objectContaining({ content: terminal }));
  expect(calls.at(-1)).toMatchObject({ status: "completed", content: terminal });
  // The terminal is left out when the session is replayed later.
  const cwd = join(home.path, "project");
  await editor.agent.request("session/load", { sessionId: at.id, cwd, mcpServers: [] });
  expect(JSON.stringify(editor.take())).not.toContain('"type":"terminal"');
});

describe("a form", () => {
  test("is shown with the call that the editor knows, and its answer reaches the agent", async () => {
    const asked: Json[] = [];
    const at = await begun(ALL, async (_method, params) => {
      asked.push(params);
      return { action: "accept", content: { place: "here" } };
    });
    await using editor = at.editor;
    await say(at, "form");
    await say(at, "form");
    const calls = editor.updates.flatMap(({ update }) =>
      update.sessionUpdate === "tool_call" ? [update.toolCallId] : [],
    );
    expect(new Set(calls).size).toBe(2);
    expect(asked).toEqual(calls.map((toolCallId) => ({ ...FORM, sessionId: at.id, toolCallId })));
    expect(heard(editor)).toEqual([
      { result: { action: "accept", content: { place: "here" } } },
      { result: { action: "accept", content: { place: "here" } } },
    ]);
  });

  test("at an address is named by its id, and the editor hears of its completion", async () => {
    const at = await begun(ALL, async () => ({ action: "accept" }));
    await using editor = at.editor;
    await say(at, "visit");
    expect(editor.completed).toEqual(["e1"]);
  });

  test("that is open when the turn is cancelled is cancelled for the agent, and taken back from the editor", async () => {
    const shown = Promise.withResolvers<AbortSignal>();
    const at = await begun(ALL, async (_method, _params, signal) => {
      shown.resolve(signal);
      return await new Promise(() => undefined);
    });
    await using editor = at.editor;
    const turn = say(at, "ask for ever");
    const signal = await shown.promise;
    await editor.agent.notify("session/cancel", { sessionId: at.id });
    expect(await turn).toEqual({ stopReason: "cancelled" });
    await expect.poll(() => signal.aborted).toBe(true);
    expect(home.answers().at(-1)).toMatchObject({ result: { action: "cancel" } });
  });
});

describe("an agent hears of", () => {
  const greeted = (): unknown => home.sent("initialize").at(-1)?.clientCapabilities;

  test("everything that the editor supports", async () => {
    const { editor } = await begun(ALL);
    await using _editor = editor;
    await expect.poll(greeted).toMatchObject(ALL);
  });

  test("nothing that the editor lacks, and requests for it are refused", async () => {
    const asked: string[] = [];
    const at = await begun({ fs: { readTextFile: true, writeTextFile: false } }, async (method) => {
      asked.push(method);
      return { content: "" };
    });
    await using editor = at.editor;
    await expect.poll(greeted).toMatchObject({
      fs: { readTextFile: true, writeTextFile: false },
      terminal: false,
    });
    expect(greeted()).not.toHaveProperty("elicitation");
    for (const words of ["write", "run", "form"]) await say(at, words);
    expect(asked).toEqual([]);
    const codes = (heard(editor) as readonly { readonly error?: { readonly code: number } }[]).map(
      ({ error }) => error?.code,
    );
    expect(new Set(codes)).toEqual(new Set([-32_601]));
    await say(at, "read");
    expect(asked).toEqual(["fs/read_text_file"]);
  });
});

describe("a compaction of the agent", () => {
  const kinds = (editor: Editor): readonly string[] =>
    editor
      .take()
      .flatMap(({ sessionUpdate }) => (/compaction|notice/u.test(sessionUpdate) ? [sessionUpdate] : []));

  test("is shown as it happens where the editor shows compactions, with its notice", async () => {
    const at = await begun({ session: { compaction: {}, notices: {} } });
    await using editor = at.editor;
    await say(at, "sum up");
    expect(kinds(editor)).toEqual([
      "compaction_update",
      "compaction_summary_chunk",
      "compaction_update",
      "notice",
    ]);
  });

  test("is not sent to an editor without them", async () => {
    const at = await begun({});
    await using editor = at.editor;
    await say(at, "sum up");
    expect(kinds(editor)).toEqual([]);
    expect(editor.reports).toContain("Summed up");
  });
});

describe("a sub-agent of the agent", () => {
  const shown = (editor: Editor): readonly unknown[] =>
    editor.take().filter(({ sessionUpdate }) => sessionUpdate === "subagent_update");

  test("has its own id if the editor shows sub-agents, and accepts no prompt", async () => {
    const at = await begun({ subagents: {} });
    await using editor = at.editor;
    await say(at, "ask a reviewer");
    const child = { sessionUpdate: "subagent_update", sessionId: `${at.id}/child-1` };
    expect(shown(editor)).toEqual([
      { ...child, title: "Reviewer", state: { state: "running" } },
      { ...child, state: { state: "idle" } },
    ]);
  });

  test("is not sent to an editor without them", async () => {
    const at = await begun({});
    await using editor = at.editor;
    await say(at, "ask a reviewer");
    expect(shown(editor)).toEqual([]);
  });
});
