/** Conversations as Claude Code 2.1 writes them (`docs/formats/claude.md`). */

import { join } from "node:path";
import { type BenchStep, type Conversation, INJECTED } from "../conversation.ts";
import type { Random } from "../random.ts";
import type { NativeFile } from "./native-file.ts";

type Line = Readonly<Record<string, unknown>>;

export function toClaude(conversation: Conversation, random: Random, home: string): NativeFile {
  const chain = createChain(conversation, random);
  for (const turn of conversation.turns) {
    let at = turn.at;
    const message = { role: "user", content: turn.prompt };
    chain.link({ type: "user", promptId: random.uuid(), message, permissionMode: "default" }, at);
    if (turn === conversation.turns[0]) chain.link(SKILLS, at);
    for (const step of turn.steps) {
      const call = callLines(step, random);
      chain.link(call.thinking, at + 700);
      const source = chain.link(call.use, at + 750);
      chain.link({ ...call.result, sourceToolAssistantUUID: source }, at + 900);
      at += 1000;
    }
    chain.link(assistant(random, random.hex(24), { type: "text", text: turn.answer }, "end_turn"), at + 700);
    const lastPrompt = turn.prompt.slice(0, 200);
    chain.lines.push({ type: "last-prompt", lastPrompt, leafUuid: chain.tip(), sessionId: conversation.id });
  }
  if (conversation.title !== null) {
    const place = random.int(1, chain.lines.length);
    chain.lines.splice(place, 0, titleLine(conversation.title, conversation.id, random));
  }
  const folder = conversation.cwd.replace(/[^a-zA-Z0-9]/gu, "-");
  return { path: join(home, ".claude/projects", folder, `${conversation.id}.jsonl`), lines: chain.lines };
}

const SKILLS: Line = {
  type: "attachment",
  attachment: { type: "skill_listing", content: INJECTED, skillCount: 5, isInitial: true },
  rendered: [{ content: `<system-reminder>\nThese skills can be used:\n\n${INJECTED}\n</system-reminder>` }],
  renderedRole: "system",
};

interface Chain {
  readonly lines: Line[];
  /** Adds a line after the newest one, and returns its uuid. */
  link(line: Line, at: number): string;
  tip(): string | null;
}

function createChain(conversation: Conversation, random: Random): Chain {
  const lines: Line[] = [];
  let tip: string | null = null;
  const common = {
    userType: "external",
    entrypoint: "cli",
    cwd: conversation.cwd,
    sessionId: conversation.id,
    version: "2.1.330",
    gitBranch: conversation.branch,
  };
  return {
    lines,
    tip: () => tip,
    link(line, at) {
      const uuid = random.uuid();
      const timestamp = new Date(at).toISOString();
      lines.push({ parentUuid: tip, isSidechain: false, ...line, uuid, timestamp, ...common });
      tip = uuid;
      return uuid;
    },
  };
}

function callLines(step: BenchStep, random: Random): { thinking: Line; use: Line; result: Line } {
  const [id, call] = [random.hex(24), `toolu_${random.hex(24)}`];
  const thinking = { type: "thinking", thinking: step.thinking, signature: random.hex(400) };
  const use = { type: "tool_use", id: call, name: step.tool, input: step.input };
  const result = { tool_use_id: call, type: "tool_result", content: step.output, is_error: step.isError };
  return {
    thinking: assistant(random, id, thinking, "tool_use"),
    use: assistant(random, id, use, "tool_use"),
    result: {
      type: "user",
      message: { role: "user", content: [result] },
      toolUseResult: { stdout: step.output, stderr: "", interrupted: false },
    },
  };
}

function assistant(random: Random, id: string, block: unknown, stop: string): Line {
  const usage = {
    input_tokens: random.int(5, 4000),
    output_tokens: random.int(10, 900),
    cache_read_input_tokens: random.int(0, 90_000),
    cache_creation_input_tokens: random.int(0, 4000),
  };
  const message = {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model: "claude-opus-5-5",
    content: [block],
    stop_reason: stop,
    stop_sequence: null,
    usage,
  };
  return { type: "assistant", requestId: `req_${id}`, message };
}

function titleLine(title: string, sessionId: string, random: Random): Line {
  const titled = random.pick([
    { type: "ai-title", aiTitle: title },
    { type: "custom-title", customTitle: title },
  ]);
  return { ...titled, sessionId };
}
