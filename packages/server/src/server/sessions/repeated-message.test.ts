import { ContinuoError } from "@continuo/core/model";
import { expect, test } from "vitest";
import type { ServedRun, ServedSession } from "../context/index.ts";
import { assertUnanswered, sentOnce } from "./repeated-message.ts";

type Messages = Awaited<ReturnType<ServedSession["chat"]>>["messages"];

const sessionOf = (messages: Messages, open: readonly string[] = []): ServedSession =>
  ({ chat: async () => ({ messages, open }) }) as unknown as ServedSession;

const asked = { id: "q", role: "user" };
const answer = { id: "a", role: "assistant" };

interface Case {
  readonly what: string;
  readonly messages: Messages;
  readonly open?: readonly string[];
  readonly mayBe: boolean;
}

test.each<Case>([
  { what: "that the session does not have", messages: [], mayBe: true },
  { what: "that no run of the session answers", messages: [asked], mayBe: false },
  { what: "whose answer ended too early", messages: [asked, { ...answer, metadata: {} }], mayBe: true },
  { what: "whose answer is being written", messages: [asked, answer], open: ["a"], mayBe: true },
  { what: "whose answer is complete", messages: [asked, answer], mayBe: false },
  {
    what: "that others follow",
    messages: [asked, answer, { ...asked, id: "q2" }],
    open: ["a"],
    mayBe: false,
  },
  { what: "of an agent with the same id", messages: [{ id: "q", role: "assistant" }, answer], mayBe: true },
])("a message $what may be answered again: $mayBe", async ({ messages, open, mayBe }) => {
  const check = assertUnanswered(sessionOf(messages, open), { id: "q" });
  if (mayBe) await check;
  else await expect(check).rejects.toMatchObject({ code: "usage" });
});

test("a message without an id cannot be answered again", async () => {
  await expect(assertUnanswered(sessionOf([asked]), {})).rejects.toMatchObject({ code: "invalid" });
});

test("only for a message with an id a conflict means that it was sent before with other words", async () => {
  const conflict = new ContinuoError("conflict", "the log has another event");
  const run = Promise.reject(conflict) as unknown as ServedRun;
  await expect(sentOnce(run, {})).rejects.toBe(conflict);
  await expect(sentOnce(run, { id: "q" })).rejects.toThrow('the message "q" was sent with other words');
});
