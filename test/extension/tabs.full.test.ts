/** Several tabs: over a restart of the browser each has its session again, the active one records, and two are joined by hand. */

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

test("three tabs have their sessions again after a restart, a joined one continues in another's session, and that ends with the last", async () => {
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
  for (const [n, key] of keys.entries())
    await expect.poll(() => texts(key)).toEqual(captionsUntil(stops[n] ?? 0));

  await viewer.restart();
  await expect.poll(async () => (await keptTabs(viewer)).length).toBe(3);
  expect((await keptTabs(viewer)).map(({ part, video }) => `${part}/${video?.videoId}`)).toEqual(keys);
  const pages = await pagesOf(viewer, site.url);
  for (const [n, page] of pages.entries()) {
    await bringToRecord(viewer, page, { served, key: keys[n] ?? "" });
    const fromMs = stops[n] ?? 0;
    stops[n] = await play(page, { fromMs, toMs: fromMs + 4_500 });
    await expect.poll(() => texts(keys[n] ?? "")).toEqual(captionsUntil(stops[n]));
  }
  expect((await keysOf(served)).toSorted()).toEqual(keys.toSorted());
  for (const key of keys) expect(await served.session(key)).toMatchObject({ parentId: null });

  // The second tab is active, and joins the first one, which lies in the background: what that plays is not recorded.
  const [first, second] = pages as readonly [Page, Page];
  const [key = "", other = ""] = keys;
  const { sessionId } = await served.session(key);
  const left = await served.session(other);
  await bringToRecord(viewer, second, { served, key: other });
  const panel = await viewer.panel();
  await play(first, { fromMs: 18_000, toMs: 20_500 });
  // A caption that is shown when the tab records again would count.
  const again = stops[0] ?? 0;
  await first.evaluate(`document.querySelector("video").currentTime = ${again / 1000}`);
  await panel.getByRole("button", { name: "Sessions" }).click();
  // The newest session stands first in the list.
  const join = panel.getByRole("button", { name: "Join this tab to it" });
  await expect.poll(() => join.count()).toBe(2);
  await join.last().click();
  await expect.poll(async () => (await served.session(other)).sessionId).not.toBe(left.sessionId);
  expect(await served.session(other)).toMatchObject({ sessionId });
  const heard = captionsUntil(stops[0] ?? 0);
  const from = stops[1] ?? 0;
  const also = captionsUntil(await play(second, { fromMs: from, toMs: from + 4_500 }));
  const joined = [...heard, ...also.slice(captionsUntil(from).length)];
  await expect.poll(() => texts(key)).toEqual(joined);

  await second.close();
  await bringToRecord(viewer, first, { served, key });
  const more = captionsUntil(await play(first, { fromMs: again, toMs: again + 4_500 })).slice(heard.length);
  await expect.poll(() => texts(key)).toEqual([...joined, ...more]);
  expect(await served.session(key)).toMatchObject({ sessionId });
  await first.close();
  await expect.poll(async () => (await served.session(key)).state).toBe("closed");
});

/** The pages that show a video, in the order of their tabs. */
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
