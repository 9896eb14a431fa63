/** A running turn only grows for its clients, even if its agent rewrites it. */

import { expect, test } from "vitest";
import { reduceChat } from "./chat-reducer.ts";
import { type ChatState, type ChatTurn, type ResponsePart, STATUS } from "./protocol.ts";
import { actionsForCorrection, actionsForParts, actionsForTurns } from "./turn-actions.ts";

const TIME = "2026-11-27T10:00:00.000Z";
const text = (id: string, content: string): ResponsePart => ({ kind: "markdown", id, content });
const call = (toolCallId: string, status: "running" | "pending-confirmation"): ResponsePart => ({
  kind: "toolCall",
  toolCall: {
    toolCallId,
    toolName: "Edit",
    displayName: "Edit",
    invocationMessage: "Edit",
    toolInput: "{}",
    status,
  },
});
const QUESTION = call("ask:1", "pending-confirmation");

function running(...parts: readonly ResponsePart[]): ChatState {
  const message = { text: "fix it", origin: { kind: "user" } };
  const chat: ChatState = { resource: "c", title: "t", status: STATUS.idle, modifiedAt: TIME, turns: [] };
  const begun = reduceChat(chat, { type: "chat/turnStarted", turnId: "1", startedAt: TIME, message });
  return told(begun, parts).chat;
}

function told(chat: ChatState, parts: readonly ResponsePart[]) {
  const { actions, isExact } = actionsForParts(chat, { id: "1", parts });
  const next = actions.reduce(reduceChat, chat);
  const shown = next.activeTurn?.responseParts.map((part) =>
    part.kind === "toolCall"
      ? `${part.toolCall.toolCallId} ${part.toolCall.status}`
      : "content" in part && part.content,
  );
  return { chat: next, shown, isExact, types: actions.map(({ type }) => type) };
}

test.each([
  ["a longer text", [text("a", "one two")], ["one two"], true],
  ["a part more", [text("a", "one"), text("b", "two")], ["one", "two"], true],
  ["a text that was rewritten", [text("a", "other")], ["one"], false],
  ["a missing part", [text("b", "two")], ["one", "two"], false],
  ["a part before it", [text("b", "two"), text("a", "one")], ["one", "two"], false],
])("%s makes the turn longer, and never cuts it", (_, parts, shown, isExact) => {
  const result = told(running(text("a", "one")), parts);
  expect(result).toMatchObject({ shown, isExact });
  expect(result.types).not.toContain("chat/truncated");
});

test("a question whose call comes later no longer waits as a separate part: the call waits in its place", () => {
  const asked = running(QUESTION);
  expect(asked.status & STATUS.inputNeeded).toBe(STATUS.inputNeeded);
  const result = told(asked, [text("a", "I change it."), call("t1", "pending-confirmation")]);
  expect(result).toMatchObject({
    shown: ["ask:1 completed", "I change it.", "t1 pending-confirmation"],
    isExact: true,
  });
});

test("a turn whose parts were rewritten has the correct parts after its end", () => {
  const chat = running(text("a", "one"));
  const ended = reduceChat(chat, { type: "chat/turnComplete", turnId: "1", duration: 5 });
  const [turn] = ended.turns;
  if (turn === undefined) throw new Error("the turn has no end");
  const right = { ...turn, responseParts: [text("a", "other"), text("b", "two")] };
  const again = actionsForCorrection(ended, right).reduce(reduceChat, ended);
  expect(again.turns).toEqual([right]);
});

test("a chat whose history changed keeps the turns before the change, and has the new ones after them", () => {
  const ended = (id: string, words: string): ChatTurn => ({
    id,
    startedAt: TIME,
    message: { text: id, origin: { kind: "user" } },
    responseParts: [text(`${id}.0`, words)],
    usage: undefined,
    duration: 0,
    state: "complete",
  });
  const [one, two, three] = [ended("1", "one"), ended("2", "two"), ended("3", "three")];
  const { activeTurn: _, ...idle } = running();
  const known: ChatState = { ...idle, turns: [one, two, three] };
  const turns = [one, two, ended("3", "other"), ended("4", "four")];
  const actions = actionsForTurns(known, turns, undefined);
  expect(actions.reduce(reduceChat, known).turns).toEqual(turns);
  // A client that shows the first two does not draw them again.
  expect(actions.map(({ type }) => type)).not.toContain("chat/turnsLoaded");
});
