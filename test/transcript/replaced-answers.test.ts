/**
 * A message that several attempts answered: the text that models and data sets receive, before and after one attempt
 * succeeded.
 */

import type { Message } from "@continuo/core/model";
import {
  type EventLike,
  TranscriptBuilder,
  toAnthropicMessages,
  toOpenAIMessages,
  toShareGpt,
  withoutReplaced,
} from "@continuo/core/transcript";
import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../sizes/counts.ts";

type AttemptStep = "words" | "half words" | "tool" | "cut tool";
type AttemptEnd = "run_interrupted" | "run_failed" | "run_timed_out";

interface Attempt {
  readonly steps: readonly AttemptStep[];
  readonly end: AttemptEnd;
}

const attempt: fc.Arbitrary<Attempt> = fc.record({
  steps: fc.array(fc.constantFrom<AttemptStep>("words", "half words", "tool", "cut tool"), { maxLength: 5 }),
  end: fc.constantFrom<AttemptEnd>("run_interrupted", "run_failed", "run_timed_out"),
});
const attempts = fc.array(attempt, { minLength: 1, maxLength: 4 });

interface Log {
  readonly events: readonly EventLike[];
  /** The words that a later attempt replaces; `kept` has the words up to a result. */
  readonly replaced: readonly string[];
  readonly kept: readonly string[];
}

const QUESTION = "Where is my parcel?";
const ANSWER = "It is in Ulm.";

/** @param hasSpoken true if another participant sends a message after each attempt */
function logOf(tries: readonly Attempt[], hasSpoken: boolean): Log {
  const events: EventLike[] = [];
  const replaced: string[] = [];
  const kept: string[] = [];
  const add = (type: string, data: Record<string, unknown>, runId: string): void => {
    events.push({ sequence: events.length + 1, id: `e${events.length}`, type, data, runId });
  };
  for (const [at, { steps, end }] of tries.entries()) {
    const runId = `run-${at}`;
    add("run_created", { runId, metadata: at === 0 ? {} : { saidBy: "run-0" } }, runId);
    if (at === 0) add("message_sent", { role: "user", content: QUESTION, origin: "person" }, runId);
    const lastTool = steps.findLastIndex((step) => step.endsWith("tool"));
    for (const [place, step] of steps.entries()) {
      const id = `<${at}.${place}>`;
      const list = place < lastTool ? kept : replaced;
      if (step.endsWith("words")) list.push(id);
      if (step === "words") add("message_received", { content: id, messageId: id }, runId);
      else if (step === "half words") add("message_streamed", { delta: id, messageId: id }, runId);
      else {
        kept.push(`look_${at}_${place}`);
        add("tool_call_started", { toolCallId: id, toolName: `look_${at}_${place}`, toolInput: {} }, runId);
        if (step === "tool") add("tool_call_completed", { toolCallId: id, toolOutput: "seen" }, runId);
      }
    }
    const why = `[end ${at}]`;
    replaced.push(why);
    add(end, { runId, reason: why, error: { message: why }, timeoutMs: at }, runId);
    if (hasSpoken) add("message_sent", { role: "user", content: "Hello?", origin: "person" }, `other-${at}`);
  }
  return { events, replaced, kept };
}

function completed(events: readonly EventLike[], tries: number): readonly EventLike[] {
  const runId = `run-${tries}`;
  return [
    ...events,
    { type: "run_created", data: { runId, metadata: { saidBy: "run-0" } }, runId },
    { type: "message_received", data: { content: ANSWER, messageId: "answer" }, runId },
    { type: "run_completed", data: { runId }, runId },
  ].map((event, at) => ({ ...event, sequence: at + 1, id: `e${at}` }));
}

/** Returns the messages in every format for models and data sets. */
function formsOf(messages: readonly Message[]): readonly string[] {
  return [
    toOpenAIMessages(messages),
    toAnthropicMessages(messages),
    toShareGpt(messages),
    withoutReplaced(messages),
  ].map((form) => JSON.stringify(form));
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

test("after a complete answer, question and answer appear once, and earlier attempts only with tool calls", () => {
  fc.assert(
    fc.property(attempts, fc.boolean(), (tries, hasSpoken) => {
      const { events, replaced, kept } = logOf(tries, hasSpoken);
      const { messages } = TranscriptBuilder.fromEvents(completed(events, tries.length), { sessionId: "s" });
      for (const form of formsOf(messages)) {
        expect(replaced.filter((words) => form.includes(words))).toEqual([]);
        expect(kept.filter((words) => !form.includes(words))).toEqual([]);
        expect([count(form, QUESTION), count(form, ANSWER)]).toEqual([1, 1]);
        if (hasSpoken) expect(count(form, "Hello?")).toBe(tries.length);
      }
      // The log itself keeps everything.
      const whole = JSON.stringify(messages);
      expect(
        [...replaced, ...kept].filter((words) => !words.startsWith("[") && !whole.includes(words)),
      ).toEqual([]);
    }),
    { numRuns: rounds(200) },
  );
});

test("while no attempt has answered, the words of the last attempt that had any are included, and no earlier ones", () => {
  fc.assert(
    fc.property(attempts, fc.boolean(), (tries, hasSpoken) => {
      const { events, replaced, kept } = logOf(tries, hasSpoken);
      const { messages } = TranscriptBuilder.fromEvents(events, { sessionId: "s" });
      const last = tries.findLastIndex(({ steps }) => steps.some((step) => step.endsWith("words")));
      const isOfLast = (word: string): boolean => word.startsWith(`<${last}.`);
      const words = replaced.filter((one) => one.startsWith("<"));
      const [included, omitted] = [
        [...kept, ...words.filter(isOfLast)],
        words.filter((one) => !isOfLast(one)),
      ];
      for (const form of formsOf(messages)) {
        expect(included.filter((one) => !form.includes(one))).toEqual([]);
        expect(omitted.filter((one) => form.includes(one))).toEqual([]);
      }
    }),
    { numRuns: rounds(200) },
  );
});

test("an attempt that completed without a word replaces nothing", () => {
  const { events } = logOf([{ steps: ["half words"], end: "run_interrupted" }], false);
  const silent = completed(events, 1).filter(({ type }) => type !== "message_received");
  const { messages } = TranscriptBuilder.fromEvents(silent, { sessionId: "s" });
  for (const form of formsOf(messages)) expect(form).toContain("<0.0>");
});
