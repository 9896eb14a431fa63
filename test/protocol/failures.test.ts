/** The outcome of a conversation when the agent's program breaks the rules: a program stands in for it. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type DriverLimits,
  type DriverOptions,
  NO_CAPABILITIES,
  rememberCapabilities,
} from "@continuo/agents/drivers/link";
import type { AgentDriver, AgentEvent, Conversation, SessionCapabilities } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import { createClaudeDriver } from "../../packages/agents/src/drivers/claude/index.ts";
import { createCodexDriver } from "../../packages/agents/src/drivers/codex/index.ts";
import { GATE_COMMAND } from "../../packages/agents/src/drivers/pi/gate.ts";
import { createPiDriver } from "../../packages/agents/src/drivers/pi/index.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";
import type { Reaction, StandInScript } from "./stand-in.ts";

const STAND_IN = await bundledProgram("test/protocol/stand-in.ts");
const SESSION = "019aa000-0000-7000-8000-000000000001";
const OTHER = "019aa000-0000-7000-8000-000000000002";

/** One agent's protocol, as far as it is needed here. */
interface Tongue {
  readonly create: (options: DriverOptions) => AgentDriver;
  readonly help: string;
  /** Up to the first turn, in this session. */
  hello(sessionId: string): readonly Reaction[];
  /** In a line that says something. */
  readonly prompt: string;
  /** After it: that the turn began, and its first words. */
  began(words: string): readonly unknown[];
  readonly ended: readonly unknown[];
  /** Nobody knows it. */
  readonly strange: unknown;
  /** A question that nobody can answer, and words of its refusal. */
  readonly question: unknown;
  readonly refusal: string;
}

const TONGUES: Readonly<Record<string, Tongue>> = {
  claude: {
    create: createClaudeDriver,
    help: "1.0\n  --input-format <format>\n  --resume\n  --continue\n  --fork-session\n",
    hello: () => [
      {
        to: '"initialize"',
        print: lines({
          type: "control_response",
          response: { subtype: "success", request_id: "$id", response: {} },
        }),
      },
    ],
    prompt: '"type":"user"',
    began: (text) => [
      { type: "command_lifecycle", command_uuid: "$id", state: "started" },
      { type: "system", subtype: "init", session_id: SESSION },
      {
        type: "stream_event",
        parent_tool_use_id: null,
        event: { type: "message_start", message: { id: "m" } },
      },
      {
        type: "stream_event",
        parent_tool_use_id: null,
        event: { type: "content_block_delta", delta: { type: "text_delta", text } },
      },
    ],
    ended: [{ type: "result", subtype: "success", is_error: false, stop_reason: "end_turn" }],
    strange: { type: "no_such", a: 1 },
    question: { type: "control_request", request_id: "q", request: { subtype: "no_such" } },
    refusal: '"subtype":"error"',
  },
  codex: {
    create: createCodexDriver,
    help: "",
    hello: (id) => [
      { to: '"initialize"', print: '{"id":$id,"result":{"userAgent":"continuo/1.0 (x)"}}\n' },
      {
        to: '"continuo/methods"',
        print:
          '{"id":$id,"error":{"code":-32600,"message":"expected one of `thread/resume`, `thread/fork`"}}\n',
      },
      { to: '"config/read"', print: '{"id":$id,"result":{"config":{}}}\n' },
      { to: '"thread/', print: `{"id":$id,"result":{"thread":{"id":"${id}"}}}\n` },
    ],
    prompt: '"turn/start"',
    began: (delta) => [
      '{"id":$id,"result":{"turn":{"id":"turn"}}}',
      { method: "turn/started", params: { threadId: SESSION, turn: { id: "turn" } } },
      {
        method: "item/agentMessage/delta",
        params: { threadId: SESSION, turnId: "turn", itemId: "m", delta },
      },
    ],
    ended: [
      { method: "turn/completed", params: { threadId: SESSION, turn: { id: "turn", status: "completed" } } },
    ],
    strange: { method: "no/such", params: { a: 1 } },
    question: { id: "q", method: "no/such", params: {} },
    refusal: '"code":-32601',
  },
  pi: {
    create: createPiDriver,
    help: "1.0\n  --mode <mode>\n  --session <path|id>\n  --continue\n  --fork\n",
    hello: (sessionId) => [
      {
        to: '"get_state"',
        print: `{"id":$id,"type":"response","success":true,"data":{"sessionId":"${sessionId}"}}\n`,
      },
      {
        to: '"get_commands"',
        print: `{"id":$id,"type":"response","success":true,"data":{"commands":[{"name":"${GATE_COMMAND}"}]}}\n`,
      },
    ],
    prompt: '"prompt"',
    began: (delta) => [
      '{"id":$id,"type":"response","success":true,"data":{"disposition":"started"}}',
      { type: "agent_start" },
      { type: "message_start", message: { role: "assistant" } },
      { type: "message_update", assistantMessageEvent: { type: "text_delta", delta } },
    ],
    ended: [{ type: "agent_settled", aborted: false }],
    strange: { type: "no_such", a: 1 },
    question: { type: "extension_ui_request", id: "q", method: "input" },
    refusal: '"cancelled":true',
  },
};

