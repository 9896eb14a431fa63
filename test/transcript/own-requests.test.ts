/**
 * The sample of docs/transcript.md, as a reader copies it, sends requests to a model that enforces the rules of both
 * providers.
 */

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { openContinuo } from "@continuo/server/runtime";
import { expect, test } from "vitest";
import { fromSource } from "../docs/example-source.ts";
import { startModelServer, text } from "../model-servers/index.ts";
import { scratchFolder } from "../scratch-folder.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/transcript.md"), "utf8");
const [, SAMPLE = ""] = /## Requests of your own\n[\s\S]*?```ts\n([\s\S]*?)```/u.exec(PAGE) ?? [];

test("the sample sends a session with a tool call to OpenAI's and to Anthropic's API, which accept and answer it", async () => {
  const folder = scratchFolder("own-requests");
  const c = await openContinuo(`sqlite:${join(folder, "desk.db")}`, {
    agents: [
      {
        name: "desk",
        execute: async (_, { onEvent }) => {
          const call = { toolCallId: "c1", toolName: "find_order" };
          await onEvent({ type: "tool_call", ...call, toolInput: { order: "7" } });
          await onEvent({
            type: "tool_result",
            toolCallId: "c1",
            content: "It is in Ulm.",
            status: "ok",
          });
          await onEvent({ type: "message", content: [{ type: "text", text: "Your order is in Ulm." }] });
          return {};
        },
      },
    ],
  });
  await c.session("customer-7", { create: true }).send("Where is my order?").result();
  await c.close();
  await using models = await startModelServer({
    turns: [{ user: "And when does it arrive?", answers: [[text("On Friday.")]] }],
  });
  const program = join(folder, "ask.ts");
  writeFileSync(program, fromSource(SAMPLE));
  const env = { PATH: process.env.PATH, HOME: folder, MODEL_URL: models.url };
  const { stdout } = await promisify(execFile)(process.execPath, [program], { cwd: folder, env });
  expect(stdout.match(/On Friday\./gu)).toHaveLength(2);
  expect(stdout.trimEnd().split("\n").at(-1)).toBe("{} {}");
  expect(models.requests.map(({ protocol, violations }) => ({ protocol, violations }))).toEqual([
    { protocol: "chat", violations: [] },
    { protocol: "anthropic", violations: [] },
  ]);
  for (const { body } of models.requests) {
    const sent = JSON.stringify(body.messages);
    for (const words of ["Where is my order?", "find_order", "It is in Ulm.", "Your order is in Ulm."])
      expect(sent).toContain(words);
  }
});
