import { generateText, streamText } from "ai";
import { expect, test } from "vitest";
import { ScriptedModel } from "./scripted-model.ts";

test("a text comes in its pieces, and the model knows what it was asked", async () => {
  const model = new ScriptedModel({
    turns: [
      [{ think: "Hm." }, { stream: ["It ", "rains."] }, { usage: { inputTokens: 7, outputTokens: 3 } }],
    ],
  });
  const result = streamText({ model, system: "Be brief.", prompt: "Weather?" });
  expect(await Array.fromAsync(result.textStream)).toEqual(["It ", "rains."]);
  expect(await result.reasoningText).toBe("Hm.");
  expect(await result.usage).toMatchObject({ inputTokens: 7, outputTokens: 3 });
  expect(model.given).toMatchObject([
    { instructions: "Be brief.", messages: ["user: Weather?"], tools: [], schema: null },
  ]);
});

test("a call, a refusal by length and a value have their ends, at once too", async () => {
  const model = new ScriptedModel({
    turns: [
      [{ say: "I look." }, { call: "look", input: { order: 7 } }],
      [{ say: "Too long" }, { finish: "length" }],
      [{ value: { total: 3 } }],
    ],
  });
  const first = await generateText({ model, prompt: "1" });
  expect([first.text, first.finishReason]).toEqual(["I look.", "tool-calls"]);
  expect(first.toolCalls).toMatchObject([{ toolCallId: "call-1-2", toolName: "look", input: { order: 7 } }]);
  expect((await generateText({ model, prompt: "2" })).finishReason).toBe("length");
  expect((await generateText({ model, prompt: "3" })).text).toBe('{"total":3}');
});

test("a model that is asked more than it has fails, and names the request", async () => {
  const model = new ScriptedModel({ turns: [[{ say: "One" }]] });
  await generateText({ model, prompt: "first" });
  await expect(generateText({ model, prompt: "second" })).rejects.toMatchObject({
    code: "invalid",
    message: "the scripted model has 1 turn, and request 2 is: user: second",
  });
  expect(model.given).toHaveLength(2);
  expect(() => new ScriptedModel({ turns: [], turn: [] } as never)).toThrow("turn");
});

test("an error comes before the answer or breaks it off, and a wait ends with its caller", async () => {
  const model = new ScriptedModel({
    turns: [
      [{ fail: "overloaded", status: 529 }],
      [{ say: "Half" }, { fail: "cut" }, { say: "never" }],
      [{ wait: "abort" }],
      [{ wait: 5 }, { say: "late" }],
    ],
  });
  const prompt = [{ role: "user", content: [{ type: "text", text: "x" }] }];
  await expect(model.doStream({ prompt })).rejects.toMatchObject({ message: "overloaded", statusCode: 529 });
  const parts = await Array.fromAsync((await model.doStream({ prompt })).stream);
  expect(parts.map(({ type }) => type)).toEqual([
    "stream-start",
    "text-start",
    "text-delta",
    "text-end",
    "error",
  ]);
  const stop = new AbortController();
  const waiting = Array.fromAsync((await model.doStream({ prompt, abortSignal: stop.signal })).stream);
  stop.abort(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
  expect((await model.doGenerate({ prompt })).content).toEqual([{ type: "text", text: "late" }]);
});
