import { expect, test } from "vitest";
import { reduceChat } from "./chat-reducer.ts";
import type { ChatAction, ChatState, ChatTurn, ToolCall } from "./protocol.ts";

const AT = "2026-03-01T10:00:00.000Z";
const message = { text: "fix the retry", origin: { kind: "user" } };
const EMPTY: ChatState = {
  resource: "ahp-chat://default/x",
  title: "Retries",
  status: 33,
  modifiedAt: AT,
  turns: [],
};
const START: ChatAction = { type: "chat/turnStarted", turnId: "t1", startedAt: AT, message };
const CALL = { turnId: "t1", toolCallId: "c1" };
const CALLED: ChatAction = { type: "chat/toolCallStart", ...CALL, toolName: "Bash", displayName: "Bash" };
const options = [{ id: "yes", label: "Yes", kind: "approve" as const }];
const ASKED: ChatAction = {
  type: "chat/toolCallReady",
  ...CALL,
  invocationMessage: "npm test",
  toolInput: "{}",
  options,
};
const READY: ChatAction = {
  type: "chat/toolCallReady",
  ...CALL,
  invocationMessage: "npm test",
  confirmed: "not-needed",
};
const DONE: ChatAction = {
  type: "chat/toolCallComplete",
  ...CALL,
  result: { success: true, pastTenseMessage: "ran" },
};

function after(...actions: readonly ChatAction[]): ChatState {
  return actions.reduce(reduceChat, EMPTY);
}

function callIn({ activeTurn, turns }: ChatState): ToolCall | undefined {
  const part = (activeTurn ?? turns.at(-1))?.responseParts.at(-1);
  return part?.kind === "toolCall" ? part.toolCall : undefined;
}

test("a turn that starts is running and unread, and its message leaves the queue", () => {
  const queue: ChatAction = { type: "chat/pendingMessageSet", kind: "queued", id: "m1", message };
  const state = after(queue, { ...START, queuedMessageId: "m1" });
  const activeTurn = { id: "t1", startedAt: AT, message, responseParts: [], usage: undefined };
  expect(state).toEqual({ ...EMPTY, status: 8, activeTurn });
});

test("texts and thoughts grow in the part that they name, and in no part of another kind or turn", () => {
  const part: ChatAction = {
    type: "chat/responsePart",
    turnId: "t1",
    part: { kind: "markdown", id: "p1", content: "I " },
  };
  const thought: ChatAction = {
    type: "chat/responsePart",
    turnId: "t1",
    part: { kind: "reasoning", id: "p2", content: "it " },
  };
  const more = { turnId: "t1", content: "look" };
  const state = after(
    START,
    part,
    thought,
    { type: "chat/delta", partId: "p1", ...more },
    { type: "chat/delta", partId: "p2", ...more },
    { type: "chat/reasoning", partId: "p2", ...more },
    { type: "chat/delta", partId: "p1", ...more, turnId: "t2" },
    {
      type: "chat/responsePart",
      turnId: "t1",
      part: { kind: "error", error: { errorType: "x", message: "y" } },
    },
  );
  expect(state.activeTurn?.responseParts).toEqual([
    { kind: "markdown", id: "p1", content: "I look" },
    { kind: "reasoning", id: "p2", content: "it look" },
  ]);
});

test("a call waits for its confirmation, runs, and ends; the chat asks for input only while it waits", () => {
  const asked = after(START, CALLED, ASKED);
  expect(callIn(asked)).toMatchObject({ status: "pending-confirmation", toolInput: "{}", options });
  expect(asked.status).toBe(24);
  const confirm: ChatAction = {
    type: "chat/toolCallConfirmed",
    ...CALL,
    approved: true,
    confirmed: "user-action",
    selectedOptionId: "yes",
  };
  const running = reduceChat(asked, confirm);
  expect(callIn(running)).toMatchObject({
    status: "running",
    confirmed: "user-action",
    selectedOption: options[0],
  });
  expect(running.status).toBe(8);
  expect(callIn(reduceChat(running, confirm))).toEqual(callIn(running));
  expect(callIn(reduceChat(running, DONE))).toMatchObject({
    status: "completed",
    success: true,
    pastTenseMessage: "ran",
  });
  const denied = reduceChat(asked, { ...confirm, approved: false, reason: "denied" });
  expect(callIn(denied)).toMatchObject({ status: "cancelled", reason: "denied" });
  expect(callIn(reduceChat(denied, DONE))).toEqual(callIn(denied));
});

