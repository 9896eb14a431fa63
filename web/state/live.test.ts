import type { Block } from "@continuo/core/model";
import type { WindowMessage } from "@continuo/core/wire/machine";
import { describe, expect, test } from "vitest";
import { foldTurnEvent, NO_RUNNING_TURN, type RunningTurn, settled, withLive } from "./live.ts";

function told(
  sequence: number,
  texts: readonly string[],
  isPartial = false,
  id = `live:${sequence}`,
): WindowMessage {
  const content = texts.map((text): Block => ({ type: "text", text }));
  const metadata = { sequence, ...(isPartial ? { partial: true } : {}) };
  const message = { id, role: "assistant", content, metadata } as const;
  return { message, index: null, turnId: id, turn: null, costUsd: null, cuts: [] };
}

const messages = (...all: readonly WindowMessage[]) => ({ type: "messages", messages: all }) as const;
const token = (sequence: number, from: number, text: string, block = 0) =>
  ({ type: "token", sequence, block, from, text }) as const;

function folded(...events: readonly Parameters<typeof foldTurnEvent>[1][]): RunningTurn {
  return events.reduce(foldTurnEvent, NO_RUNNING_TURN);
}

describe("tokens", () => {
  test("continue where the text of their message ends, and leave the messages as they are", () => {
    const begun = folded(messages(told(3, ["one"], true)));
    const live = foldTurnEvent(foldTurnEvent(begun, token(3, 3, " two")), token(3, 7, " three"));
    expect(live.open).toEqual({ sequence: 3, block: 0, text: "one two three" });
    expect(live.messages).toBe(begun.messages);
  });

  test("that come a second time are not doubled, and one after a gap is not shown", () => {
    const begun = folded(messages(told(3, ["one"], true)), token(3, 3, " two"));
    expect(foldTurnEvent(begun, token(3, 3, " two")).open?.text).toBe("one two");
    expect(foldTurnEvent(begun, token(3, 9, "!")).open?.text).toBe("one two");
    expect(foldTurnEvent(begun, token(4, 0, "!"))).toBe(begun);
  });

  test("end with the whole message", () => {
    const live = folded(
      messages(told(3, ["one"], true)),
      token(3, 3, " two"),
      messages(told(3, ["one two"])),
    );
    expect(live.open).toBeNull();
    expect(live.messages.get(3)?.message.content).toEqual([{ type: "text", text: "one two" }]);
  });
});

test("an unfinished message is forgotten when a new connection begins; a complete one stays", () => {
  const live = folded(messages(told(2, ["asked"]), told(3, ["half"], true)), { type: "turn" });
  expect([...live.messages.keys()]).toEqual([2]);
  expect(live.open).toBeNull();
});

describe("with the history", () => {
  const read = [told(1, ["old"], false, "a"), told(3, ["ha"], false, "b")];

  test("live words replace those that were read, and new messages follow", () => {
    const live = folded(messages(told(3, ["half"], true), told(5, ["new"])));
    const merged = withLive(read, live.messages, true);
    expect(merged.map(({ message }) => message.id)).toEqual(["a", "b", "live:5"]);
    expect(merged[1]?.message.content).toEqual([{ type: "text", text: "half" }]);
    expect(withLive(read, live.messages, false).map(({ message }) => message.id)).toEqual(["a", "b"]);
  });

  test("a message that the history has in the same form is no longer live", () => {
    const live = folded(messages(told(3, ["half"]), told(1, ["old"])));
    expect([...settled(live, read).messages.keys()]).toEqual([3]);
    expect(settled(NO_RUNNING_TURN, read)).toBe(NO_RUNNING_TURN);
  });
});
