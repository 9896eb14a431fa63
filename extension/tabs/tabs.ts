/**
 * Sessions by tab. A tab's part of the key survives reloads and restarts of the browser; a video in it has the key
 * `PART/VIDEO`. Pure: each function returns the next state.
 */

import { LIMITS } from "../limits.ts";
import { plainUrl } from "../watching/adapters.ts";

export interface Video {
  readonly videoId: string;
  readonly title: string;
}

/** A tab as the browser lists it. Its address is known on sites that the extension may read. */
export interface TabAddress {
  readonly tabId: number;
  readonly windowId: number;
  readonly index: number;
  readonly url: string;
}

export interface LiveTab extends TabAddress {
  readonly part: string;
  readonly video: Video | null;
  /** The iframe in which the video is; 0 is the page itself. */
  readonly frameId: number;
  /** The time since which the tab shows no video, while its session continues. */
  readonly withoutVideoSinceMs: number | null;
}

/** The part of a tab that survives the browser. */
export interface SavedTab {
  readonly part: string;
  readonly url: string;
  readonly windowId: number;
  readonly index: number;
  readonly video: Video | null;
  readonly savedAtMs: number;
}

/** A session whose video was left: its waiting items are sent, then it ends. */
export interface EndingSession extends Video {
  readonly key: string;
}

export interface Tabs {
  /** Tabs of this run of the browser. */
  readonly live: readonly LiveTab[];
  /** Tabs of former windows that were not matched with a tab yet. */
  readonly saved: readonly SavedTab[];
  readonly ending: readonly EndingSession[];
  /** The tab that records: the last active tab with a video. */
  readonly recording: number | null;
}

export const NO_TABS: Tabs = { live: [], saved: [], ending: [], recording: null };

export function keyOf(tab: Pick<LiveTab, "part" | "video">): string | null {
  return tab.video === null ? null : `${tab.part}/${tab.video.videoId}`;
}

export interface Hello {
  readonly tabId: number;
  readonly frameId: number;
  /** True if the iframe of the tab's video no longer exists. */
  readonly isFrameGone: boolean;
  readonly video: Video | null;
  /** True if the person looks at the tab. */
  readonly isActive: boolean;
  /** Every tab of the browser. */
  readonly places: readonly TabAddress[];
  readonly newPart: string;
  readonly nowMs: number;
}

/** Records the report of a page, or of an iframe in it, about the video that it shows. */
export function hello(tabs: Tabs, said: Hello): Tabs {
  const { tabId, frameId, video, isActive, places, newPart, nowMs } = said;
  const known = tabs.live.some((tab) => tab.tabId === tabId) ? tabs : claimSaved(tabs, places);
  const place = places.find((one) => one.tabId === tabId) ?? { tabId, windowId: 0, index: 0, url: "" };
  const found = known.live.find((tab) => tab.tabId === tabId);
  if (found === undefined) {
    // A tab that never showed a video has no session and needs no part.
    if (video === null) return known;
    const tab = { ...place, part: newPart, video, frameId, withoutVideoSinceMs: null };
    return withRecording({ ...known, live: [...known.live, tab] }, { tabId, isActive });
  }
  if (!counts(found, said)) return known;
  if (video === null) {
    const withoutVideoSinceMs = found.video === null ? null : (found.withoutVideoSinceMs ?? nowMs);
    return replaced(known, { ...found, ...place, withoutVideoSinceMs });
  }
  const next = replaced(known, { ...found, ...place, video, frameId, withoutVideoSinceMs: null });
  const isOther = found.video !== null && found.video.videoId !== video.videoId;
  return withRecording(isOther ? { ...next, ending: endings(next.ending, found) } : next, {
    tabId,
    isActive,
  });
}

/** A tab has one video: that of the page itself if it has one, otherwise the first among those of its iframes. */
function counts(tab: LiveTab, { frameId, video, isFrameGone }: Hello): boolean {
  if (frameId === tab.frameId || isFrameGone) return true;
  if (tab.video === null || tab.withoutVideoSinceMs !== null) return true;
  return video !== null && (frameId === 0 || video.videoId === tab.video.videoId);
}

/** A tab was closed. A tab that is closed with its window, or with the browser, keeps its session. */
export function closed(tabs: Tabs, tabId: number, how: "tab" | "window", nowMs: number): Tabs {
  const tab = tabs.live.find((one) => one.tabId === tabId);
  if (tab === undefined) return tabs;
  const rest: Tabs = {
    ...tabs,
    live: tabs.live.filter((one) => one !== tab),
    recording: tabs.recording === tabId ? null : tabs.recording,
  };
  return how === "tab"
    ? { ...rest, ending: endings(rest.ending, tab) }
    : { ...rest, saved: [...rest.saved, toSaved(tab, nowMs)].slice(-LIMITS.savedTabs) };
}

