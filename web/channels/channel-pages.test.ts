import type { ChannelRow, ChannelsPage } from "@continuo/core/wire";
import { expect, test } from "vitest";
import {
  type ChannelPages,
  FIRST_PAGE,
  foldPage,
  isByName,
  movedAfter,
  NO_PAGES,
  pageOf,
  shownRows,
} from "./channel-pages.ts";

function row(channel: string, changedAt = "2026-01-01T00:00:00.000Z"): ChannelRow {
  return { channel, latestSequence: 0, createdAt: changedAt, changedAt };
}

const answer = (names: readonly string[], isLast = false): ChannelsPage => ({
  channels: names.map((name) => row(name)),
  nextCursor: isLast ? null : `cursor of ${names.at(-1) ?? "nothing"}`,
});
const names = (pages: ChannelPages): string[] => pages.rows.map(({ channel }) => channel);

/** Reads pages one after the other: each answer is the next page. */
function read(...answers: readonly ChannelsPage[]): ChannelPages {
  return answers.reduce((pages, page) => foldPage(pages, pages.next ?? FIRST_PAGE, page), NO_PAGES);
}

const three = read(answer(["a", "b"]), answer(["c", "d"]), answer(["e"], true));

test("pages follow each other, and after the last one nothing is left to read", () => {
  const two = read(answer(["a", "b"]), answer(["c", "d"]));
  expect(names(two)).toEqual(["a", "b", "c", "d"]);
  expect(two.next).toEqual({ cursor: "cursor of d", after: "d" });
  expect(names(three)).toEqual(["a", "b", "c", "d", "e"]);
  expect(three.starts.map(({ after }) => after)).toEqual(["", "b", "d"]);
  expect(three.next).toBe(null);
});

test("a page that is read again replaces its own rows and leaves those of the other pages", () => {
  const changed = { ...answer(["a", "b"]), channels: [row("a", "2026-02-01T00:00:00.000Z"), row("b")] };
  const pages = foldPage(three, FIRST_PAGE, changed);
  expect(names(pages)).toEqual(["a", "b", "c", "d", "e"]);
  expect(pages.rows[0]).toEqual(changed.channels[0]);
  expect(pages.starts).toEqual(three.starts);
  expect(movedAfter(three, pages, FIRST_PAGE)).toBe(null);
  const second = foldPage(three, pageOf(three, "d"), answer(["d"]));
  expect(names(second)).toEqual(["a", "b", "d", "e"]);
});

test("new channels push the end of a page back, and the page after it is read again from there", () => {
  const pushed = foldPage(three, FIRST_PAGE, answer(["a", "a1"]));
  expect(names(pushed)).toEqual(["a", "a1", "b", "c", "d", "e"]);
  const moved = movedAfter(three, pushed, FIRST_PAGE);
  expect(moved).toEqual({ cursor: "cursor of a1", after: "a1" });
  const whole = foldPage(pushed, moved ?? FIRST_PAGE, answer(["a2", "b"]));
  expect(names(whole)).toEqual(["a", "a1", "a2", "b", "c", "d", "e"]);
  expect(whole.starts.map(({ after }) => after)).toEqual(["", "a1", "b"]);
});

test("channels that disappear pull rows from the next page, and no row appears twice", () => {
  const drawn = foldPage(three, FIRST_PAGE, answer(["b", "c"]));
  expect(names(drawn)).toEqual(["b", "c", "d", "e"]);
  expect(movedAfter(three, drawn, FIRST_PAGE)?.after).toBe("c");
  const last = foldPage(three, FIRST_PAGE, answer(["b"], true));
  expect(names(last)).toEqual(["b"]);
  expect(last).toMatchObject({ starts: [FIRST_PAGE], next: null });
});

test("if the last page has grown when it is read again, another page is left to read", () => {
  const last = three.starts[2] ?? FIRST_PAGE;
  expect(foldPage(three, last, answer(["e", "f"])).next).toEqual({ cursor: "cursor of f", after: "f" });
});

test("the answer to a request from before the pages moved changes nothing", () => {
  expect(foldPage(three, { cursor: "old", after: "c" }, answer(["c", "d"]))).toBe(three);
});

test("a page whose channels the reader may not read keeps the pages before and after it, even when it is read again", () => {
  const none = read({ channels: [], nextCursor: "second" });
  expect(none).toMatchObject({ rows: [], next: { cursor: "second", after: "" } });
  const hidden: ChannelsPage = { channels: [], nextCursor: "third" };
  const pages = read(answer(["a"]), hidden, answer(["c"]), answer(["d"]));
  expect(names(pages)).toEqual(["a", "c", "d"]);
  expect(pages.starts.map(({ after }) => after)).toEqual(["", "a", "a", "c"]);
  expect(foldPage(pages, { cursor: "cursor of a", after: "a" }, hidden)).toEqual(pages);
  expect(foldPage(pages, FIRST_PAGE, answer(["a"]))).toEqual(pages);
});

test("a channel is found in the page that covers its name, in the server's order of names", () => {
  expect(["a", "b", "c", "d", "e", "z"].map((name) => pageOf(three, name).after)).toEqual([
    ...["", "", "b", "b", "d", "d"],
  ]);
  // In UTF-16, the first unit of the emoji sorts before the letter.
  const wide = read(answer(["a", "\uff5e"]), answer(["\u{1f600}"], true));
  expect(names(foldPage(wide, FIRST_PAGE, answer(["a", "\uff5e"])))).toEqual(["a", "\uff5e", "\u{1f600}"]);
});

test("a single page shows the most recently changed channel first, and several pages stay in the order of names", () => {
  const channels = [row("a", "2026-01-01"), row("b", "2026-01-03"), row("c", "2026-01-02")];
  const shown = (nextCursor: string | null, filter = ""): string[] =>
    shownRows(read({ channels, nextCursor }), filter).map(({ channel }) => channel);
  expect(shown(null)).toEqual(["b", "c", "a"]);
  expect(shown("more")).toEqual(["a", "b", "c"]);
  expect(shown(null, " C ")).toEqual(["c"]);
  expect([NO_PAGES, read(answer(["a"], true)), read(answer(["a"])), three].map(isByName)).toEqual([
    ...[false, false, true, true],
  ]);
});
