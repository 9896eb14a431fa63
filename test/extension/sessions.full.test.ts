/** Sessions of watched videos have the right title and no advertisements, are listed by day, and can be searched. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { captionsUntil, openSite, openViewer, play } from "./harness.ts";
import { openWatched } from "./open-watched.ts";
import { checkPanel } from "./pictures.ts";
import { keysOf, NOTE_AGENT, serve, textsOf } from "./served.ts";

/** A page that switches to another video without a page load, and changes its title later, as YouTube does. */
const APPLICATION = `<!doctype html><title>First talk</title>
<div id="player"><video src="harbour.webm" width="640" muted>
<track kind="captions" srclang="en" src="harbour.vtt"></video></div>
<script>
  globalThis.next = () => {
    history.pushState(null, "", "?v=2");
    document.querySelector("video").src = "other.webm";
    document.querySelector("video").play();
    setTimeout(() => { document.title = "Second talk"; }, 2_000);
  };
</script>`;

test("a session has the title of its own video, even if a page changes its title later, and contains no advertisement", async () => {
  await using site = await openSite();
  site.pages.set("/application", APPLICATION);
  await using served = await serve();
  await using viewer = await openViewer(site, served, { sources: { frameEveryMs: 600_000 } });
  const panel = await viewer.panel();
  const page = await viewer.context.newPage();
  await page.goto(`${site.url}/application`);
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  const [key = ""] = await keysOf(served);
  const end = await play(page, { fromMs: 0, toMs: 2_500, rate: 1 });
  await expect.poll(async () => textsOf(await served.events(key))).toEqual(captionsUntil(end));
  await page.evaluate(`document.querySelector("#player").classList.add("ad-showing")`);
  // The wait is long enough for one check of the page.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await play(page, { fromMs: 12_000, toMs: 16_500, rate: 1 });
  await panel.getByText("Captions: an advertisement is left out").waitFor();
  // No frame of the advertisement is captured either, even if a person asks for one.
  const capture = `chrome.storage.session.get("live").then(({ live }) =>
    chrome.tabs.sendMessage(live.recording, { to: "page", type: "capture", by: "person" }))`;
  expect(await viewer.ask(capture)).toBe("nothing");
  await page.evaluate(`document.querySelector("video").currentTime = ${end / 1000}`);
  await page.evaluate(`document.querySelector("#player").classList.remove("ad-showing")`);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const later = await play(page, { fromMs: end, toMs: end + 2_500, rate: 1 });
  await expect.poll(async () => textsOf(await served.events(key))).toEqual(captionsUntil(later));
  // Afterwards, the same request gives a frame of the video.
  expect(await viewer.ask(capture)).toBe("captured");
  await page.evaluate("next()");
  await expect.poll(async () => (await keysOf(served)).length).toBe(2);
  const titles = await Promise.all(
    (await keysOf(served)).map(async (one) => (await served.session(one)).title),
  );
  expect(titles.toSorted()).toEqual(["First talk", "Second talk"]);
});

test("sessions are grouped by day, a search finds them by a spoken word, and an export has their transcript", async () => {
  await using watched = await openWatched({ sources: { frameEveryMs: 600_000 } });
  const { page, panel, served, key } = watched;
  const end = await play(page, { fromMs: 0, toMs: 5_000, rate: 1 });
  const said = captionsUntil(end);
  await expect.poll(async () => textsOf(await served.events(key))).toEqual(said);
  await panel.bringToFront();
  await panel.getByRole("button", { name: "Sessions", exact: true }).click();
  await panel.getByRole("heading", { name: "Today" }).waitFor();
  const search = panel.getByLabel("Search notes and transcripts");
  await search.fill("no such word");
  await panel.getByText("0 found").waitFor();
  const word = said[1]?.split(" ").at(-1)?.replace(/\W/gu, "") ?? "";
  await search.fill(word.toUpperCase());
  await panel.getByText("1 found").waitFor();
  await expect
    .poll(() => panel.locator(".match").allTextContents())
    .toContainEqual(expect.stringContaining(said[1] ?? "?"));
  await checkPanel(panel, "search");
  await panel.getByRole("button", { name: "A day at the harbour" }).click();
  await panel.getByRole("heading", { name: "A day at the harbour" }).waitFor();
  await checkPanel(panel, "earlier");
  const download = panel.waitForEvent("download");
  await panel.getByRole("button", { name: "VTT" }).click();
  const file = readFileSync(await (await download).path(), "utf8");
  expect(file.startsWith("WEBVTT\n\n00:00:00.000 --> ")).toBe(true);
  expect(said.filter((text) => !file.includes(text))).toEqual([]);
});

test("a search finds a note by words that were not spoken, and a copy of its session to the clipboard has the note", async () => {
  await using watched = await openWatched({ yaml: NOTE_AGENT, sources: { frames: false } });
  const { page, panel, served, viewer, key } = watched;
  await play(page, { fromMs: 0, toMs: 4_500, rate: 1 });
  await expect.poll(async () => (await served.notes(key)).length).toBeGreaterThan(0);
  const [note] = await served.notes(key);
  const path = `/v1/live/${encodeURIComponent(key)}/notes/${encodeURIComponent(note?.noteId ?? "")}`;
  await served.send("POST", path, { operation: "edit", text: "A zeppelin, as a person put it." });
  expect(textsOf(await served.events(key)).join(" ")).not.toContain("zeppelin");
  await panel.bringToFront();
  await panel.getByRole("button", { name: "Sessions", exact: true }).click();
  await panel.getByLabel("Search notes and transcripts").fill("person ZEPPELIN");
  await panel.getByText("1 found").waitFor();
  await expect
    .poll(() => panel.locator(".match").allTextContents())
    .toEqual([expect.stringContaining("A zeppelin, as a person put it.")]);

  await panel.getByRole("button", { name: "A day at the harbour" }).click();
  await viewer.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await panel.getByRole("button", { name: "Copy", exact: true }).click();
  await panel.getByRole("button", { name: "Copied" }).waitFor();
  const copied = String(await panel.evaluate("navigator.clipboard.readText()"));
  expect(copied).toContain("# A day at the harbour\n");
  expect(copied).toMatch(/^- \*\*\d+:\d\d\*\* A zeppelin, as a person put it/mu);
});