/** A page was loaded, and has not yet reported whether it shows a video. */
export function loaded(tabs: Tabs, tabId: number, nowMs: number): Tabs {
  const tab = tabs.live.find((one) => one.tabId === tabId);
  if (tab === undefined || tab.video === null || tab.withoutVideoSinceMs !== null) return tabs;
  return replaced(tabs, { ...tab, withoutVideoSinceMs: nowMs });
}

/** Ends the sessions of tabs that showed no video for too long, and forgets tabs after a long time. */
export function expired(tabs: Tabs, nowMs: number): Tabs {
  const left = tabs.live.filter(
    ({ video, withoutVideoSinceMs: since }) =>
      video !== null && since !== null && nowMs - since >= LIMITS.withoutVideoMs,
  );
  const old = tabs.saved.filter(({ savedAtMs }) => nowMs - savedAtMs >= LIMITS.savedTabMs);
  if (left.length === 0 && old.length === 0) return tabs;
  const live = tabs.live.map((tab) =>
    left.includes(tab) ? { ...tab, video: null, withoutVideoSinceMs: null } : tab,
  );
  const recording = left.some(({ tabId }) => tabId === tabs.recording) ? null : tabs.recording;
  const ending = left.reduce(endings, tabs.ending);
  return { live, recording, ending, saved: tabs.saved.filter((tab) => !old.includes(tab)) };
}

/** The person looks at this tab now. */
export function activated(tabs: Tabs, tabId: number): Tabs {
  return tabs.live.some((tab) => tab.tabId === tabId && tab.video !== null)
    ? { ...tabs, recording: tabId }
    : tabs;
}

export function ended(tabs: Tabs, key: string): Tabs {
  return { ...tabs, ending: tabs.ending.filter((one) => one.key !== key) };
}

/** The state at the start of the browser: every earlier tab belongs to a former window. */
export function restarted(saved: readonly SavedTab[], ending: readonly EndingSession[]): Tabs {
  return { live: [], saved, ending, recording: null };
}

/** Returns the part that survives the browser. */
export function savedOf(tabs: Tabs, nowMs: number): readonly SavedTab[] {
  return [...tabs.saved, ...tabs.live.map((tab) => toSaved(tab, nowMs))].slice(-LIMITS.savedTabs);
}

/** Finds tabs of former windows that are open again, by their address; tabs with the same address, by their order. */
function claimSaved(tabs: Tabs, places: readonly TabAddress[]): Tabs {
  const taken = new Set(tabs.live.map(({ tabId }) => tabId));
  const free = places.filter(({ tabId, url }) => !taken.has(tabId) && url !== "").sort(byPlace);
  const saved = [...tabs.saved].sort(byPlace);
  const claimed: LiveTab[] = [];
  for (const place of free) {
    const at = saved.findIndex(({ url }) => url !== "" && url === plainUrl(place.url));
    const [former] = at < 0 ? [] : saved.splice(at, 1);
    if (former === undefined) continue;
    const { part, video } = former;
    claimed.push({ ...place, part, video, frameId: 0, withoutVideoSinceMs: null });
  }
  if (claimed.length === 0) return tabs;
  const parts = new Set(claimed.map(({ part }) => part));
  return {
    ...tabs,
    live: [...tabs.live, ...claimed],
    saved: tabs.saved.filter(({ part }) => !parts.has(part)),
  };
}

function byPlace(
  left: Pick<TabAddress, "windowId" | "index">,
  right: Pick<TabAddress, "windowId" | "index">,
): number {
  return left.windowId - right.windowId || left.index - right.index;
}

function toSaved({ part, url, windowId, index, video }: LiveTab, savedAtMs: number): SavedTab {
  return { part, url: plainUrl(url), windowId, index, video, savedAtMs };
}

function endings(before: readonly EndingSession[], tab: LiveTab): readonly EndingSession[] {
  const key = keyOf(tab);
  if (key === null || tab.video === null || before.some((one) => one.key === key)) return before;
  return [...before, { key, ...tab.video }];
}

function replaced(tabs: Tabs, tab: LiveTab): Tabs {
  return { ...tabs, live: tabs.live.map((one) => (one.tabId === tab.tabId ? tab : one)) };
}

/** A video in the background does not replace the watched one. */
function withRecording(tabs: Tabs, { tabId, isActive }: Pick<Hello, "tabId" | "isActive">): Tabs {
  return isActive || tabs.recording === null ? { ...tabs, recording: tabId } : tabs;
}
