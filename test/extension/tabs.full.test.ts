/**
 * Several tabs: after a restart of the browser each has its key again, the active tab records, and tabs of one video
 * share a session.
 */

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import {
  bringToRecord,
  captionsUntil,
  keptTabs,
  openSite,
  openViewer,
  play,
  type Viewer,
} from "./harness.ts";
import { keysOf, serve, textsOf } from "./served.ts";

test("three tabs have their keys again after a restart, a joined tab continues in the session that two tabs of one video share, and that session ends with the last tab", async () => {
  await using site = await openSite();
  await using served = await serve();
  await using viewer = await openViewer(site, served);
  const texts = async (key: string): Promise<readonly string[]> => textsOf(await served.events(key));
  const stops: number[] = [];
  for (const path of ["/", "/other", "/"]) {
    const page = await viewer.context.newPage();
    await page.goto(`${site.url}${path}`);
    await expect.poll(async () => (await keysOf(served)).length).toBe(stops.length + 1);
    stops.push(await play(page, { fromMs: 0, toMs: 2_500 }));
  }
  const keys = (await keptTabs(viewer)).map(({ part, video }) => `${part}/${video?.videoId}`);
  expect(keys).toHaveLength(3);
  await expect.poll(async () => (await keysOf(served)).toSorted()).toEqual(keys.toSorted());
  const [key = "", other = "", third = ""] = keys;
  const { sessionId } = await served.session(key);
  expect((await served.session(third)).sessionId).toBe(sessionId);
  expect((await served.session(other)).sessionId).not.toBe(sessionId);
  // Captions that both tabs played are stored once.
  await expect.poll(() => texts(key)).toEqual(captionsUntil(Math.max(stops[0] ?? 0, stops[2] ?? 0)));
  await expect.poll(() => texts(other)).toEqual(captionsUntil(stops[1] ?? 0));

  await viewer.restart();
  await expect.poll(async () => (await keptTabs(viewer)).length).toBe(3);
  expect((await keptTabs(viewer)).map(({ part, video }) => `${part}/${video?.videoId}`)).toEqual(keys);
  const pages = await pagesOf(viewer, site.url);
  // The third tab continues where the first one stopped, in their session.
  let [sharedMs, otherMs] = [Math.max(stops[0] ?? 0, stops[2] ?? 0), stops[1] ?? 0];
  for (const [n, page] of pages.entries()) {
    await bringToRecord(viewer, page, { served, key: keys[n] ?? "" });
    const fromMs = n === 1 ? otherMs : sharedMs;
    const stop = await play(page, { fromMs, toMs: fromMs + 4_500 });
    if (n === 1) otherMs = stop;
    else sharedMs = stop;
    await expect.poll(() => texts(keys[n] ?? "")).toEqual(captionsUntil(stop));
  }
  expect((await keysOf(served)).toSorted()).toEqual(keys.toSorted());
  for (const one of keys) expect(await served.session(one)).toMatchObject({ parentId: null });
  expect((await served.session(third)).sessionId).toBe(sessionId);

  // The second tab is active, and joins the session of the first one. The first tab is in the background, so its
  // playback is not recorded.
  const [first, second, last] = pages as readonly [Page, Page, Page];
  const left = await served.session(other);
  await bringToRecord(viewer, second, { served, key: other });
  const panel = await viewer.panel();
  await play(first, { fromMs: 18_000, toMs: 20_500 });
  // A caption that is visible when the tab records again would count.
  const again = sharedMs;
  await first.evaluate(`document.querySelector("video").currentTime = ${again / 1000}`);
  await panel.getByRole("button", { name: "Sessions", exact: true }).click();
  // A session that several tabs share is one row.
  await panel.getByRole("button", { name: "Join this tab to this session" }).click();
  await expect.poll(async () => (await served.session(other)).sessionId).not.toBe(left.sessionId);
  expect(await served.session(other)).toMatchObject({ sessionId });
  const heard = captionsUntil(sharedMs);
  const from = otherMs;
  const also = captionsUntil(await play(second, { fromMs: from, toMs: from + 4_500 }));
  const joined = [...heard, ...also.slice(captionsUntil(from).length)];
  await expect.poll(() => texts(key)).toEqual(joined);
  // The transcript of the joined tab names its own video, which is not the video of the session.
  const videos = (await served.events(key)).flatMap(({ type, data }) =>
    type === "transcript_added" ? [(data as { readonly videoId?: string }).videoId ?? null] : [],
  );
  const { videoId } = left;
  expect(videos).toEqual(joined.map((_, n) => (n < heard.length ? null : videoId)));

  // A note of the joined tab seeks in that tab; the panel of the other tab shows that it belongs to another video.
  await panel.getByRole("button", { name: "Notes", exact: true }).click();
  await panel.getByLabel("Remark or question").fill("The other film shows the same hill.");
  await panel.getByRole("button", { name: "Add remark" }).click();
  const note = panel.locator(".note", { hasText: "shows the same hill" });
  await note.getByRole("button", { name: /^\d+:\d\d$/u }).waitFor();
  expect(await note.getByText("another video").count()).toBe(0);
  await bringToRecord(viewer, first, { served, key });
  await note.getByText("another video").waitFor();
  expect(await note.getByRole("button", { name: /^\d+:\d\d$/u }).count()).toBe(0);

  await second.close();
  await bringToRecord(viewer, first, { served, key });
  const more = captionsUntil(await play(first, { fromMs: again, toMs: again + 4_500 })).slice(heard.length);
  await expect.poll(() => texts(key)).toEqual([...joined, ...more]);
  expect(await served.session(key)).toMatchObject({ sessionId });
  await first.close();
  // The third tab is still in the session.
  await bringToRecord(viewer, last, { served, key: third });
  expect(["active", "checkpointed", "idle"]).toContain((await served.session(third)).state);
  await last.close();
  await expect.poll(async () => (await served.session(key)).state).toBe("closed");
});

/** Returns the pages with a video, in the order of their tabs. */
async function pagesOf(viewer: Viewer, url: string): Promise<readonly Page[]> {
  const pages = viewer.context.pages().filter((page) => page.url().startsWith(url));
  for (const [n, page] of pages.entries()) await page.evaluate(`globalThis.name_ = ${n}`);
  const tabs = (await viewer.ask(
    `(async () => { const tabs = await chrome.tabs.query({ url: "${url}/*" });
      return Promise.all(tabs.map(async ({ id, index }) => {
        const [{ result }] = await chrome.scripting.executeScript({ target: { tabId: id }, world: "MAIN", func: () => globalThis.name_ });
        return { index, n: result };
      })); })()`,
  )) as readonly { readonly index: number; readonly n: number }[];
  return tabs.toSorted((a, b) => a.index - b.index).flatMap(({ n }) => pages[n] ?? []);
}
