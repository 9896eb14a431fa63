/** A text that looks like an error is an error if the session file says so, and otherwise a part of the answer. */

import type { AgentEvent, Message } from "@continuo/core/model";
import { expect, test } from "vitest";
import { createRecordedErrors } from "./recorded-errors.ts";

const WORDS = { before: "Error: ", retry: "Info: Retrying..." };
const REFUSED = text("Error: 400 no such thing");

function text(delta: string): AgentEvent {
  return { type: "text", delta };
}

function message(origin: "person" | "error" | "agent", words: string): Message {
  const role = origin === "person" ? "user" : "assistant";
  return { id: words, role, origin, content: [{ type: "text", text: words }], metadata: {} };
}

const HISTORY = [message("person", "Go on."), message("error", "400 no such thing")];

test("an error that the file records after the prompt is the reason, not a part of the answer", async () => {
  const errors = createRecordedErrors(WORDS, async () => HISTORY);
  expect(await errors.pass([text("I look."), REFUSED])).toEqual([text("I look.")]);
  expect(await errors.end()).toEqual({ events: [], reason: "400 no such thing" });
});

test("the file may have the error a moment later", async () => {
  let reads = 0;
  const errors = createRecordedErrors(WORDS, async () => (++reads < 3 ? HISTORY.slice(0, 1) : HISTORY));
  await errors.pass([REFUSED]);
  expect(await errors.end()).toMatchObject({ reason: "400 no such thing" });
});

test("a text that matches no error of this turn is a part of the answer", async () => {
  const errors = createRecordedErrors(WORDS, async () => [...HISTORY, message("person", "Say it again.")]);
  expect(await errors.pass([REFUSED])).toEqual([]);
  expect(await errors.pass([text(" is what I read.")])).toEqual([REFUSED, text(" is what I read.")]);
  await errors.pass([REFUSED]);
  expect(await errors.end()).toEqual({ events: [REFUSED], reason: null });
});

test("an error that the agent overcame, and its retries, are reported as errors", async () => {
  const errors = createRecordedErrors(WORDS, async () => HISTORY);
  const title: AgentEvent = { type: "title", title: "A talk" };
  expect(await errors.pass([text(WORDS.retry), REFUSED, title])).toMatchObject([
    { type: "error", message: "the model did not answer; tries again" },
    title,
  ]);
  expect(await errors.pass([text("Here.")])).toMatchObject([
    { type: "error", message: "400 no such thing" },
    text("Here."),
  ]);
  expect(await errors.end()).toEqual({ events: [], reason: null });
});
