/** The protocols of three agents, and conversations in which a program stands in for the agent's. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DriverLimits, type DriverOptions, rememberCapabilities } from "@continuo/agents/drivers/link";
import type { AgentDriver, AgentEvent, Conversation, SessionCapabilities } from "@continuo/core/model";
import { expect } from "vitest";
import { createClaudeDriver } from "../../packages/agents/src/drivers/claude/index.ts";
import { createCodexDriver } from "../../packages/agents/src/drivers/codex/index.ts";
import { GATE_COMMAND } from "../../packages/agents/src/drivers/pi/gate.ts";
import { createPiDriver } from "../../packages/agents/src/drivers/pi/index.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";
import type { Reaction, StandInScript } from "./stand-in.ts";

const STAND_IN = await bundledProgram("test/protocol/stand-in.ts");
export const SESSION = "019aa000-0000-7000-8000-000000000001";
export const OTHER = "019aa000-0000-7000-8000-000000000002";

/** The parts of one agent's protocol that these tests need. */
export interface Tongue {
  readonly create: (options: DriverOptions) => AgentDriver;
  readonly help: string;
  /** The reactions up to the first turn in this session. */
  hello(sessionId: string): readonly Reaction[];
  /** A text in the line that sends a prompt. */
  readonly prompt: string;
  /** The output after a prompt: the beginning of the turn, and its first text. */
  began(words: string): readonly unknown[];
  readonly ended: readonly unknown[];
  /** A message of an unknown type. */
  readonly strange: unknown;
  /** A question that no client can answer, and a text in the client's refusal. */
  readonly question: unknown;
  readonly refusal: string;
}

export const TONGUES: Readonly<Record<string, Tongue>> = {
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

export function lines(...messages: readonly unknown[]): string {
  return messages.map((one) => `${typeof one === "string" ? one : JSON.stringify(one)}\n`).join("");
}

export interface Opening {
  readonly limits?: Partial<DriverLimits>;
  readonly resumeSessionId?: string;
  /** The capabilities of the program, if they are known before it starts. */
  readonly known?: SessionCapabilities;
}

export async function open(
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

export interface Told {
  readonly events: readonly AgentEvent[];
  readonly error: unknown;
}

export async function turn(conversation: Conversation, onText: () => void = () => undefined): Promise<Told> {
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

export const TEXT: object = { type: "text", delta: "half an answer", messageId: expect.any(String) };
export const words = (events: readonly AgentEvent[]): readonly AgentEvent[] =>
  events.filter((event) => event.type === "text");
