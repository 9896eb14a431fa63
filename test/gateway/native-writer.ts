/** Writes native sessions as another process does, and lists the updates that an editor received of them. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { findNativeSessions } from "@continuo/native";
import { openSessionAdapter } from "@continuo/native/editing";
import { expect } from "vitest";
import { makeConversation } from "../../bench/sessions/conversation.ts";
import { createRandom } from "../../bench/sessions/random.ts";
import { openOpencode } from "../../bench/sessions/shapes/index.ts";
import { cleanEnv, type Home } from "../cli/home.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";
import type { Editor } from "./editor.ts";

const FORMATS = {
  claude: "ccsdk",
  codex: "codex",
  gemini: "gemini",
  opencode: "opencode",
  pi: "pi-agent",
} as const;
export type WriterName = keyof typeof FORMATS;
export const AGENTS = Object.keys(FORMATS) as readonly WriterName[];

/** Begins a session with a question and an answer. */
export async function begin(home: Home, agent: WriterName): Promise<void> {
  const cwd = join(home.path, "project");
  if (agent === "opencode") {
    const random = createRandom(20261129);
    const opencode = openOpencode(home.path);
    opencode.write({ ...makeConversation(random, 20_000, 1), cwd }, random);
    opencode.close();
    return;
  }
  const places = { home: home.path, env: cleanEnv(home.path) };
  await using adapter = openSessionAdapter({ format: FORMATS[agent], create: { cwd }, places });
  await adapter.appendUserMessage("Fix the build");
  await adapter.appendAssistantMessage("It is fixed.");
}

/** Adds a question, and an answer with a call and its result, as a program does. */
export async function addTurn(home: Home, agent: WriterName, name: string): Promise<void> {
  await using adapter = await openAsAgent(home, agent);
  await adapter.appendUserMessage(`Run the tests ${name}`);
  const call = {
    type: "tool_call",
    id: `call-${name}`,
    name: "Bash",
    args: { command: "make test" },
  } as const;
  await adapter.appendAssistantMessage([{ type: "text", text: "I run them." }, call]);
  await adapter.appendToolResult(`call-${name}`, "all green");
  await adapter.appendAssistantMessage("They pass.");
}

/** Adds the records that an agent writes about a turn of Continuo's. */
export async function addAnswer(
  home: Home,
  agent: WriterName,
  { prompt, answer }: { readonly prompt: string; readonly answer: string },
): Promise<void> {
  await using adapter = await openAsAgent(home, agent);
  await adapter.appendUserMessage(prompt);
  await adapter.appendAssistantMessage(answer);
}

/** Runs `addTurn` as another process. */
export async function addTurnElsewhere(home: Home, agent: WriterName, name: string): Promise<void> {
  const program = await bundledProgram("test/gateway/turn-writer.ts");
  const args = [program, JSON.stringify(await optionsOf(home, agent)), name];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(status, stderr).toBe(0);
}

/** Opens the session of an agent as its own program does. */
export async function openAsAgent(
  home: Home,
  agent: WriterName,
): Promise<ReturnType<typeof openSessionAdapter>> {
  return openSessionAdapter(asAgent(home, await optionsOf(home, agent)));
}

/** An agent does not know the locks of Continuo, which are in the home of Continuo. */
function asAgent<Options extends { readonly places: { readonly env: object } }>(
  home: Home,
  options: Options,
) {
  const { places } = options;
  return {
    ...options,
    places: { ...places, env: { ...places.env, CONTINUO_HOME: join(home.path, "agent") } },
  };
}

async function optionsOf(home: Home, agent: WriterName) {
  const places = { home: home.path, env: cleanEnv(home.path) };
  const [found] = await Array.fromAsync(findNativeSessions({ places, agents: [agent] }));
  if (found === undefined) throw new Error(`${agent} has no session`);
  const { sessionId, files } = found;
  return { format: FORMATS[agent], sessionFile: files[0]?.path ?? "", sessionId, places };
}

/** The kinds and texts of updates, joined where they belong to one message. */
export function told(editor: Editor): readonly string[] {
  return editor.take().flatMap((update) => {
    if ("content" in update && update.sessionUpdate.endsWith("message_chunk")) {
      const { content } = update as { content: { type: string; text?: string } };
      return [`${update.sessionUpdate}: ${content.text}`];
    }
    if (update.sessionUpdate === "tool_call") return [`call ${update.toolCallId}`];
    if (update.sessionUpdate === "tool_call_update") return [`${update.status} ${update.toolCallId}`];
    return [];
  });
}

/** The updates that an editor receives of the turn that `addTurn` added. */
export const turnOf = (name: string): readonly string[] => [
  `user_message_chunk: Run the tests ${name}`,
  "agent_message_chunk: I run them.",
  `call call-${name}`,
  `completed call-${name}`,
  "agent_message_chunk: They pass.",
];
