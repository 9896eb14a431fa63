import type { ChannelMessage } from "@continuo/core/wire";
import { expect, test } from "vitest";
import { type RowOptions, toRows } from "./rows.ts";

const OPEN: RowOptions = { folds: new Map(), seen: null };

/** `ID WRITER [MINUTE] [>REPLIED]`, in the order of the log. */
function channel(...lines: readonly string[]): readonly ChannelMessage[] {
  return lines.map((line, at) => {
    const [messageId = "", handle = "", minutes = "0", replyTo] = line.split(" ");
    const timestamp = new Date(2026, 0, 5, 10, Number(minutes)).toISOString();
    const message = { messageId, sequence: at + 1, handle, kind: "person", content: "", timestamp } as const;
    return { ...message, state: "complete", ...(replyTo === undefined ? {} : { replyTo: replyTo.slice(1) }) };
  });
}

/** Returns each row as a text, without the rows of days. */
function drawn(messages: readonly ChannelMessage[], options: Partial<RowOptions> = {}): readonly string[] {
  return toRows(messages, [], { ...OPEN, ...options }).flatMap((row) => {
    if (row.type === "day") return [];
    if (row.type === "mark") return ["mark"];
    if (row.type === "fold") return [`fold ${row.hidden} ${row.isOpen ? "open" : "folded"}`];
    if (row.type === "pointer") return [`pointer ${row.message.messageId} to ${row.root.messageId}`];
    if (row.type === "notice") return ["notice"];
    return [
      `${row.type} ${row.message.messageId}${row.type === "message" && row.head !== "whole" ? ` ${row.head}` : ""}`,
    ];
  });
}

test("replies are below the message that began the thread, and so are replies to replies", () => {
  expect(drawn(channel("a ann", "b bob 1 >a", "c ann 2 >b", "d cleo 9"))).toEqual([
    "message a",
    "reply b",
    "reply c",
    "message d",
  ]);
});

test("a long thread is folded to its newest reply, and opens", () => {
  const thread = channel("a ann", ...[1, 2, 3, 4, 5].map((n) => `r${n} bob ${n} >a`));
  expect(drawn(thread)).toEqual(["message a", "fold 4 folded", "reply r5"]);
  const folds = new Map([["a", true]]);
  expect(drawn(thread, { folds })).toEqual([
    "message a",
    "fold 0 open",
    ...[1, 2, 3, 4, 5].map((n) => `reply r${n}`),
  ]);
  // A message that is being written is always shown, even in a folded thread.
  const [writing] = thread.slice(2, 3).map((one): ChannelMessage => ({ ...one, state: "open" }));
  const open = thread.map((one, at) => (at === 2 && writing !== undefined ? writing : one));
  expect(drawn(open)).toEqual(["message a", "fold 3 folded", "reply r2", "reply r5"]);
});

test("if other messages came since, a line links from the newest reply to its thread", () => {
  expect(drawn(channel("a ann", "b bob 6", "c cleo 7 >a", "d dan 8 >a", "e ann 9"))).toEqual([
    "message a",
    "reply c",
    "reply d",
    "message b",
    "pointer d to a",
    "message e",
  ]);
});

test("a reply to a message that is not loaded has its own place, and a circle of replies is not a thread", () => {
  expect(drawn(channel("a ann 0 >gone"))).toEqual(["message a stray"]);
  expect(drawn(channel("a ann 0 >b", "b bob 6 >a"))).toEqual(["message a stray", "reply b"]);
});

test("messages of one writer within five minutes are one group, also around midnight below their day", () => {
  expect(drawn(channel("a ann", "b ann 4", "c ann 10", "d bob 11"))).toEqual([
    "message a",
    "message b again",
    "message c",
    "message d",
  ]);
  const [late, early] = channel("a ann", "b ann") as [ChannelMessage, ChannelMessage];
  const rows = toRows(
    [
      { ...late, timestamp: new Date(2026, 0, 5, 23, 59).toISOString() },
      { ...early, timestamp: new Date(2026, 0, 6, 0, 1).toISOString() },
    ],
    [],
    OPEN,
  );
  expect(rows.map(({ type }) => type)).toEqual(["day", "message", "day", "message"]);
});

test("messages since the reader's last visit are below a mark, and a new reader sees no mark", () => {
  const messages = channel("a ann", "b ann 1", "c ann 2");
  expect(drawn(messages, { seen: 2 })).toEqual(["message a", "message b again", "mark", "message c"]);
  expect(drawn(messages, { seen: 3 })).not.toContain("mark");
  expect(drawn(messages, { seen: 0 })).not.toContain("mark");
});

test("a message of the server is shown at its place", () => {
  const notice = { id: "n", sequence: 1.5, timestamp: new Date(2026, 0, 5).toISOString(), text: "x" };
  const types = toRows(channel("a ann", "b bob"), [notice, { ...notice, sequence: 9 }], OPEN);
  expect(types.map(({ type }) => type)).toEqual(["day", "message", "notice", "message", "notice"]);
});

test("no id of a message equals the key of another line", () => {
  const hostile = channel("mark ann", "day bob 6", "pointer cleo 12");
  const keys = toRows(hostile, [], { ...OPEN, seen: 1 }).map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
});