test("a result without a confirmation belongs to a call that needed none, and a result before the input is known is ignored", () => {
  expect(callIn(after(START, CALLED, ASKED, DONE))).toMatchObject({
    status: "completed",
    confirmed: "not-needed",
  });
  expect(callIn(after(START, CALLED, DONE))).toMatchObject({ status: "streaming" });
  expect(callIn(after(START, CALLED, ASKED, READY))).toMatchObject({ status: "running", toolInput: "{}" });
});

test("each end of a turn has its state, and cancels the calls that have no end", () => {
  const open = [START, CALLED, READY] as const;
  const end = { turnId: "t1", duration: 1_500 };
  const complete = after(...open, { type: "chat/turnComplete", ...end });
  expect(complete.turns).toMatchObject([{ id: "t1", state: "complete", duration: 1_500 }]);
  expect(callIn(complete)).toMatchObject({
    status: "cancelled",
    reason: "skipped",
    invocationMessage: "npm test",
  });
  expect(complete).toMatchObject({ status: 1, modifiedAt: "2026-03-01T10:00:01.500Z" });
  expect(complete.activeTurn).toBeUndefined();
  expect(after(...open, { type: "chat/turnCancelled", ...end, duration: -1 }).turns).toMatchObject([
    { state: "cancelled", duration: 0 },
  ]);
  const part = { kind: "error", error: { errorType: "agent", message: "out of credit" } } as const;
  const failed = after(...open, { type: "chat/error", ...end, part });
  expect(failed).toMatchObject({ status: 2, turns: [{ state: "error" }] });
  expect(failed.turns[0]?.responseParts.at(-1)).toEqual(part);
  expect(after(...open, { type: "chat/turnComplete", ...end, turnId: "t2" })).toEqual(after(...open));
});

test("older turns are added in front once, and a cut keeps the turns up to the one that it names", () => {
  const turn = (id: string): ChatTurn => ({
    id,
    startedAt: AT,
    message,
    responseParts: [],
    usage: undefined,
    duration: 0,
    state: "complete",
  });
  const loaded = after(
    { type: "chat/turnsLoaded", turns: [turn("2"), turn("3")], turnsNextCursor: "c" },
    { type: "chat/turnsLoaded", turns: [turn("1"), turn("2")], turnsNextCursor: "d" },
    START,
  );
  expect(loaded.turns.map(({ id }) => id)).toEqual(["1", "2", "3"]);
  const cut = reduceChat(loaded, { type: "chat/truncated", turnId: "2" });
  expect(cut).toMatchObject({ turns: [{ id: "1" }, { id: "2" }], turnsNextCursor: "d", status: 1 });
  expect(reduceChat(loaded, { type: "chat/truncated", turnId: "9" })).toEqual(loaded);
  const all = reduceChat(loaded, { type: "chat/truncated" });
  expect([all.turns, all.turnsNextCursor, all.activeTurn]).toEqual([[], undefined, undefined]);
});

