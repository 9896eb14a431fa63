/** The events that end a session, and those that do not. */

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

test("a video that is absent for less than ten seconds, a closed window and a reload keep a session; after a closed tab the other tab continues it; another video and a page without a video end it", async () => {
  await using site = await openSite();
  await using served = await serve();
  await using viewer = await openViewer(site, served);
  const opening = viewer.context.waitForEvent("page");
  const { id } = (await viewer.ask(`chrome.windows.create({ url: "${site.url}" })`)) as {
    readonly id: number;
  };
  const page = await opening;
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  const [key = ""] = await keysOf(served);
  const first = await play(page, { fromMs: 0, toMs: 4_500 });
  await page.evaluate(`globalThis.video = document.querySelector("video"); video.remove();`);
  await expect.poll(async () => (await keptTabs(viewer))[0]?.withoutVideoSinceMs).toBeGreaterThan(0);
  await page.evaluate(`document.body.append(video);`);
  await expect.poll(async () => (await keptTabs(viewer))[0]?.withoutVideoSinceMs).toBeNull();
  const second = await play(page, { fromMs: first, toMs: 8_500 });
  await expect.poll(async () => textsOf(await served.events(key))).toEqual(captionsUntil(second));

  await viewer.ask(`chrome.windows.remove(${id})`);
  await expect.poll(() => keptTabs(viewer)).toEqual([]);
  const again = await viewer.context.newPage();
  await again.goto(site.url);
  const third = await play(again, { fromMs: second, toMs: 12_500 });
  await again.reload();
  const fourth = await play(again, { fromMs: third, toMs: 16_500 });
  await expect.poll(async () => textsOf(await served.events(key))).toEqual(captionsUntil(fourth));
  expect(await keysOf(served)).toEqual([key]);
  expect((await served.session(key)).parentId).toBeNull();

  const stateOf = async (one: string): Promise<string> => (await served.session(one)).state;
  const duplicating = viewer.context.waitForEvent("page");
  await viewer.ask(
    `chrome.tabs.query({ url: "${site.url}/*" }).then(([tab]) => chrome.tabs.duplicate(tab.id))`,
  );
  const duplicate = await duplicating;
  await expect.poll(() => keysOf(served)).toHaveLength(2);
  const copy = (await keysOf(served)).find((one) => one !== key) ?? "";
  expect(copy.split("/")[0]).not.toBe(key.split("/")[0]);
  const { sessionId } = await served.session(key);
  expect((await served.session(copy)).sessionId).toBe(sessionId);
  await duplicate.close();
  await expect.poll(() => keptTabs(viewer)).toHaveLength(1);
  await expect.poll(() => endings(viewer)).toEqual([]);
  await bringToRecord(viewer, again, { served, key });
  const fifth = await play(again, { fromMs: fourth, toMs: fourth + 2_500 });
  await expect.poll(async () => textsOf(await served.events(key))).toEqual(captionsUntil(fifth));
  expect(await served.session(key)).toMatchObject({ sessionId, closedAt: null });

  await again.goto(`${site.url}/other`);
  await expect.poll(() => stateOf(key)).toBe("closed");
  await expect.poll(() => keysOf(served)).toHaveLength(3);
  const other = (await keysOf(served)).find((one) => one.endsWith("/other.webm")) ?? "";
  expect(other.split("/")[0]).toBe(key.split("/")[0]);
  await again.goto(`${site.url}/empty`);
  await expect.poll(() => stateOf(other)).toBe("closed");
});

/** Returns the sessions that the extension still has to end. */
async function endings(viewer: Viewer): Promise<unknown> {
  return await viewer.ask(`chrome.storage.local.get("ending").then(({ ending }) => ending ?? [])`);
}
