import { expect, test } from "vitest";
import { askTool } from "./ask-tool.ts";
import type { QuestionChannels, ToolContext } from "./tool-context.ts";

test("a call that its client cancelled no longer waits for the answer", async () => {
  const stop = new AbortController();
  const looked = Promise.withResolvers<void>();
  let looks = 0;
  const asking: QuestionChannels = {
    channels: ["team"],
    present: async () => [],
    ask: async () => undefined,
    replyTo: async () => {
      looks++;
      looked.resolve();
      return null;
    },
  };
  const context = { asking, mask: (text: string) => text } as unknown as ToolContext;
  const question = { question: "Which port?", to: "codex", waitSeconds: 60 };
  const answer = Promise.resolve(askTool.call(question, context, stop.signal));
  const ended = expect(answer).rejects.toMatchObject({ name: "AbortError" });
  await looked.promise;
  stop.abort();
  await ended;
  expect(looks).toBe(1);
});
