/** A page that tries to read the session, to send false input, or to flood it. */

import { expect, test } from "vitest";
import { openSite, openViewer } from "./harness.ts";
import { EXTENSION_ID, keysOf, serve, textsOf } from "./served.ts";

const PAGE = `<!doctype html><title>${"T".repeat(100_000)}</title><body><script>
  const seen = [];
  const fake = { to: "worker", type: "evidence", videoId: "html5:fake", items: [{ kind: "transcript", id: "f", mediaTimeMs: 1, endMs: 2, text: "forged", lang: "", speaker: null }] };
  addEventListener("message", ({ data }) => { if (data !== fake && JSON.stringify(data) !== JSON.stringify(fake)) seen.push(data); });
  let count = 0;
  const replace = () => {
    document.querySelector("video")?.remove();
    const video = document.createElement("video");
    video.src = "harbour.webm?" + count++;
    video.muted = true;
    document.body.append(video);
    const track = video.addTextTrack("captions", "x", "en");
    track.mode = "hidden";
    for (let n = 0; n < 20; n++) track.addCue(new VTTCue(n / 10, 20, "huge " + n + " <b>" + "x".repeat(200000)));
    video.play().catch(() => {});
    postMessage(fake, "*");
    document.dispatchEvent(new CustomEvent("continuo", { detail: fake }));
    try { chrome.runtime.sendMessage("${EXTENSION_ID}", fake); } catch {}
  };
  replace();
  const timer = setInterval(replace, 10);
  const calm = () => { clearInterval(timer); replace(); };
</script>`;

test("a page can neither read the session nor send input to it, and a flood from it is limited", async () => {
  await using site = await openSite();
  site.pages.set("/hostile", PAGE);
  await using served = await serve();
  await using viewer = await openViewer(site, served);
  const page = await viewer.context.newPage();
  // The page's videos never finish loading.
  await page.goto(`${site.url}/hostile`, { waitUntil: "commit" });
  await expect.poll(() => page.evaluate("count")).toBeGreaterThan(200);
  await page.evaluate("calm()");
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  const [key = ""] = await keysOf(served);
  await expect.poll(async () => textsOf(await served.events(key)).length).toBeGreaterThan(0);
  const texts = textsOf(await served.events(key));
  expect(texts.filter((text) => text.includes("forged") || text.length > 4_000)).toEqual([]);
  const session = (await served.get(`/v1/live/${encodeURIComponent(key)}`)) as { readonly title: string };
  expect(session.title.length).toBeLessThanOrEqual(200);
  expect(await page.evaluate("seen")).toEqual([]);
  expect(await page.evaluate("Object.keys(window).filter((name) => /continuo/i.test(name))")).toEqual([]);
  const read = `Promise.all(["manifest.json", "sidepanel.html"].map((name) =>
    fetch("chrome-extension://${EXTENSION_ID}/" + name).then(() => "read", () => "refused")))`;
  expect(await page.evaluate(read)).toEqual(["refused", "refused"]);
});
