/** The time from the moment at which a caption begins to be said until the panel shows it, and marks it. */

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { CAPTIONS, play } from "./harness.ts";
import { openWatched } from "./open-watched.ts";
import { checkPanel } from "./pictures.ts";

const CAPTION_MS = 2_000;
const SAID = CAPTIONS.slice(0, 7);

/** Both pages are on one machine, and so have one clock. */
async function watchVideo(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    const video = document.querySelector("video");
    globalThis.begins = [];
    const look = () => {
      while (video.currentTime * 1000 >= begins.length * ${CAPTION_MS} && !video.paused) begins.push(Date.now());
      requestAnimationFrame(look);
    };
    look();
  })()`);
}

async function watchLine(panel: Page): Promise<void> {
  await panel.evaluate(`(() => {
    globalThis.shown = {};
    globalThis.marked = {};
    const look = () => {
      for (const button of document.querySelectorAll("section.line button")) {
        shown[button.textContent] ??= Date.now();
        if (button.getAttribute("aria-current") === "true") marked[button.textContent] ??= Date.now();
      }
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
  })()`);
}

function medianOf(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.POSITIVE_INFINITY;
}

test("spoken words appear in the panel, with a mark, within 2 s", async () => {
  await using watched = await openWatched();
  const { panel, page } = watched;
  await watchLine(panel);
  await page.bringToFront();
  await watchVideo(page);
  await play(page, { fromMs: 0, toMs: SAID.length * CAPTION_MS, rate: 1 });
  const begins = (await page.evaluate("begins")) as readonly number[];
  const [shown, marked] = (await panel.evaluate("[shown, marked]")) as readonly Readonly<
    Record<string, number>
  >[];
  const delays = (seen: Readonly<Record<string, number>> = {}): readonly number[] =>
    SAID.map((text, n) => (seen[text] ?? Number.POSITIVE_INFINITY) - (begins[n] ?? 0));
  // One caption may be late on a busy machine, but not most of them, and the first caption is the first line.
  for (const times of [delays(shown), delays(marked)]) {
    // The page records a caption with its next frame, which a busy machine may draw long after the panel's frame.
    expect(medianOf(times), times.join(", ")).toBeGreaterThan(-100);
    expect(medianOf(times), times.join(", ")).toBeLessThanOrEqual(2_000);
  }
  await panel.bringToFront();
  await checkPanel(panel, "live-line");
});
