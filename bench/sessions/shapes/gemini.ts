/** Conversations as Gemini CLI 0.61 writes them (`docs/formats/gemini.md`). */

import { basename, join } from "node:path";
import type { Conversation } from "../conversation.ts";
import type { Random } from "../random.ts";
import type { NativeFile } from "./native-file.ts";

export function toGemini(conversation: Conversation, random: Random, home: string): NativeFile {
  const start = conversation.turns[0]?.at ?? 0;
  const lines: unknown[] = [
    {
      sessionId: conversation.id,
      projectHash: random.hex(64),
      startTime: new Date(start).toISOString(),
      lastUpdated: new Date(start).toISOString(),
      kind: "main",
    },
  ];
  for (const turn of conversation.turns) {
    let at = turn.at;
    const tick = (ms: number): number => {
      at += ms;
      return at;
    };
    const message = (fields: Readonly<Record<string, unknown>>): void => {
      lines.push({ id: random.uuid(), timestamp: new Date(tick(800)).toISOString(), ...fields });
    };
    message({ type: "user", content: [{ text: turn.prompt }] });
    for (const step of turn.steps) {
      const id = `run_shell_command__${random.hex(12)}`;
      const response = { functionResponse: { id, name: step.tool, response: { output: step.output } } };
      message({
        type: "gemini",
        content: "",
        thoughts: [{ subject: "Step", description: step.thinking, timestamp: new Date(at).toISOString() }],
        tokens: {
          input: random.int(100, 9000),
          output: random.int(5, 900),
          cached: 0,
          thoughts: 7,
          tool: 0,
          total: 9900,
        },
        model: "gemini-3.1-pro-preview",
        toolCalls: [
          {
            id,
            name: step.tool,
            args: step.input,
            result: [response],
            status: step.isError ? "error" : "success",
            timestamp: new Date(at).toISOString(),
            resultDisplay: step.output.slice(0, 200),
          },
        ],
      });
    }
    message({
      type: "gemini",
      content: turn.answer,
      model: "gemini-3.1-pro-preview",
      tokens: { input: 900, output: 90, cached: 0, thoughts: 0, tool: 0, total: 990 },
    });
    lines.push({ $set: { lastUpdated: new Date(at).toISOString() } });
  }
  if (conversation.title !== null) lines.push({ $set: { summary: conversation.title } });
  const minute = new Date(start).toISOString().slice(0, 16).replace(":", "-");
  const chats = join(home, ".gemini/tmp", basename(conversation.cwd), "chats");
  return {
    path: join(chats, `session-${minute}-${conversation.id.slice(0, 8)}.jsonl`),
    lines,
    beside: { path: join(chats, "../.project_root"), text: conversation.cwd },
  };
}