function lines(...messages: readonly unknown[]): string {
  return messages.map((one) => `${typeof one === "string" ? one : JSON.stringify(one)}\n`).join("");
}

interface Opening {
  readonly limits?: Partial<DriverLimits>;
  readonly resumeSessionId?: string;
  /** The capabilities of the program are known from before. */
  readonly known?: SessionCapabilities;
}

async function open(
  tongue: Tongue,
  script: Partial<StandInScript>,
  more: Opening = {},
): Promise<Conversation> {
  const home = scratchFolder("stand-in");
  const file = join(home, "script.json");
  writeFileSync(file, JSON.stringify({ help: tongue.help, reactions: [], ...script }));
  const { limits = {}, known, ...asked } = more;
  const places = { home, env: { PATH: process.env.PATH } };
  const command = [process.execPath, STAND_IN, file];
  if (known !== undefined) {
    await rememberCapabilities(places, command, async () => ({ capabilities: known, version: null }));
  }
  const driver = tongue.create({ places, command, limits });
  return await driver.open({ cwd: home, ...asked });
}

interface Told {
  readonly events: readonly AgentEvent[];
  readonly error: unknown;
}

async function turn(conversation: Conversation, onText: () => void = () => undefined): Promise<Told> {
  const events: AgentEvent[] = [];
  try {
    for await (const event of conversation.prompt([{ type: "text", text: "Go on." }])) {
      events.push(event);
      if (event.type === "text") onText();
    }
    return { events, error: null };
  } catch (error) {
    return { events, error };
  }
}

const TEXT = { type: "text", delta: "half an answer", messageId: expect.any(String) };
const words = (events: readonly AgentEvent[]) => events.filter((event) => event.type === "text");

describe.concurrent.each(Object.entries(TONGUES))("%s", (_, tongue) => {
  const began = lines(...tongue.began("half an answer"));
  const hello = tongue.hello(SESSION);

  test("dies in the middle of a line: the turn fails with what it had said and how it ended", async () => {
    const print = `${began}{"type":"half`;
    await using conversation = await open(tongue, {
      reactions: [...hello, { to: tongue.prompt, print, isLast: true }],
    });
    const { events, error } = await turn(conversation);
    expect(words(events)).toEqual([TEXT]);
    expect(error).toMatchObject({ code: "agent_failed", details: { signal: "SIGKILL" } });
    expect((await turn(conversation)).error).toMatchObject({ code: "agent_failed" });
  });

  test("prints unknown events, or text that is not JSON: they are reported verbatim or left out, and the turn continues", async () => {
    const print = `${began}no json at all\n{"half": \n[1]\n${lines(tongue.strange, tongue.strange, ...tongue.ended)}`;
    await using conversation = await open(tongue, { reactions: [...hello, { to: tongue.prompt, print }] });
    const { events, error } = await turn(conversation);
    expect(error).toBe(null);
    expect(words(events)).toEqual([TEXT]);
    expect(events.filter((event) => JSON.stringify(event).includes('"a":1'))).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({ type: "turn_completed", stopReason: "end_turn" });
  });

  test("refuses a question that nobody can answer, and continues the turn", async () => {
    await using conversation = await open(tongue, {
      reactions: [
        { to: tongue.refusal, print: lines(...tongue.ended) },
        ...hello,
        { to: tongue.prompt, print: began + lines(tongue.question) },
      ],
    });
    const { events } = await turn(conversation);
    expect(events.find((event) => event.type === "diagnostics")).toBeDefined();
    expect(events.at(-1)).toMatchObject({ type: "turn_completed", stopReason: "end_turn" });
  });

  test("says nothing any more: the turn fails when the time is up, and the program is ended", async () => {
    const reactions = [...hello, { to: tongue.prompt, print: began }];
    // Its first words come before that, also while all tests of this file start their programs.
    await using conversation = await open(tongue, { reactions }, { limits: { silenceMs: 6_000 } });
    const { events, error } = await turn(conversation);
    expect(words(events)).toEqual([TEXT]);
    expect(error).toMatchObject({ code: "agent_failed", message: expect.stringContaining("said nothing") });
    expect((await turn(conversation)).error).toMatchObject({ code: "agent_failed" });
  });

  test("does not stop when it is asked to: the turn fails when the time is up", async () => {
    const reactions = [...hello, { to: tongue.prompt, print: began }];
    await using conversation = await open(tongue, { reactions }, { limits: { cancelMs: 300 } });
    const { error } = await turn(conversation, () => void conversation.cancel());
    expect(error).toMatchObject({ code: "agent_failed", message: expect.stringContaining("did not stop") });
  });

  test("does not start: that is an error with what it said", async () => {
    const opening = open(tongue, { refusal: "no licence" });
    await expect(opening).rejects.toMatchObject({
      code: "agent_failed",
      details: { stderr: "no licence", code: 3 },
    });
  });

  test("does not answer when it starts: that is an error when the time is up", async () => {
    const opening = open(tongue, { reactions: [] }, { limits: { startMs: 1_000 } });
    await expect(opening).rejects.toMatchObject({ code: "agent_failed" });
  });

  test("is closed in the middle of a turn: that is no failure of the agent", async () => {
    const reactions = [...hello, { to: tongue.prompt, print: began }];
    const conversation = await open(tongue, { reactions });
    const { error } = await turn(conversation, () => void conversation.close());
    expect(error).toMatchObject({ code: "interrupted" });
  });

  test("answers from another session than the requested one: it is reported as forked", async () => {
    const print = began + lines(...tongue.ended);
    const reactions = [...hello, { to: tongue.prompt, print }];
    await using conversation = await open(tongue, { reactions }, { resumeSessionId: OTHER });
    const { events } = await turn(conversation);
    const { resumption, sessionId } = conversation;
    expect([sessionId, resumption.forked]).toEqual([SESSION, { from: OTHER, to: SESSION }]);
    const told = events.some((event) => event.type === "native_session" && event.happened === "forked");
    // Either when it is opened, or by the first turn.
    expect(told || resumption.verifiedBy === "agent").toBe(true);
  });
});

