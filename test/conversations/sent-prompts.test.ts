/**
 * The editor, which shows an agent's file, and the log, which stores it, use one rule to decide whose prompt a message
 * is.
 */

import type { Block, Message } from "@continuo/core/model";
import { expect, test } from "vitest";
import { turnsOfProgram } from "../../packages/agents/src/conversations/native-owners.ts";
import {
  matchPrompt,
  type PromptMatch,
  textsOfPrompt,
} from "../../packages/agents/src/conversations/sent-prompts.ts";
import { KnownPrompts } from "../../src/gateway/known-prompts.ts";

const AT = Date.parse("2026-11-29T12:00:00Z");
const RUN_MS = 10_000;

interface PromptCase {
  readonly sent: string | readonly Block[];
  readonly written: string | readonly Block[];
  /** Milliseconds after the beginning of the run; `null` for a message without a time. */
  readonly at?: number | null;
  readonly isRunning?: true;
  readonly match: PromptMatch | null;
}

const picture: Block = { type: "image", data: "aGk=", mimeType: "image/png" };
const skill: Block = {
  type: "text",
  text: "Long instructions. the parser",
  typed: "/skill:review the parser",
};

const CASES: Readonly<Record<string, PromptCase>> = {
  "the same words": { sent: "fix the build", written: "fix the build", match: "same" },
  "the same words in another spacing": {
    sent: "fix\nthe  build",
    written: "fix the build\n",
    match: "same",
  },
  "the words after a text of the agent's": {
    sent: "fix it",
    written: "<context>files</context>\nfix it",
    match: "part",
  },
  "the words before a text of the agent's": {
    sent: "fix it",
    written: "fix it\n<context>files</context>",
    match: "part",
  },
  "the words in the middle of a sentence": { sent: "fix it", written: "do not fix it yet", match: null },
  "the end of another word": { sent: "it", written: "fix bit", match: null },
  "the beginning of another word": { sent: "fix", written: "fixture", match: null },
  "other words": { sent: "fix it", written: "run the tests", match: null },
  "a command in the agent's own form": {
    sent: "/compact",
    written: "<command-name>compact</command-name>",
    match: "part",
  },
  "a picture without words": { sent: [picture], written: "[Image #1]", match: "part" },
  "the words that a person typed for a longer text": {
    sent: "/skill:review the parser",
    written: [skill],
    match: "same",
  },
  "the words around the name of a file": {
    sent: [
      { type: "text", text: "look at" },
      { type: "file", mimeType: "text/plain", url: "file:///work/a%20b.ts" },
      { type: "text", text: "and fix it" },
    ],
    written: "look at\n\nAttached: /work/a b.ts\n\nand fix it",
    match: "same",
  },
  "a moment before the run": { sent: "go on", written: "go on", at: -1_500, match: "same" },
  "long before the run": { sent: "go on", written: "go on", at: -60_000, match: null },
  "a moment after the run": { sent: "go on", written: "go on", at: RUN_MS + 1_500, match: "same" },
  "long after the run": { sent: "go on", written: "go on", at: RUN_MS + 60_000, match: null },
  "long after the beginning of a run that has no end": {
    sent: "go on",
    written: "go on",
    at: 3_600_000,
    isRunning: true,
    match: "same",
  },
};

const blocksOf = (content: string | readonly Block[]): readonly Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

function messageOf(id: string, content: string | readonly Block[], atMs: number): Message {
  const timestamp = new Date(atMs).toISOString();
  return { id, role: "user", content: [...blocksOf(content)], timestamp, metadata: {} };
}

test.each(Object.entries(CASES))(
  "editors and the log agree whose prompt a message is: %s",
  (_, { sent, written, at = 100, isRunning, match }) => {
    const input = blocksOf(sent);
    const prompt = {
      texts: textsOfPrompt(input),
      fromMs: AT,
      toMs: isRunning === true ? Number.POSITIVE_INFINITY : AT + RUN_MS,
    };
    const message = messageOf("asked", written, AT + (at ?? 0));
    expect(matchPrompt(message, prompt)).toBe(match);
    const known = new KnownPrompts();
    known.add({ runId: "run", input, fromMs: prompt.fromMs, toMs: prompt.toMs });
    expect(known.has(message)).toBe(match !== null);
    const run = { ...prompt, isHere: true, answers: new Set<string>() };
    const own = { ids: new Set(["first"]), taken: new Set<string>(), calls: new Set<string>() };
    const history = [messageOf("first", "hello", AT - 3_600_000), message];
    const turns = turnsOfProgram(history, { ...own, runs: [run] });
    expect(turns.flat().map(({ id }) => id)).toEqual(match === null ? ["asked"] : []);
  },
);

test("a message is the prompt with the same words, not an earlier one whose words are only its end", () => {
  const prompts = ["build", "fix the build"].map((text, at) => ({
    input: blocksOf(text),
    texts: [text],
    fromMs: AT + at,
    toMs: AT + RUN_MS,
  }));
  const history = ["fix the build", "build"].map((text, at) => messageOf(`m${at}`, text, AT + 100 + at));
  const known = new KnownPrompts();
  for (const [at, prompt] of prompts.entries()) known.add({ runId: `run-${at}`, ...prompt });
  expect(history.map((message) => known.has(message))).toEqual([true, true]);
  const runs = prompts.map((prompt) => ({ ...prompt, isHere: true, answers: new Set<string>() }));
  const own = { ids: new Set<string>(), taken: new Set<string>(), calls: new Set<string>() };
  expect(turnsOfProgram(history, { ...own, runs })).toEqual([]);
});

test("a message without a time can be the prompt of any run", () => {
  const prompt = { texts: ["go on"], fromMs: AT, toMs: AT + RUN_MS };
  const { timestamp: _, ...untimed } = messageOf("asked", "go on", AT);
  expect(matchPrompt(untimed, prompt)).toBe("same");
  expect(matchPrompt(untimed, prompt, AT + 3_600_000)).toBeNull();
});

test("what is kept of a prompt to recognize it has no picture and no bytes of a file", () => {
  const data = "x".repeat(1_000);
  const file: Block = {
    type: "file",
    mimeType: "application/pdf",
    name: "a.pdf",
    data,
    url: "attachment:///a",
  };
  const texts = textsOfPrompt([{ type: "text", text: "look" }, { ...picture, data }, file]);
  expect(texts).toEqual(["look", "look", "look"]);
});
