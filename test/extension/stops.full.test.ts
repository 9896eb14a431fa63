/** When a person pauses the video, switches to another page, or lets it end, the open thought gets its note at once. */

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { CAPTIONS, play } from "./harness.ts";
import { openWatched } from "./open-watched.ts";
import type { ServerProcess } from "./served.ts";

async function stopsOf(served: ServerProcess, key: string): Promise<readonly string[]> {
  const events = await served.events(key);
  return events.flatMap(({ type, data }) =>
    type === "playback_changed" ? [(data as { readonly state: string }).state] : [],
  );
}

async function seek(page: Page, seconds: number): Promise<void> {
  await page.evaluate(`document.querySelector("video").currentTime = ${seconds}`);
}

/** Without a stop, an open thought gets its note after 30 s of silence. */
const SOON = { timeout: 10_000 };

test("a pause and the end of the video each give the note of the open thought, and seeking back and forth counts as one stop", async () => {
  await using watched = await openWatched();
  const { served, page, panel, key } = watched;
  const states = async (): Promise<readonly string[]> => await stopsOf(served, key);
  const textOf = async (): Promise<string> => (await served.notes(key)).map(({ text }) => text).join(" ");

  await page.bringToFront();
  await play(page, { fromMs: 0, toMs: 7_000, rate: 1 });
  await expect.poll(states).toEqual(["paused"]);
  await expect.poll(async () => (await served.notes(key)).length, SOON).toBeGreaterThan(0);
  const paused = await textOf();
  expect(CAPTIONS.slice(0, 4).filter((caption) => paused.includes(caption)).length).toBeGreaterThan(0);
  await panel.locator(".note").first().waitFor();

  // Seeking sends only the change of the position.
  for (const seconds of [3, 20, 12]) await seek(page, seconds);
  await expect.poll(states).toEqual(["paused", "moved"]);

  await seek(page, 18);
  await page.evaluate(`document.querySelector("video").play()`);
  await expect.poll(async () => (await states()).at(-1), SOON).toBe("ended");
  const last = CAPTIONS.at(-1) ?? "";
  await expect.poll(textOf, SOON).toContain(last);
});

test("a short playback gives a stop too, however many of them happen between two checks of the page", async () => {
  await using watched = await openWatched();
  const { served, page, key } = watched;
  await page.bringToFront();
  await play(page, { fromMs: 0, toMs: 2_000, rate: 1 });
  await expect.poll(() => stopsOf(served, key)).toEqual(["paused"]);
  await page.evaluate(`(async () => {
    const video = document.querySelector("video");
    const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    for (let n = 0; n < 4; n++) {
      const playing = new Promise((resolve) => video.addEventListener("playing", resolve, { once: true }));
      await video.play();
      await playing;
      await pause(30);
      video.pause();
      await pause(30);
    }
  })()`);
  await expect.poll(() => stopsOf(served, key), SOON).toEqual(new Array(5).fill("paused"));
});