test("Claude Code ends a turn of its own in between, and ours continues", async () => {
  const { claude } = TONGUES;
  if (claude === undefined) throw new Error("claude is missing");
  const other = {
    type: "result",
    subtype: "success",
    is_error: false,
    stop_reason: "end_turn",
    result: "other",
  };
  const queued = { type: "command_lifecycle", command_uuid: "$id", state: "queued" };
  const print = lines(queued, other, ...claude.began("half an answer"), ...claude.ended);
  await using conversation = await open(claude, {
    reactions: [...claude.hello(SESSION), { to: claude.prompt, print }],
  });
  const { events } = await turn(conversation);
  expect(words(events)).toEqual([TEXT]);
});

test("a warning of Codex before the first turn is reported in that turn", async () => {
  const { codex } = TONGUES;
  if (codex === undefined) throw new Error("codex is missing");
  const warning = { method: "configWarning", params: { summary: "Something is odd.", details: null } };
  const [initialize, ...hello] = codex.hello(SESSION);
  if (initialize === undefined) throw new Error("codex says nothing");
  const print = lines(...codex.began("half an answer"), ...codex.ended);
  await using conversation = await open(codex, {
    reactions: [
      { ...initialize, print: initialize.print + lines(warning) },
      ...hello,
      { to: codex.prompt, print },
    ],
  });
  const { events } = await turn(conversation);
  expect(events[0]).toEqual({
    type: "diagnostics",
    message: "Something is odd.",
    details: warning,
  });
});

test("Codex, known from before, is asked for a thread without waiting for the answer to the greeting", async () => {
  const { codex } = TONGUES;
  if (codex === undefined) throw new Error("codex is missing");
  const greeted = { id: 1, result: { userAgent: "continuo/1.0 (x)" } };
  const begun = `{"id":$id,"result":{"thread":{"id":"${SESSION}"}}}`;
  const reactions = [{ to: '"thread/start"', print: lines(greeted, begun) }];
  await using conversation = await open(codex, { reactions }, { known: NO_CAPABILITIES });
  expect(conversation.sessionId).toBe(SESSION);
});

test("Codex, known from before, refuses the greeting: that is the error", async () => {
  const { codex } = TONGUES;
  if (codex === undefined) throw new Error("codex is missing");
  const print = lines({ id: 1, error: { code: -32_600, message: "Too old." } });
  const opening = open(
    codex,
    { reactions: [{ to: '"initialize"', print }] },
    { known: NO_CAPABILITIES, limits: { openMs: 600_000 } },
  );
  await expect(opening).rejects.toMatchObject({
    code: "agent_failed",
    details: { answer: { message: "Too old." } },
  });
});
