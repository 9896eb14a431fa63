/** Soon after a video opens, the panel shows chapters and a summary from its captions, and marks the watched part. */

import { expect, test } from "vitest";
import { hourOfCaptions, toVtt } from "../live/hour.ts";
import { openSite, openViewer, play } from "./harness.ts";
import { checkPanel } from "./pictures.ts";
import { keysOf, NOTE_AGENT, serve } from "./served.ts";

const HOUR = hourOfCaptions();

/** A stream of an hour, of which only the beginning is loaded, with the captions of the whole video. */
const PAGE = `<!doctype html><html lang="en"><title>An hour of lighthouses</title><body>
<video id="video" width="640" height="360" controls muted>
<track kind="captions" srclang="en" label="English" src="/hour.vtt"></video>
<script>
document.title += location.search.replace("?try=", ", ");
const source = new MediaSource();
source.addEventListener("sourceopen", async () => {
  const bytes = await (await fetch("/harbour.webm")).arrayBuffer();
  const buffer = source.addSourceBuffer('video/webm; codecs="vp8"');
  buffer.addEventListener("updateend", () => { source.duration = 3700; }, { once: true });
  buffer.appendBuffer(bytes);
});
document.querySelector("video").src = URL.createObjectURL(source);
</script></body></html>`;

test("a video of an hour has chapters and a summary within ten seconds after it opens, without a request to a model, and the watched part is marked", async () => {
  await using site = await openSite();
  site.pages.set("/hour", PAGE);
  site.pages.set("/hour.vtt", toVtt(HOUR));
  await using served = await serve({ yaml: NOTE_AGENT });
  await using viewer = await openViewer(site, served);
  const panel = await viewer.panel();
  const page = await viewer.context.newPage();
  const chapters = panel.locator(".chapters li");
  // Each address is another video. A machine that is busy with other tests gets three attempts.
  let tookMs = Number.POSITIVE_INFINITY;
  for (let n = 1; n <= 3 && tookMs >= 10_000; n++) {
    await page.goto(`${site.url}/hour?try=${n}`);
    const openedMs = Date.now();
    await panel.getByText(`An hour of lighthouses, ${n}`, { exact: true }).waitFor({ timeout: 120_000 });
    await chapters.first().waitFor({ timeout: 120_000 });
    tookMs = Date.now() - openedMs;
  }
  expect(tookMs).toBeLessThan(10_000);
  expect(await chapters.count()).toBeGreaterThanOrEqual(5);
  await panel.getByRole("heading", { name: "Summary" }).waitFor();
  await panel.getByText("0 watched").waitFor();
  const key = (await keysOf(served)).at(-1) ?? "";
  const listed = (await served.events(key)).filter(({ type }) => type === "captions_listed");
  const cues = listed.flatMap(({ data }) => (data as { readonly cues: readonly unknown[] }).cues);
  expect(cues).toEqual(HOUR);
  expect(listed.length).toBe(Math.ceil(HOUR.length / 500));
  expect((await served.session(key)).cost).toMatchObject({ modelCalls: 0 });
  expect(await served.notes(key)).toEqual([]);
  await checkPanel(panel, "chapters");

  await page.bringToFront();
  await play(page, { fromMs: 0, toMs: 10_000 });
  await chapters.first().getByText("% watched").waitFor();
  expect(await panel.locator(".timeline .watched").count()).toBe(1);
  await panel.bringToFront();
  await checkPanel(panel, "chapters-watched");
  // The list of captions was sent once, although the page continues to read its track.
  expect((await served.events(key)).filter(({ type }) => type === "captions_listed").length).toBe(
    listed.length,
  );
  // A click on a chapter moves the video to it.
  await chapters.nth(1).getByRole("button").click();
  await expect.poll(() => page.evaluate(`document.querySelector("video").currentTime`)).toBeGreaterThan(60);
});
