/** A person pauses the video, goes elsewhere, or lets it end: the thought that was open is written at once. */

import type { WireEvent } from "@continuo/core/wire";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { CAPTIONS, play } from "./harness.ts";
import { openWatched } from "./open-watched.ts";
import type { Served } from "./served.ts";

interface Stop {
  readonly state: string;
  /** The notes that came with the batch in which the stop was. */
  readonly notes: readonly string[];
}

/** The stops of the video in the log, each with its notes. */
async function stopsOf(served: Served, key: string): Promise<readonly Stop[]> {
  const events: readonly WireEvent[] = await served.events(key);
  return events.flatMap(({ type, sequence, data }) => {
    if (type !== "playback_changed") return [];
    const decided = events.find(
      (one) =>
        one.type === "decision_made" &&
        (one.data as { readonly sequences?: readonly number[] }).sequences?.includes(sequence),
    );
    const { decisionId } = (decided?.data ?? {}) as { readonly decisionId?: string };
    const notes = events.flatMap((one) => {
      const note = one.data as { readonly decisionId?: string; readonly content?: string };
      return one.type === "note_written" && note.decisionId === decisionId ? [String(note.content)] : [];
    });
    return [{ state: (data as { readonly state: string }).state, notes }];
  });
}

async function seek(page: Page, seconds: number): Promise<void> {
  await page.evaluate(`document.querySelector("video").currentTime = ${seconds}`);
}

test("a pause, a seek and the end of the video each end the thought in the same batch", async () => {
  await using watched = await openWatched();
  const { served, page, panel, key } = watched;
  const states = async (): Promise<readonly string[]> =>
    (await stopsOf(served, key)).map(({ state }) => state);

  await page.bringToFront();
  await play(page, { fromMs: 0, toMs: 7_000, rate: 1 });
  await expect.poll(states).toEqual(["paused"]);
  await expect.poll(async () => (await stopsOf(served, key))[0]?.notes).toHaveLength(1);
  const [paused] = await stopsOf(served, key);
  expect(
    CAPTIONS.slice(0, 4).filter((caption) => paused?.notes[0]?.includes(caption)).length,
  ).toBeGreaterThan(1);
  await panel.locator(".note").first().waitFor();

  // Somebody who looks for a place tells nothing but that the place is another one.
  for (const seconds of [3, 20, 12]) await seek(page, seconds);
  await expect.poll(states).toEqual(["paused", "moved"]);

  // While it plays: the words before the jump are a thought of their own.
  await page.evaluate(`document.querySelector("video").play()`);
  await expect.poll(() => page.evaluate(`document.querySelector("video").currentTime`)).toBeGreaterThan(15);
  await seek(page, 20);
  await expect.poll(states).toEqual(["paused", "moved", "moved"]);
  await expect.poll(async () => (await stopsOf(served, key))[2]?.notes).toHaveLength(1);

  await expect.poll(states).toEqual(["paused", "moved", "moved", "ended"]);
  await expect.poll(async () => (await stopsOf(served, key))[3]?.notes).toHaveLength(1);
  const last = (await stopsOf(served, key))[3]?.notes[0];
  expect(last).toContain(CAPTIONS.at(-1));
});
