/**
 * A note in the panel without a model: its length, its thumbnail, and its actions, which appear on hover and on focus.
 */

import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { play } from "./harness.ts";
import { openWatched } from "./open-watched.ts";
import { checkPanel } from "./pictures.ts";

interface Styled {
  getComputedStyle(element: unknown): { readonly opacity: string };
}

function opacityOf(actions: Locator): Promise<string> {
  return actions.evaluate((element) => (globalThis as unknown as Styled).getComputedStyle(element).opacity);
}

test("a note has one to three sentences, its frame, and actions that appear on hover and on focus, with the rest in one menu", async () => {
  await using watched = await openWatched();
  const { served, panel, page, key } = watched;
  await play(page, { fromMs: 0, toMs: 15_000, rate: 1 });
  // The talk has no pause, so its note is written only after half a minute without input.
  await panel.locator(".note").first().waitFor({ timeout: 90_000 });
  await expect.poll(() => panel.locator(".note img").count()).toBeGreaterThan(0);
  await panel.bringToFront();

  const sentences = new Intl.Segmenter("en", { granularity: "sentence" });
  for (const words of await panel.locator(".note-text").allTextContents()) {
    const count = [...sentences.segment(words.trim())].length;
    expect([1, 2, 3]).toContain(count);
  }

  // The time of the picture is near the time of its note.
  const pictured = panel.locator(".note", { has: panel.locator("img") }).first();
  const text = (await pictured.locator(".note-text").textContent())?.trim();
  const note = (await served.notes(key)).find((one) => one.text === text);
  const frame = (await pictured.locator("img").first().getAttribute("alt")) ?? "";
  const [, minutes = "", seconds = ""] = /^Frame at (\d+):(\d+)$/u.exec(frame) ?? [];
  const frameMs = (Number(minutes) * 60 + Number(seconds)) * 1_000;
  expect(frameMs).toBeGreaterThanOrEqual((note?.startMs ?? Number.NaN) - 4_000);
  expect(frameMs).toBeLessThanOrEqual((note?.endMs ?? Number.NaN) + 4_000);

  const first = panel.locator(".note").first();
  const actions = first.locator(".actions");
  await panel.mouse.move(0, 0);
  await expect.poll(() => opacityOf(actions)).toBe("0");
  await first.hover();
  await expect.poll(() => opacityOf(actions)).toBe("1");
  await panel.mouse.move(0, 0);
  await expect.poll(() => opacityOf(actions)).toBe("0");
  await first.getByRole("button", { name: "Edit" }).focus();
  await expect.poll(() => opacityOf(actions)).toBe("1");

  // All other actions are in one menu, which the keyboard opens and closes.
  expect(await first.locator(".menu").count()).toBe(1);
  const remove = first.getByRole("button", { name: "Delete" });
  expect(await remove.isVisible()).toBe(false);
  await first.locator(".menu summary").press("Enter");
  await remove.waitFor();
  expect(await first.locator(".menu").getByRole("button").allTextContents()).toContain("Copy");
  await checkPanel(panel, "note-menu");
  await remove.press("Escape");
  await expect.poll(() => remove.isVisible()).toBe(false);
});
