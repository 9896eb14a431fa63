/** What ends a session and what does not, and that nothing is lost or doubled over deaths of every part. */

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import {
  CAPTIONS,
  keysOf,
  openSite,
  openViewer,
  play,
  type Served,
  serve,
  textsOf,
  type Viewer,
} from "./harness.ts";

/** Ends the service worker as the browser does. What lay in its memory is gone with it. */
async function killWorker(viewer: Viewer, page: Page): Promise<void> {
  const worker = await viewer.worker();
  await worker.evaluate("globalThis.isOld = true");
  const session = await viewer.context.newCDPSession(page);
  const { targetInfos } = await session.send("Target.getTargets");
  const target = targetInfos.find(({ type, url }) => type === "service_worker" && url === worker.url());
  expect(target).toBeDefined();
  await session.send("Target.closeTarget", { targetId: target?.targetId ?? "" });
}

async function transcripts(served: Served, key: string): Promise<readonly string[]> {
  return textsOf(await served.events(key));
}

async function stateOf(served: Served, key: string): Promise<unknown> {
  return ((await served.get(`/v1/live/${encodeURIComponent(key)}`)) as { readonly state: string }).state;
}

test("a reload, a killed worker and a killed server lose and double no caption of one session", async () => {
  await using site = await openSite();
  await using served = await serve();
  await using viewer = await openViewer(site, served);
  const page = await viewer.context.newPage();
  await page.goto(site.url);
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  const [key = ""] = await keysOf(served);
  await play(page, { fromMs: 0, toMs: 5_000 });
  await killWorker(viewer, page);
  await play(page, { fromMs: 4_000, toMs: 9_000 });
  expect(await (await viewer.worker()).evaluate("globalThis.isOld === undefined")).toBe(true);
  await served.kill();
  await play(page, { fromMs: 8_000, toMs: 14_000 });
  await page.reload();
  await play(page, { fromMs: 13_000, toMs: 18_000 });
  await served.restart();
  await play(page, { fromMs: 17_000, toMs: 23_000 });
  await expect.poll(() => transcripts(served, key)).toEqual(CAPTIONS);
  expect(await keysOf(served)).toEqual([key]);
});

test("two tabs of one video have a session each; closing one ends it, and another page ends the other", async () => {
  await using site = await openSite();
  await using served = await serve();
  await using viewer = await openViewer(site, served);
  const first = await viewer.context.newPage();
  await first.goto(site.url);
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  const [left = ""] = await keysOf(served);
  const second = await viewer.context.newPage();
  await second.goto(site.url);
  await expect.poll(() => keysOf(served)).toHaveLength(2);
  const closed = (await keysOf(served)).find((key) => key !== left) ?? "";
  await second.close();
  await expect.poll(() => stateOf(served, closed)).toBe("closed");
  expect(await stateOf(served, left)).not.toBe("closed");
  await first.goto(`${site.url}/empty`);
  await expect.poll(() => stateOf(served, left)).toBe("closed");
});
