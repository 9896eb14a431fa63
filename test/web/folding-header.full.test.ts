/**
 * The header of the page while a person reads a session: it folds when the person scrolls, and the text does not move.
 */

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { homeWithLongSession, LONG_ID, LONG_TURNS, sessionAddress } from "./long-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

let viewer: OpenViewer;
beforeAll(async () => {
  viewer = await openViewer(homeWithLongSession());
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

const TURN = LONG_TURNS - 10;

/** The lower edge of the header, the height for reading, and the position of a line of the text, each in pixels. */
const layout = (page: Page): Promise<{ header: number; room: number; line: number }> =>
  page.evaluate(`(() => {
    const line = [...document.querySelectorAll("main.turns h2")].find((one) => one.textContent.includes("Question ${TURN}"));
    return {
      header: document.querySelector("header.top").getBoundingClientRect().bottom,
      room: document.querySelector("main.turns").clientHeight,
      line: line.getBoundingClientRect().top,
    };
  })()`);

const frames = (page: Page): Promise<unknown> =>
  page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");

async function openedTurn(height: number): Promise<Page> {
  const { page } = await viewer.open(`${sessionAddress(LONG_ID)}/turn/${TURN}`, { height });
  await page.locator("main.turns h2", { hasText: `Question ${TURN}` }).waitFor();
  await expect.poll(() => page.locator('.turn-line[aria-current="true"]').innerText()).toContain(`${TURN}`);
  await page.locator(".dock textarea").waitFor();
  // A low screen has no room for the header.
  await page.locator(".facts-line").waitFor({ state: "attached" });
  await frames(page);
  return page;
}

test.each([800, 480])(
  "the mouse wheel folds the header at a height of %s, and the text does not move",
  async (height) => {
    const page = await openedTurn(height);
    const before = await layout(page);
    expect(before.header).toBeGreaterThan(20);
    await page.locator("main.turns").hover();
    await page.mouse.wheel(0, 20);
    await expect.poll(async () => (await layout(page)).header).toBeLessThanOrEqual(0);
    await expect.poll(async () => Math.round((await layout(page)).line - before.line)).toBe(-20);
    expect((await layout(page)).room - before.room).toBeCloseTo(before.header, 0);
    await page.mouse.wheel(0, -20);
    await expect.poll(() => layout(page)).toEqual(before);
    await page.context().close();
  },
);

test("keys that scroll fold the header, keys that go to turns do not, and Tab shows it again", async () => {
  const page = await openedTurn(800);
  const header = async (): Promise<number> => (await layout(page)).header;
  const shown = await header();
  await page.locator("main.turns").evaluate((one) => {
    (one as { tabIndex: number }).tabIndex = -1;
    (one as { focus(): void }).focus();
  });
  await page.keyboard.press("k");
  await page.keyboard.press("j");
  await frames(page);
  expect(await header()).toBe(shown);
  await page.keyboard.press("ArrowDown");
  await expect.poll(header).toBeLessThanOrEqual(0);
  await page.locator("header.top a.brand").focus();
  expect(await header()).toBe(shown);
  await page.locator("main.turns").focus();
  await expect.poll(header).toBeLessThanOrEqual(0);
  await page.keyboard.press("ArrowUp");
  await expect.poll(header).toBe(shown);
  // Another page shows its header.
  await page.keyboard.press("ArrowDown");
  await expect.poll(header).toBeLessThanOrEqual(0);
  await page.keyboard.press("u");
  await page.locator(".row").first().waitFor();
  expect(await page.locator("header.top").boundingBox()).toMatchObject({ y: 0 });
  await page.context().close();
});
