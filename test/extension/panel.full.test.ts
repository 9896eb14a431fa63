/** The side panel in Chromium: notes, what people do with them, back-pressure, and accessibility in both themes. */

import type { WireEvent } from "@continuo/core/wire";
import { expect, test } from "vitest";
import { LIMITS } from "../../extension/limits.ts";
import { captionsUntil, openSite, openViewer, play } from "./harness.ts";
import { openWatched } from "./open-watched.ts";
import { badges, checkPanel } from "./pictures.ts";
import { keysOf, NOTE_AGENT, serve, textsOf } from "./served.ts";

test("the panel shows notes with evidence, edits one, takes remarks, and pauses under load", async () => {
  await using site = await openSite();
  await using served = await serve({ yaml: NOTE_AGENT });
  await using viewer = await openViewer(site, served);
  const panel = await viewer.panel();
  await panel.getByText("Open a page with a video").waitFor();
  await checkPanel(panel, "empty");
  const page = await viewer.context.newPage();
  await page.goto(site.url);
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  const [key = ""] = await keysOf(served);
  await play(page, { fromMs: 0, toMs: 7_000 });
  await panel.getByLabel("Remark or question").fill("The hill looks like home.");
  await panel.getByRole("button", { name: "Add remark" }).click();
  // The sentence appears at once, and is replaced by its note.
  const remark = panel.locator(".note", { hasText: "your remark" });
  await remark.getByText("The hill looks like home.").waitFor({ timeout: 2_000 });
  await checkPanel(panel, "remark");
  await expect.poll(async () => (await served.events(key)).map(({ type }) => type)).toContain("remark_added");
  await panel.getByText("Noted: The hill looks like home.").waitFor();
  await expect.poll(() => remark.count()).toBe(0);
  await panel.locator(".note").first().waitFor();
  await panel.getByText("of evidence").first().click();
  await panel.locator(".note").first().getByRole("button", { name: "Edit" }).click();
  await panel.getByLabel("Text of the note").fill("A day at the harbour begins.");
  await panel.getByRole("button", { name: "Save" }).click();
  await panel.getByText("A day at the harbour begins.").waitFor();
  await checkPanel(panel, "notes");
  await panel.locator(".note .time").first().click();
  await expect.poll(() => page.evaluate(`document.querySelector("video").currentTime`)).toBeLessThan(5);

  // The click scrolled up to the first note; the list follows new notes only while it shows its end.
  const list = `document.querySelector(".scroll")`;
  await panel.evaluate(`${list}.scrollTop = ${list}.scrollHeight`);

  const flood = Array.from({ length: 120 }, (_, n) => ({
    type: "transcript_added",
    text: n % 2 === 0 ? `Ship ${n} passes` : "and comes home.",
    // Two sentences belong to each note.
    mediaTimeMs: 100_000 + Math.floor(n / 2) * 30_000 + (n % 2) * 1_000,
  }));
  const headers = { authorization: `Bearer ${served.token}`, "content-type": "application/json" };
  await fetch(`${served.url}/v1/live/${encodeURIComponent(key)}/evidence`, {
    method: "POST",
    headers,
    body: JSON.stringify({ producerId: "flood", epoch: 0, sequence: 0, evidence: flood }),
  });
  await expect
    .poll(() => badges(viewer), { interval: 50 })
    .toContainEqual({ text: "⏸", colour: [255, 165, 0, 255] });
  await checkPanel(panel, "busy");
  await expect.poll(async () => (await badges(viewer)).map(({ text }) => text)).not.toContain("⏸");

  // The newest notes are shown; earlier ones appear when a person scrolls up to them.
  const shown = panel.locator(".note");
  await expect.poll(async () => (await served.notes(key)).length).toBeGreaterThan(LIMITS.notesAtOnce);
  await expect.poll(() => shown.count()).toBe(LIMITS.notesAtOnce);
  await panel.getByRole("button", { name: /^Show earlier notes \(\d+\)$/u }).waitFor();
  await expect
    .poll(() => panel.evaluate(`${list}.scrollHeight - ${list}.clientHeight - ${list}.scrollTop < 40`))
    .toBe(true);
  await checkPanel(panel, "many");
  await panel.evaluate(`${list}.scrollTop = 0`);
  await panel.getByText("A day at the harbour begins.").waitFor();
  await expect.poll(() => shown.count()).toBeGreaterThan(LIMITS.notesAtOnce);
  await panel.evaluate(`${list}.scrollTop = ${list}.scrollHeight`);
  await expect.poll(() => shown.count()).toBe(LIMITS.notesAtOnce);
  await panel.getByRole("button", { name: "Sessions", exact: true }).click();
  await panel.getByText("A day at the harbour").first().waitFor();
  await checkPanel(panel, "sessions");
  await panel.getByRole("button", { name: "Settings" }).click();
  await checkPanel(panel, "settings");

  // After a source is switched off, the next playback gives captions and no frame.
  await panel.getByLabel("Frames of the video").uncheck();
  await panel.getByRole("button", { name: "Save" }).click();
  await panel.locator(".note").first().waitFor();
  await page.reload();
  const end = await play(page, { fromMs: 12_000, toMs: 16_500 });
  const events = async (): Promise<readonly WireEvent[]> => await served.events(key);
  await expect.poll(async () => textsOf(await events()).at(-1)).toBe(captionsUntil(end).at(-1));
  const frames = (await events()).filter(({ type }) => type === "frame_captured");
  expect(frames.filter(({ data }) => (data as { mediaTimeMs: number }).mediaTimeMs >= 12_000)).toEqual([]);
  expect(frames.length).toBeGreaterThan(0);
});

test("a remark that is made while the server is away appears at once, also in a panel that opens later", async () => {
  await using watched = await openWatched({ sources: { frames: false } });
  const { served, viewer, panel } = watched;
  await served.kill();
  await panel.getByText(/^Offline; /u).waitFor();
  await panel.getByLabel("Remark or question").fill("Said while nobody listened.");
  await panel.getByRole("button", { name: "Add remark" }).click();
  for (const one of [panel, await viewer.panel()]) {
    const remark = one.locator(".note", { hasText: "Said while nobody listened." });
    await remark.getByText("not sent yet").waitFor();
  }
  await served.restart();
  await expect.poll(() => panel.getByText("not sent yet").count()).toBe(0);
  await panel.getByText("Said while nobody listened.").waitFor();
});
