/** A turn of another program, as an editor shows it from its stored events. */

import type { StoredEvent } from "@continuo/core/model";
import { expect, test } from "vitest";
import { CallIds } from "./call-ids.ts";
import { LoggedTurn } from "./logged-turn.ts";

const event = (id: string, type: string, data: object) => ({ id, type, data }) as unknown as StoredEvent;
const QUESTION = [{ type: "text", text: "why?" }] as const;

function shownOf(turn: LoggedTurn, events: readonly StoredEvent[]): readonly unknown[] {
  return events
    .flatMap((one) => turn.of(one))
    .map((update) => ("content" in update ? [update.sessionUpdate, update.content] : update.sessionUpdate));
}

test.each([
  ["from the run and then from its event", true],
  ["from its event alone", false],
])("the prompt of another program is shown once, %s", (_, isOfRun) => {
  const turn = new LoggedTurn("run", new CallIds());
  const before = isOfRun ? turn.prompt(QUESTION) : [];
  const sent = event("e1", "message_sent", { role: "user", content: QUESTION });
  const answer = event("e2", "message_received", { content: "because" });
  const shown = [...before.map(({ sessionUpdate }) => sessionUpdate), ...shownOf(turn, [sent, sent, answer])];
  const kinds = shown.map((one) => (Array.isArray(one) ? one[0] : one));
  expect(kinds).toEqual(["user_message_chunk", "agent_message_chunk"]);
});

function updatesOf(turn: LoggedTurn, events: readonly StoredEvent[]) {
  return events.flatMap((one) => turn.of(one));
}

function streamed(id: string, messageId: string, delta: string, kind?: string): StoredEvent {
  return event(id, "message_streamed", { messageId, delta, ...(kind === undefined ? {} : { kind }) });
}

test("a message of another program is shown once, as text unless it is a thought", () => {
  const turn = new LoggedTurn("run", new CallIds());
  const events = [
    event("e0", "message_sent", { role: "system", content: "Be kind." }),
    streamed("e1", "m1", "Hm.", "thinking"),
    streamed("e2", "m1", "Yes"),
    streamed("e3", "m1", "!", "text"),
    event("e4", "message_received", { messageId: "m1", content: "Yes!" }),
    event("e5", "message_received", { content: "More." }),
  ];
  const text = (words: string): object => ({ content: { type: "text", text: words } });
  expect(updatesOf(turn, events)).toEqual([
    { sessionUpdate: "agent_thought_chunk", ...text("Hm."), messageId: "m1" },
    { sessionUpdate: "agent_message_chunk", ...text("Yes"), messageId: "m1" },
    { sessionUpdate: "agent_message_chunk", ...text("!"), messageId: "m1" },
    { sessionUpdate: "agent_message_chunk", ...text("More."), messageId: "e5" },
  ]);
});

test("a name that Continuo gave to a message is replaced by the id of its first event, for all its parts", () => {
  const turn = new LoggedTurn("run", new CallIds());
  const events = [
    streamed("e1", "said-1", "a"),
    streamed("e2", "said-1", "b"),
    event("e3", "message_received", { messageId: "said-1", content: "ab" }),
    streamed("e4", "said-2", "c"),
  ];
  const ids = updatesOf(turn, events).map((one) => "messageId" in one && one.messageId);
  expect(ids).toEqual(["e1", "e1", "e4"]);
});

test("the prompt of another program has the id of its run, and the words that the person typed", () => {
  const blocks = [{ type: "text", text: "<file>why?", typed: "why?" }] as const;
  expect(new LoggedTurn("run", new CallIds()).prompt(blocks)).toEqual([
    { sessionUpdate: "user_message_chunk", content: { type: "text", text: "why?" }, messageId: "run" },
  ]);
});

test("a call that is stored again when its input is known is one call, and a later one of its id is another", () => {
  const turn = new LoggedTurn("run", new CallIds());
  const call = (id: string, toolInput: object): StoredEvent =>
    event(id, "tool_call_started", { toolCallId: "t1", toolName: "Bash", toolInput, title: "List" });
  const shown = updatesOf(turn, [
    call("e1", {}),
    call("e2", { command: "ls" }),
    event("e3", "tool_call_completed", { toolCallId: "t1", toolOutput: { files: 2 } }),
    call("e4", {}),
    event("e5", "tool_call_failed", { toolCallId: "t1", error: "no" }),
    call("e6", {}),
    event("e7", "tool_call_updated", { toolCallId: "t1", status: "in_progress" }),
  ]);
  const output = (text: string): object => ({ content: [{ content: { type: "text", text } }] });
  expect(shown).toMatchObject([
    { sessionUpdate: "tool_call", toolCallId: "t1", title: "List" },
    { sessionUpdate: "tool_call_update", toolCallId: "t1", rawInput: { command: "ls" } },
    { toolCallId: "t1", status: "completed", ...output('{"files":2}') },
    { sessionUpdate: "tool_call", toolCallId: "t1~2" },
    { toolCallId: "t1~2", status: "failed", ...output("no") },
    { sessionUpdate: "tool_call", toolCallId: "t1~3" },
    { toolCallId: "t1~3", status: "in_progress" },
  ]);
  expect(turn.idOfCall("t1")).toBe("t1~3");
  expect(turn.end()).toEqual([{ sessionUpdate: "tool_call_update", toolCallId: "t1~3", status: "failed" }]);
});

test("the plan and the title of a turn of another program are shown", () => {
  const turn = new LoggedTurn("run", new CallIds());
  const entries = [{ content: "Read", status: "pending", priority: "low" }];
  const shown = updatesOf(turn, [
    event("e1", "plan_updated", { entries }),
    event("e2", "session_updated", { title: "Tea" }),
    event("e3", "session_updated", { title: null }),
  ]);
  expect(shown).toEqual([
    { sessionUpdate: "plan", entries },
    { sessionUpdate: "session_info_update", title: "Tea" },
  ]);
});
