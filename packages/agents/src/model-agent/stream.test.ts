/** The blocks of a message, made from the parts of a model's stream. */

import type { AgentEvent } from "@continuo/core/model";
import { expect, test } from "vitest";
import { createStreamFold, type StreamPart } from "./stream.ts";

const FINISHED = { type: "finish-step", finishReason: "stop", response: {}, usage: {} };
const USAGE = { inputTokenDetails: {}, outputTokenDetails: {} };

function blocksOf(...parts: readonly object[]): unknown {
  const fold = createStreamFold(() => "m");
  const all = [{ type: "start-step" }, ...parts, { ...FINISHED, usage: USAGE }];
  const events: AgentEvent[] = all.flatMap((part) => [...fold.take(part as StreamPart)]);
  return events.flatMap((event) => (event.type === "message" ? event.content : []));
}

const text = (words: string): object => ({ type: "text-delta", id: "t", text: words });
const thought = (words: string): object => ({ type: "reasoning-delta", id: "r", text: words });
const started = (metadata?: object): object => ({
  type: "reasoning-start",
  id: "r",
  ...(metadata === undefined ? {} : { providerMetadata: metadata }),
});

test("the texts before and after a thought that the provider hides stay two blocks, with the thought between them", () => {
  const hidden = { anthropic: { redactedData: "secret" } };
  expect(blocksOf(text("One."), started(hidden), { type: "reasoning-end", id: "r" }, text("Two."))).toEqual([
    { type: "text", text: "One." },
    expect.objectContaining({ type: "thinking", redacted: true, data: "secret" }),
    { type: "text", text: "Two." },
  ]);
});

test("a thought without words and without data of its provider leaves nothing, and divides no text", () => {
  expect(blocksOf(text("One "), started(), { type: "reasoning-end", id: "r" }, text("text."))).toEqual([
    { type: "text", text: "One text." },
  ]);
  expect(blocksOf(text("One."), started(), thought("Hm."), text("Two."))).toEqual([
    { type: "text", text: "One." },
    { type: "thinking", text: "Hm." },
    { type: "text", text: "Two." },
  ]);
});
