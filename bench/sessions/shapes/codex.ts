/** Conversations as Codex 0.169 writes them, in the legacy history mode (`docs/formats/codex.md`). */

import { join } from "node:path";
import { type Conversation, INJECTED } from "../conversation.ts";
import type { Random } from "../random.ts";
import type { NativeFile } from "./native-file.ts";

export function toCodex(conversation: Conversation, random: Random, home: string): NativeFile {
  const start = conversation.turns[0]?.at ?? 0;
  const lines: unknown[] = [];
  const write = (type: string, payload: Readonly<Record<string, unknown>>, at: number): void => {
    lines.push({ timestamp: new Date(at).toISOString(), type, payload });
  };
  write(
    "session_meta",
    {
      id: conversation.id,
      timestamp: new Date(start).toISOString(),
      cwd: conversation.cwd,
      originator: "codex_cli",
      cli_version: "0.169.0",
      source: "cli",
      git: { commit_hash: random.hex(40), branch: conversation.branch },
    },
    start,
  );
  const injected = { type: "message", role: "developer", content: [{ type: "input_text", text: INJECTED }] };
  write("response_item", injected, start);
  for (const turn of conversation.turns) {
    const turn_id = random.uuid();
    let at = turn.at;
    const tick = (ms: number): number => {
      at += ms;
      return at;
    };
    write("event_msg", { type: "task_started", turn_id, model_context_window: 272_000 }, at);
    write(
      "turn_context",
      { turn_id, cwd: conversation.cwd, model: "gpt-5.5", approval_policy: "never", summary: "auto" },
      at,
    );
    write(
      "response_item",
      { type: "message", role: "user", content: [{ type: "input_text", text: turn.prompt }] },
      at,
    );
    write("event_msg", { type: "user_message", message: turn.prompt, images: [] }, at);
    for (const step of turn.steps) {
      const call_id = `call_${random.hex(24)}`;
      write("event_msg", { type: "agent_reasoning", text: step.thinking }, tick(400));
      write(
        "response_item",
        {
          type: "reasoning",
          summary: [{ type: "summary_text", text: step.thinking }],
          encrypted_content: random.hex(600),
        },
        at,
      );
      write(
        "response_item",
        { type: "function_call", name: "exec_command", arguments: JSON.stringify(step.input), call_id },
        tick(300),
      );
      write("response_item", { type: "function_call_output", call_id, output: step.output }, tick(900));
      const last = {
        input_tokens: random.int(500, 90_000),
        cached_input_tokens: 0,
        output_tokens: random.int(5, 900),
        reasoning_output_tokens: 5,
        total_tokens: 91_000,
      };
      write(
        "event_msg",
        {
          type: "token_count",
          info: { total_token_usage: last, last_token_usage: last, model_context_window: 272_000 },
        },
        at,
      );
    }
    write("event_msg", { type: "agent_message", message: turn.answer }, tick(700));
    write(
      "response_item",
      { type: "message", role: "assistant", content: [{ type: "output_text", text: turn.answer }] },
      at,
    );
    write("event_msg", { type: "task_complete", turn_id, last_agent_message: turn.answer }, at);
  }
  const time = new Date(start).toISOString();
  const name = `rollout-${time.slice(0, 19).replaceAll(":", "-")}-${conversation.id}.jsonl`;
  return { path: join(home, ".codex/sessions", time.slice(0, 10).replaceAll("-", "/"), name), lines };
}
