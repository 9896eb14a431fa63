/** A viewing with the extension in Chromium: the captions of a video become evidence of one session. */

import { expect, test } from "vitest";
import { CAPTIONS, captionsUntil, openSite, openViewer, play } from "./harness.ts";
import { HELD_CLOCK, HOLD_WHEN_ASKED, tellPageClock } from "./held-clock.ts";
import { keysOf, serve, textsOf } from "./served.ts";

const LATE = `<!doctype html><title>Late captions</title><video src="/other.webm" muted></video>
<script>document.querySelector("video").addTextTrack("captions", "English", "en").mode = "hidden";</script>`;

test("captions become transcripts of one session, each once, also after a reload", async () => {
  await using site = await openSite();
  site.pages.set("/late", LATE);
  await using served = await serve();
  const watchScript = `${HELD_CLOCK}${HOLD_WHEN_ASKED}`;
  await using viewer = await openViewer(site, served, { watchScript });
  const page = await viewer.context.newPage();
  await page.goto(`${site.url}/?utm_source=mail`);
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  const [key = ""] = await keysOf(served);
  await play(page, { fromMs: 0, toMs: 12_000 });
  await expect.poll(async () => textsOf(await served.events(key)).length).toBeGreaterThanOrEqual(6);
  // After the reload, the page waits only for timers of the next five seconds.
  await page.evaluate(`sessionStorage.setItem("hold", "yes")`);
  await page.reload();
  await page.waitForFunction(`document.querySelector("video")?.readyState >= 2`);
  await expect.poll(() => tellPageClock(viewer, site.url, { act: "isHeld" })).toEqual([true]);
  await tellPageClock(viewer, site.url, { act: "advance", ms: 5_000 });
  await play(page, { fromMs: 9_000, toMs: 23_000 });
  await expect.poll(async () => textsOf(await served.events(key))).toEqual(CAPTIONS);
  expect(await keysOf(served)).toEqual([key]);

  // These captions are added only after the time at which they should appear.
  const captions = CAPTIONS.map(
    (text, n) => `track.addCue(new VTTCue(${n * 2}, ${n * 2 + 2}, ${JSON.stringify(text)}))`,
  );
  const late = await viewer.context.newPage();
  await late.goto(`${site.url}/late`);
  const first = await play(late, { fromMs: 0, toMs: 4_500 });
  await late.evaluate(`const track = document.querySelector("video").textTracks[0]; ${captions.join(";")}`);
  const end = await play(late, { fromMs: first, toMs: first + 2_500 });
  await expect.poll(async () => (await keysOf(served)).length).toBe(2);
  const other = (await keysOf(served)).find((one) => one !== key) ?? "";
  await expect.poll(async () => textsOf(await served.events(other))).toEqual(captionsUntil(end));

  const frames = (await served.events(key)).filter(({ type }) => type === "frame_captured");
  expect(frames[0]?.data).toMatchObject({
    full: { mediaType: "image/jpeg" },
    thumbnail: { mediaType: "image/jpeg" },
    embedding: { length: 64 },
    embeddingVersion: "rgb64.1",
  });
});
