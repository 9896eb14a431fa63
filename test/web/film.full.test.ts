/** The replay of a session in a real browser: steps, the slider, playback, and the place in the address. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { homeWithLongSession, LONG_ID, sessionAddress } from "./long-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

let viewer: OpenViewer;
beforeAll(async () => {
  viewer = await openViewer(homeWithLongSession());
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

test("a session can be replayed message after message, from any place, by keys and by the slider", async () => {
  const { page, errors } = await viewer.open(`${sessionAddress(LONG_ID)}/film`);
  const words = page.locator(".replay output");
  await expect.poll(() => words.innerText()).toMatch(/^([\d,]+) of \1$/u);
  expect(await violations(page)).toEqual([]);
  const total = Number((await words.innerText()).split(" ").at(-1)?.replaceAll(",", ""));
  const place = () => new URL(page.url()).hash.split("/").at(-1);
  const slider = page.getByRole("slider", { name: "Place in the log" });
  await slider.fill("1");
  await expect.poll(place).toBe("1");
  await expect.poll(() => page.locator(".film .question").count()).toBe(1);
  await page.locator(".session-title h1").click();
  await page.keyboard.press("j");
  await expect.poll(place).toBe("2");
  await expect.poll(() => page.locator(".film > .line").count()).toBeGreaterThan(1);
  await page.keyboard.press("k");
  await expect.poll(place).toBe("1");
  const middle = Math.floor(total / 2);
  await slider.fill(String(middle));
  await expect.poll(place).toBe(String(middle));
  const last = page.locator(".film > .line").last();
  const text = await last.innerText();
  await page.reload();
  await expect.poll(() => last.innerText()).toBe(text);
  expect(place()).toBe(String(middle));
  await page.keyboard.press("G");
  await expect.poll(place).toBe("film");
  await slider.fill(String(total - 3));
  await page.getByRole("button", { name: "Play" }).press("Enter");
  await expect.poll(place, { timeout: 10_000 }).toBe("film");
  await page.getByRole("button", { name: "Play" }).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});
