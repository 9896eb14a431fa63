/**
 * The page of a session in the panel: it appears at a long pause, seeks in the video, is updated after changes, is
 * shown at the next viewing, and is exported.
 */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Talk, talksIn } from "../live/captions/draw.ts";
import { play } from "./harness.ts";
import { openWatched } from "./open-watched.ts";
import { checkPanel } from "./pictures.ts";
import { keysOf } from "./served.ts";

const BEES = talksIn("tune").find(({ name }) => name === "bees") as Talk;

interface Page {
  readonly page: { readonly items: readonly { readonly itemId: string; readonly kind: string }[] } | null;
}

test("the page appears in the panel at a long pause, its citations seek, a change is shown, and it is in the next viewing and in exports", async () => {
  await using watched = await openWatched({ sources: { frames: false } });
  const { viewer, served, site, panel, page, key } = watched;
  await play(page, { fromMs: 0, toMs: 2_500 });
  // This sends the transcript of a talk, like another tab with the video; the talk is long enough for a page.
  const evidence = BEES.pieces.map(({ text, mediaTimeMs, endMs, lang = "en" }) => {
    return { type: "transcript_added", text, lang, mediaTimeMs, endMs };
  });
  for (let n = 0; n < evidence.length; n += 400) {
    const batch = { producerId: "bees", epoch: 0, sequence: n / 400, evidence: evidence.slice(n, n + 400) };
    await served.send("POST", `/v1/live/${encodeURIComponent(key)}/evidence`, batch);
  }
  const shown = panel.locator(".page");
  // The page is written two minutes after the last word.
  await shown.waitFor({ timeout: 240_000 });
  await panel.locator(".page summary").click();
  const sentences = shown.getByRole("region", { name: "Summary" }).getByRole("listitem");
  await sentences.first().waitFor();
  await shown.getByText("Taken from what was said, without a model.").waitFor();
  await checkPanel(panel, "page");

  // The first chapter begins near the beginning, and the video is at another position.
  await page.evaluate(`document.querySelector("video").currentTime = 19`);
  const chapters = shown.getByRole("region", { name: "Chapters" }).getByRole("listitem");
  expect(await chapters.count()).toBeGreaterThanOrEqual(2);
  const time = chapters.first().getByRole("button").first();
  const [minutes = 0, seconds = 0] = ((await time.textContent()) ?? "").split(":").map(Number);
  await time.click();
  await expect
    .poll(async () => Math.floor(Number(await page.evaluate(`document.querySelector("video").currentTime`))))
    .toBe(minutes * 60 + seconds);

  const path = `/v1/live/${encodeURIComponent(key)}/page`;
  const { page: written } = (await served.get(path)) as Page;
  const summary = written?.items.find(({ kind }) => kind === "summary");
  const edit = { operation: "edit", text: "A harbour, as a person put it." };
  await served.send("POST", `${path}/${encodeURIComponent(summary?.itemId ?? "")}`, edit);
  await shown.getByText("A harbour, as a person put it.").waitFor();
  await shown.getByText("yours").waitFor();

  await page.close();
  await expect.poll(async () => (await served.session(key)).state).toBe("closed");
  const again = await viewer.context.newPage();
  await again.goto(site.url);
  await expect.poll(() => keysOf(served)).toHaveLength(2);
  await shown.getByText("A harbour, as a person put it.").waitFor({ state: "attached" });

  await panel.bringToFront();
  await panel.getByRole("button", { name: "Sessions", exact: true }).click();
  // The last button opens the older session, which has the transcript.
  await panel.getByRole("button", { name: "A day at the harbour" }).last().click();
  await panel.getByText("A harbour, as a person put it.").waitFor();
  await checkPanel(panel, "earlier-page");
  const exported = async (format: string): Promise<string> => {
    const download = panel.waitForEvent("download");
    await panel.getByRole("button", { name: format }).click();
    return readFileSync(await (await download).path(), "utf8");
  };
  const markdown = await exported("Markdown");
  expect(markdown).toContain("## Summary\n\n");
  expect(markdown).toMatch(/ A harbour, as a person put it\\?\. \(said at \d+:\d\d/u);
  expect(markdown).toMatch(/## Chapters\n\n- \d+:\d\d–\d+:\d\d \*\*/u);
  // Each link leads to a place inside the file.
  const html = await exported("HTML");
  const links = [...html.matchAll(/href="#([^"]+)"/gu)].map(([, id]) => id);
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter((id) => !html.includes(`<li id="${id}"`))).toEqual([]);
});
