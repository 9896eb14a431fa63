/** The session of each tab: reloads, other videos, closed tabs and windows, a browser that starts again. */

import { expect, test } from "vitest";
import { LIMITS } from "../limits.ts";
import {
  activated,
  closed,
  ended,
  expired,
  type Hello,
  hello,
  keyOf,
  loaded,
  NO_TABS,
  restarted,
  savedOf,
  type Tabs,
} from "./tabs.ts";

const A = { videoId: "html5:a", title: "A" };
const B = { videoId: "html5:b", title: "B" };

function place(tabId: number, url: string): Hello["places"][number] {
  return { tabId, windowId: 1, index: tabId, url };
}

function greet(tabs: Tabs, tabId: number, more: Partial<Hello> = {}): Tabs {
  const places = more.places ?? [place(tabId, "https://a.example/")];
  const said = { tabId, frameId: 0, isFrameGone: false, video: A, isActive: true, nowMs: 0 };
  return hello(tabs, { ...said, newPart: `part${tabId}`, ...more, places });
}

const keys = (tabs: Tabs): readonly (string | null)[] => tabs.live.map(keyOf);

test("a reload keeps the key, and another video gets its own key and ends the first session", () => {
  const once = greet(NO_TABS, 1);
  expect(keys(greet(once, 1))).toEqual(["part1/html5:a"]);
  const other = greet(once, 1, { video: B });
  expect(keys(other)).toEqual(["part1/html5:b"]);
  expect(other.ending).toEqual([{ key: "part1/html5:a", ...A }]);
  expect(ended(other, "part1/html5:a").ending).toEqual([]);
});

test("a duplicated tab has a separate session", () => {
  expect(keys(greet(greet(NO_TABS, 1), 2))).toEqual(["part1/html5:a", "part2/html5:a"]);
});

test("closing a tab ends its session, and closing a window or the browser does not", () => {
  const one = greet(NO_TABS, 1);
  expect(closed(one, 1, "tab", 0)).toMatchObject({ live: [], saved: [], ending: [{ key: "part1/html5:a" }] });
  const away = closed(one, 1, "window", 0);
  expect(away).toMatchObject({ live: [], ending: [], saved: [{ part: "part1" }], recording: null });
  const back = greet(away, 9, { places: [place(9, "https://a.example/#later")] });
  expect(keys(back)).toEqual(["part1/html5:a"]);
});

test("after a restart, all tabs are matched at once, by address and order", () => {
  const url = "https://a.example/talk";
  let before = NO_TABS;
  const places = [1, 2, 3].map((tabId) => place(tabId, tabId === 2 ? "https://b.example/" : url));
  for (const tabId of [3, 1, 2]) before = greet(before, tabId, { places });
  const after = restarted(savedOf(before, 5), []);
  const restored = [place(12, "https://b.example/"), place(11, url), { ...place(13, url), index: 99 }];
  const back = greet(after, 13, { places: restored });
  const parts = Object.fromEntries(back.live.map(({ tabId, part }) => [tabId, part]));
  expect(parts).toEqual({ 11: "part1", 12: "part2", 13: "part3" });
  expect(back.saved).toEqual([]);
});

test("a page without a video ends the session after ten seconds, and a reload does not", () => {
  const left = loaded(greet(NO_TABS, 1), 1, 100);
  const { withoutVideoMs } = LIMITS;
  expect(expired(left, 100 + withoutVideoMs - 1)).toBe(left);
  expect(expired(left, 100 + withoutVideoMs)).toMatchObject({
    ending: [{ key: "part1/html5:a" }],
    recording: null,
  });
  expect(expired(greet(left, 1), 1e9)).toMatchObject({ ending: [] });
  const silent = greet(greet(NO_TABS, 1), 1, { video: null, nowMs: 50 });
  expect(expired(greet(silent, 1, { video: null, nowMs: 5_000 }), 50 + withoutVideoMs).ending).toHaveLength(
    1,
  );
});

test("a video in a frame has the tab's session if the page itself has no video", () => {
  const frame = greet(greet(NO_TABS, 1, { video: null }), 1, { frameId: 7 });
  expect(frame.live).toMatchObject([{ frameId: 7, video: A }]);
  // The page still has no video; another iframe has an advertisement.
  expect(greet(frame, 1, { video: null })).toBe(frame);
  expect(greet(frame, 1, { video: B, frameId: 8 })).toBe(frame);
  expect(greet(frame, 1, { video: B }).live).toMatchObject([{ frameId: 0, video: B }]);
  // The page was loaded again, so its iframes have other numbers.
  expect(greet(frame, 1, { frameId: 9 }).live).toMatchObject([{ frameId: 9, withoutVideoSinceMs: null }]);
  const gone = greet(frame, 1, { video: null, isFrameGone: true, nowMs: 50 });
  expect(gone.live).toMatchObject([{ withoutVideoSinceMs: 50 }]);
  expect(greet(gone, 1, { video: B, frameId: 8 }).live).toMatchObject([{ frameId: 8, video: B }]);
});

test("a restored tab whose page no longer has a video leaves its session", () => {
  const after = restarted(savedOf(greet(NO_TABS, 1), 5), []);
  const back = greet(after, 11, { video: null, places: [place(11, "https://a.example/")], nowMs: 70 });
  expect(back.live).toMatchObject([{ part: "part1", withoutVideoSinceMs: 70 }]);
});

test("the last active tab with a video records, and a tab in the background does not replace it", () => {
  const two = greet(greet(NO_TABS, 1), 2, { isActive: false });
  expect(two.recording).toBe(1);
  expect(activated(two, 2).recording).toBe(2);
  expect(activated(activated(two, 2), 77).recording).toBe(2);
});

test("tabs are forgotten after a long time", () => {
  const away = closed(greet(NO_TABS, 1), 1, "window", 0);
  expect(expired(away, LIMITS.savedTabMs).saved).toEqual([]);
});
