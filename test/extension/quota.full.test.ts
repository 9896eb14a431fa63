/** The browser's storage is almost full: the panel warns from 80 % on, and everything is still stored. */

import { expect, test } from "vitest";
import { captionsUntil, openSite, openViewer, play } from "./harness.ts";
import { checkPanel } from "./pictures.ts";
import { keysOf, serve, textsOf } from "./served.ts";

/** Chromium's override of a quota does not reach pages of extensions. */
const STAND_IN = "StorageManager.prototype.estimate = async () => ({ usage: 85, quota: 100 });";

test("from 80 % of the quota on the panel warns, and captions that are heard offline are stored and sent", async () => {
  await using site = await openSite();
  await using served = await serve();
  await using viewer = await openViewer(site, served, { offscreenScript: STAND_IN });
  const page = await viewer.context.newPage();
  await page.goto(site.url);
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  const [key = ""] = await keysOf(served);
  await served.kill();
  const end = await play(page, { fromMs: 0, toMs: 6_500 });
  const panel = await viewer.panel();
  await panel.getByText("storage for data that is not sent yet is 85 % full").waitFor();
  await checkPanel(panel, "quota");
  await served.restart();
  await expect.poll(async () => textsOf(await served.events(key))).toEqual(captionsUntil(end));
});
