import type { Message } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import { KnownPrompts, type SentPrompt } from "./known-prompts.ts";
import { GATEWAY_LIMITS } from "./limits.ts";

const AT = Date.parse("2026-11-29T12:00:00Z");

function sent(runId: string, text: string, more: Partial<SentPrompt> = {}): SentPrompt {
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

function known(...prompts: readonly SentPrompt[]): KnownPrompts {
  const all = new KnownPrompts();
  for (const prompt of prompts) all.add(prompt);
  return all;
}

describe("a message of an agent's file is a prompt of Continuo's", () => {
  test("if it has the same words, in any spacing, or ends with them", () => {
    expect(known(sent("r", "fix\nthe  build")).has(written("a", "fix the build\n"))).toBe(true);
    expect(known(sent("r", "fix it")).has(written("a", "<context>files</context>\nfix it"))).toBe(true);
    expect(known(sent("r", "fix it")).has(written("a", "do not fix it yet"))).toBe(false);
    expect(known(sent("r", "it")).has(written("a", "fix bit"))).toBe(false);
  });

  test("if it is the form in which the agent writes a command or a picture", () => {
    expect(known(sent("r", "/compact")).has(written("a", "<command-name>compact</command-name>"))).toBe(true);
    expect(known(sent("r", "")).has(written("a", "[Image #1]"))).toBe(true);
  });

  test("only once: the same words again are a turn of another program", () => {
    const prompts = known(sent("r", "go on"));
    expect(prompts.has(written("a", "go on"))).toBe(true);
    expect(prompts.has(written("b", "go on"))).toBe(false);
    expect(prompts.has(written("a", "go on"))).toBe(true);
  });

  test("only while its turn ran", () => {
    const at = (ms: number) => written("a", "go on", AT + ms);
    expect(known(sent("r", "go on")).has(at(-60_000))).toBe(false);
    expect(known(sent("r", "go on")).has(at(60_000))).toBe(false);
    expect(known(sent("r", "go on", { toMs: null })).has(at(60_000))).toBe(true);
    const ended = known(sent("r", "go on", { toMs: null }), sent("r", "go on"));
    expect(ended.has(at(60_000))).toBe(false);
  });
});

test("thousands of prompts leave only the newest ones known", () => {
  const prompts = new KnownPrompts();
  for (let at = 0; at < 5_000; at += 1) prompts.add(sent(`run-${at}`, `prompt ${at}`));
  expect(prompts.size).toBe(GATEWAY_LIMITS.knownPrompts);
  expect(prompts.has(written("new", "prompt 4999"))).toBe(true);
  expect(prompts.has(written("old", "prompt 0"))).toBe(false);
});
