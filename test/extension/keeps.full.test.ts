/** What does not end a session. */

import { expect, test } from "vitest";
import { captionsUntil, keptTabs, openSite, openViewer, play } from "./harness.ts";
import { keysOf, serve, textsOf } from "./served.ts";

test("a video that is away for less than ten seconds, a closed window and a reload keep the session", async () => {
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
});