test("queued messages are replaced by their id, ordered and taken out; a draft and the usage are kept", () => {
  const queue = (id: string): ChatAction => ({ type: "chat/pendingMessageSet", kind: "queued", id, message });
  const order: ChatAction = { type: "chat/queuedMessagesReordered", order: ["c", "c", "x", "a"] };
  const state = after(queue("a"), queue("b"), queue("c"), queue("a"), order);
  expect(state.queuedMessages?.map(({ id }) => id)).toEqual(["c", "a", "b"]);
  const left = ["a", "b", "c"].reduce(
    (one, id) => reduceChat(one, { type: "chat/pendingMessageRemoved", kind: "queued", id }),
    state,
  );
  expect(left).toEqual(EMPTY);
  expect(after(order)).toEqual(EMPTY);
  const drafted = after({ type: "chat/draftChanged", draft: message });
  expect(drafted.draft).toEqual(message);
  expect(reduceChat(drafted, { type: "chat/draftChanged" })).toEqual(EMPTY);
  const usage = { inputTokens: 3, outputTokens: 4 };
  expect(after(START, { type: "chat/usage", turnId: "t1", usage }).activeTurn?.usage).toEqual(usage);
});

const RUNNING = after(START, CALLED, READY);
const WAITING = after(START, CALLED, ASKED);

test.each<[string, ChatState, ChatAction]>([
  ["a text for another part", RUNNING, { type: "chat/delta", turnId: "t1", partId: "p9", content: "x" }],
  ["a text without a turn", EMPTY, { type: "chat/delta", turnId: "t1", partId: "p1", content: "x" }],
  [
    "a thought for another turn",
    RUNNING,
    { type: "chat/reasoning", turnId: "t2", partId: "p1", content: "x" },
  ],
  [
    "a part of another turn",
    RUNNING,
    { type: "chat/responsePart", turnId: "t2", part: { kind: "markdown", id: "p", content: "x" } },
  ],
  ["a call of another turn", RUNNING, { ...CALLED, turnId: "t2" }],
  ["the input of an unknown call", RUNNING, { ...READY, toolCallId: "c9" }],
  ["an answer for a call that runs", RUNNING, { type: "chat/toolCallConfirmed", ...CALL, approved: true }],
  [
    "an answer for an unknown call",
    WAITING,
    { type: "chat/toolCallConfirmed", ...CALL, toolCallId: "c9", approved: true },
  ],
  ["a result of an unknown call", RUNNING, { ...DONE, toolCallId: "c9" }],
  ["a second result", reduceChat(RUNNING, DONE), DONE],
  ["an input after the result", reduceChat(RUNNING, DONE), ASKED],
  [
    "the usage of another turn",
    RUNNING,
    { type: "chat/usage", turnId: "t2", usage: { inputTokens: 1, outputTokens: 1 } },
  ],
  ["the end of another turn", RUNNING, { type: "chat/turnComplete", turnId: "t2", duration: 1 }],
  [
    "the cancelling of a turn that has ended",
    EMPTY,
    { type: "chat/turnCancelled", turnId: "t1", duration: 1 },
  ],
  [
    "the error of another turn",
    RUNNING,
    {
      type: "chat/error",
      turnId: "t2",
      duration: 1,
      part: { kind: "error", error: { errorType: "x", message: "y" } },
    },
  ],
  ["a cut at an unknown turn", RUNNING, { type: "chat/truncated", turnId: "t9" }],
  [
    "the removal of an unknown message",
    RUNNING,
    { type: "chat/pendingMessageRemoved", kind: "queued", id: "m9" },
  ],
  ["an order of an empty queue", RUNNING, { type: "chat/queuedMessagesReordered", order: ["a"] }],
])("%s changes nothing", (_what, state, action) => {
  expect(reduceChat(state, action)).toEqual(state);
});

test("the bits of a chat that are no activity stay through a whole turn, and only its start makes it unread", () => {
  const archived = { ...EMPTY, status: 1 | 32 | 64 };
  const states = [
    START,
    CALLED,
    ASKED,
    { type: "chat/toolCallConfirmed", ...CALL, approved: true },
    DONE,
    { type: "chat/turnComplete", turnId: "t1", duration: 1 },
  ] as const;
  const seen: number[] = [];
  states.reduce<ChatState>((state, action) => {
    const next = reduceChat(state, action);
    seen.push(next.status);
    return next;
  }, archived);
  expect(seen).toEqual([8, 8, 24, 8, 8, 1].map((activity) => activity | 64));
});
