import type { Message } from "@continuo/core/model";
import { expect, test } from "vitest";
import { KnownPrompts, type RunPrompt } from "./known-prompts.ts";
import { GATEWAY_LIMITS } from "./limits.ts";

const AT = Date.parse("2026-11-29T12:00:00Z");

function sent(runId: string, text: string, more: Partial<RunPrompt> = {}): RunPrompt {
  return {
    runId,
    input: text === "" ? [] : [{ type: "text", text }],
    fromMs: AT,
    toMs: AT + 10_000,
    ...more,
  };
}

function written(id: string, text: string, atMs: number = AT + 100): Message {
  const timestamp = new Date(atMs).toISOString();
  return { id, role: "user", content: [{ type: "text", text }], timestamp, metadata: {} };
}

function known(...prompts: readonly RunPrompt[]): KnownPrompts {
  const all = new KnownPrompts();
  for (const prompt of prompts) all.add(prompt);
  return all;
}

test("a prompt is one message: the same words again are a turn of another program", () => {
  const prompts = known(sent("r", "go on"));
  expect(prompts.has(written("a", "go on"))).toBe(true);
  expect(prompts.has(written("b", "go on"))).toBe(false);
  expect(prompts.has(written("a", "go on"))).toBe(true);
});

test("a prompt that is added again ends with its turn", () => {
  const ended = known(sent("r", "go on", { toMs: Number.POSITIVE_INFINITY }), sent("r", "go on"));
  expect(ended.has(written("a", "go on", AT + 60_000))).toBe(false);
});

test("thousands of prompts leave only the newest ones known", () => {
  const prompts = new KnownPrompts();
  for (let at = 0; at < 5_000; at += 1) prompts.add(sent(`run-${at}`, `prompt ${at}`));
  expect(prompts.size).toBe(GATEWAY_LIMITS.knownPrompts);
  expect(prompts.has(written("new", "prompt 4999"))).toBe(true);
  expect(prompts.has(written("old", "prompt 0"))).toBe(false);
});
