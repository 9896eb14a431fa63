/** A viewing with the extension in Chromium: what a video says becomes evidence of one session. */

import { expect, test } from "vitest";
import { CAPTIONS, openSite, openViewer, play } from "./harness.ts";
import { keysOf, serve, textsOf } from "./served.ts";

test("captions become transcripts of one session, each once, over a reload", async () => {
  await using site = await openSite();
  await using served = await serve();
  await using viewer = await openViewer(site, served);
  const page = await viewer.context.newPage();
  await page.goto(`${site.url}/?utm_source=mail`);
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  const [key = ""] = await keysOf(served);
  await play(page, { fromMs: 0, toMs: 12_000 });
  await expect.poll(async () => textsOf(await served.events(key)).length).toBeGreaterThanOrEqual(6);
  await page.reload();
  await play(page, { fromMs: 9_000, toMs: 23_000 });
  await expect.poll(async () => textsOf(await served.events(key))).toEqual(CAPTIONS);
  expect(await keysOf(served)).toEqual([key]);
  const frames = (await served.events(key)).filter(({ type }) => type === "frame_captured");
  expect(frames[0]?.data).toMatchObject({
    full: { mediaType: "image/jpeg" },
    thumbnail: { mediaType: "image/jpeg" },
    embedding: { length: 64 },
    embeddingVersion: "rgb64.1",
  });
});
