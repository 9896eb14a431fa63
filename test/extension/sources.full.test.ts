/**
 * Each source reports why it gives nothing: captions that a page draws itself, a video of another site, plain http, no
 * transcriber.
 */

import { expect, test } from "vitest";
import { openSite, openViewer, play } from "./harness.ts";
import { checkPanel } from "./pictures.ts";
import { keysOf, serve, textsOf } from "./served.ts";

const SPOKEN = [
  "The harbour wakes early.",
  "Boats leave one by one.",
  "Gulls follow the nets.",
  "The hill is green.",
];

/** A page that draws a caption over its video every 2 s, next to other texts of a player. */
const DRAWN = `<!doctype html><title>Drawn</title>
<div style="position:relative;width:640px"><video src="harbour.webm" width="640" muted></video>
<button style="position:absolute;left:4px;top:4px">Settings 1</button>
<span class="clock" style="position:absolute;right:4px;bottom:4px">0:00</span>
<div style="position:absolute;left:0;right:0;bottom:24px;text-align:center"></div></div>
<script>
  const video = document.querySelector("video");
  const said = ${JSON.stringify(SPOKEN)};
  video.ontimeupdate = () => {
    document.querySelector(".clock").textContent = "0:0" + Math.floor(video.currentTime);
    const line = document.createElement("span");
    line.className = "line";
    line.textContent = said[Math.floor(video.currentTime / 2) % said.length];
    document.querySelector("div > div").replaceChildren(line);
  };
</script>`;

test("the panel reports that a video has no captions, and after a click it reads the captions that the page draws", async () => {
  await using site = await openSite();
  site.pages.set("/drawn", DRAWN);
  await using served = await serve();
  await using viewer = await openViewer(site, served, { sources: { frameEveryMs: 600_000 } });
  const panel = await viewer.panel();
  const page = await viewer.context.newPage();
  await page.goto(`${site.url}/drawn`);
  await play(page, { fromMs: 0, toMs: 3_000, rate: 1 });
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  const [key = ""] = await keysOf(served);
  await panel.getByText("Captions: this video has none").waitFor();
  await checkPanel(panel, "no-captions");
  expect(textsOf(await served.events(key))).toEqual([]);
  await panel.getByRole("button", { name: "Look for them" }).click();
  await page.bringToFront();
  await play(page, { fromMs: 0, toMs: 10_000, rate: 1 });
  await expect
    .poll(async () => textsOf(await served.events(key)))
    .toEqual(expect.arrayContaining(["Gulls follow the nets.", "The hill is green."]));
  const texts = textsOf(await served.events(key));
  expect(texts.filter((text) => !SPOKEN.includes(text))).toEqual([]);
  await panel.getByText(/^Captions: \d+ a minute$/u).waitFor();
});

test("for a video of another site the panel reports that its pictures cannot be read, and offers to open it separately", async () => {
  await using site = await openSite();
  await using other = await openSite();
  site.pages.set(
    "/foreign",
    `<!doctype html><title>Foreign</title><video src="${other.url}/harbour.webm" width="640" muted></video>`,
  );
  await using served = await serve();
  await using viewer = await openViewer(site, served, { sources: { frameEveryMs: 1_000 } });
  const panel = await viewer.panel();
  const page = await viewer.context.newPage();
  await page.goto(`${site.url}/foreign`);
  await play(page, { fromMs: 0, toMs: 3_000, rate: 1 });
  await panel.getByText("Pictures: none, this site forbids reading them").waitFor();
  await checkPanel(panel, "foreign");
  const opened = viewer.context.waitForEvent("page");
  await panel.getByRole("button", { name: "Open the video by itself" }).click();
  expect((await opened).url()).toBe(`${other.url}/harbour.webm`);
});

test("a page on plain http, for which the browser offers fewer functions, gives captions and pictures", async () => {
  await using site = await openSite();
  await using served = await serve();
  await using viewer = await openViewer(site, served, {
    sources: { frameEveryMs: 1_000 },
    hostName: "video.example",
  });
  const page = await viewer.context.newPage();
  await page.goto(site.url.replace("127.0.0.1", "video.example"));
  expect(await page.evaluate("[isSecureContext, typeof crypto.randomUUID]")).toEqual([false, "undefined"]);
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  await play(page, { fromMs: 0, toMs: 5_000, rate: 1 });
  const [key = ""] = await keysOf(served);
  await expect
    .poll(async () => (await served.events(key)).map(({ type }) => type))
    .toEqual(expect.arrayContaining(["transcript_added", "frame_captured"]));
});

test("if the server has no transcriber for the microphone, the panel reports it and names the setting", async () => {
  await using site = await openSite();
  await using served = await serve();
  const sources = { microphone: "record", captions: false, frameEveryMs: 600_000 };
  await using viewer = await openViewer(site, served, { sources });
  const panel = await viewer.panel();
  const page = await viewer.context.newPage();
  await page.goto(site.url);
  await page.evaluate(
    `(() => { const video = document.querySelector("video"); video.loop = true; return video.play(); })()`,
  );
  await panel.getByText("Microphone: no transcriber is set up").waitFor();
  await panel.getByText("live.transcriber in continuo.yaml").waitFor();
  await checkPanel(panel, "no-transcriber");
});
