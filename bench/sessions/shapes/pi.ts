/** Conversations as pi 1.5 writes them, version 3 (`docs/formats/pi.md`). */

import { join } from "node:path";
import type { Conversation } from "../conversation.ts";
import type { Random } from "../random.ts";
import type { NativeFile } from "./native-file.ts";

export function toPi(conversation: Conversation, random: Random, home: string): NativeFile {
  const start = conversation.turns[0]?.at ?? 0;
  const startTime = new Date(start).toISOString();
  const lines: unknown[] = [
    { type: "session", version: 3, id: conversation.id, timestamp: startTime, cwd: conversation.cwd },
  ];
  let parentId: string | null = null;
  const link = (fields: Readonly<Record<string, unknown>>, at: number): void => {
    const id = random.hex(8);
    lines.push({ ...fields, id, parentId, timestamp: new Date(at).toISOString() });
    parentId = id;
  };
  for (const turn of conversation.turns) {
    let at = turn.at;
    const tick = (ms: number): number => {
      at += ms;
      return at;
    };
    const message = (fields: Readonly<Record<string, unknown>>): void =>
      link({ type: "message", message: { ...fields, timestamp: tick(800) } }, at);
    const answer = {
      api: "openai-completions",
      provider: "openai",
      model: "gpt-5.5",
      usage: {
        input: random.int(50, 9000),
        output: 90,
        cacheRead: 0,
        cacheWrite: 0,
        totalTokens: 9990,
        cost: { input: 0.01, output: 0.02, cacheRead: 0, cacheWrite: 0, total: 0.03 },
      },
    };
    message({ role: "user", content: [{ type: "text", text: turn.prompt }] });
    for (const step of turn.steps) {
      const id = `call_${random.hex(20)}`;
      message({
        role: "assistant",
        content: [
          { type: "thinking", thinking: step.thinking, thinkingSignature: "reasoning_content" },
          { type: "toolCall", id, name: step.tool, arguments: step.input },
        ],
        ...answer,
        stopReason: "toolUse",
      });
      message({
        role: "toolResult",
        toolCallId: id,
        toolName: step.tool,
        content: [{ type: "text", text: step.output }],
        isError: step.isError,
      });
    }
    message({
      role: "assistant",
      content: [{ type: "text", text: turn.answer }],
      ...answer,
      stopReason: "stop",
    });
  }
  if (conversation.title !== null) link({ type: "session_info", name: conversation.title }, start);
  const folder = `--${conversation.cwd.replace(/^\//u, "").replace(/[/\\:]/gu, "-")}--`;
  const name = `${startTime.replaceAll(/[:.]/gu, "-")}_${conversation.id}.jsonl`;
  return { path: join(home, ".pi/agent/sessions", folder, name), lines };
}
