/**
 * The panel and the viewer's live page show one session with the same words, also in Arabic, each text in the direction
 * of its language.
 */

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { talksIn } from "../live/captions/draw.ts";
import { openViewerPage, openWatched, type WatchedPage } from "./open-watched.ts";
import { checkPanel, picture } from "./pictures.ts";

/** Sends the transcript of a talk like a page with its video. The session ends, so that it gets a page. */
async function tell({ served, key }: WatchedPage, name: string): Promise<void> {
  const talk = talksIn("tune").find((one) => one.name === name);
  const evidence = (talk?.pieces ?? []).map(({ text, mediaTimeMs, endMs, lang = "en" }) => {
    return { type: "transcript_added", text, lang, mediaTimeMs, endMs };
  });
  const path = `/v1/live/${encodeURIComponent(key)}/evidence`;
  for (let n = 0; n < evidence.length; n += 400) {
    const batch = { producerId: name, epoch: 0, sequence: n / 400, evidence: evidence.slice(n, n + 400) };
    await served.send("POST", path, batch);
  }
}

const textsOf = (page: Page): Promise<readonly string[]> => page.locator(".note-text").allInnerTexts();
/** Returns the texts of a selector whose direction does not match their letters. */
async function misdirected(page: Page, selector: string): Promise<unknown> {
  return await page.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(selector)})]
      .filter((one) => getComputedStyle(one).direction !== (/\\p{Script=Arabic}/u.test(one.textContent) ? "rtl" : "ltr"))
      .map((one) => one.textContent)`,
  );
}

test.each(["mosque", "bees"])(
  "the panel and the viewer show the notes of the talk %s with the same words, each in the direction of its language",
  async (name) => {
    await using watched = await openWatched({ sources: { frames: false } });
    const { panel, page, served, key } = watched;
    await tell(watched, name);
    await expect.poll(async () => (await served.notes(key)).length).toBeGreaterThan(2);
    const shown = panel.locator(".note-text");
    await expect.poll(async () => (await textsOf(panel)).length).toBe((await served.notes(key)).length);
    await checkPanel(panel, `beside-${name}-panel`);
    expect(await misdirected(panel, ".note-text")).toEqual([]);
    const text = (await shown.first().innerText()).trim();

    const live = await openViewerPage(watched);
    await live.locator(".note-text", { hasText: text }).waitFor();
    for (const width of [360, 800]) {
      await live.setViewportSize({ width, height: 700 });
      await picture(live, `beside-${name}-viewer-${width}`);
    }
    expect(await misdirected(live, ".note-text")).toEqual([]);

    // The page of the session, after its end.
    await page.close();
    await expect.poll(async () => (await served.session(key)).state).toBe("closed");
    await panel.bringToFront();
    await panel.getByRole("button", { name: "Sessions", exact: true }).click();
    await panel.getByRole("button", { name: "A day at the harbour" }).click();
    await panel.locator(".page").waitFor();
    await checkPanel(panel, `beside-${name}-session`);
    expect(await misdirected(panel, ".page li p[dir]")).toEqual([]);
    const texts = await textsOf(panel);
    expect(texts).toEqual((await served.notes(key)).map((note) => note.text));

    // The layout is mirrored if the browser's language is written from right to left, and nothing leaves the panel.
    await panel.evaluate(`document.documentElement.dir = "rtl"`);
    await checkPanel(panel, `beside-${name}-mirrored`);
    for (const width of [320, 600]) {
      await panel.setViewportSize({ width, height: 700 });
      expect(await panel.evaluate("document.documentElement.scrollWidth")).toBe(width);
    }
  },
);
