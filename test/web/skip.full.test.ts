/** Navigation without a mouse: to the content of a page, and from turn to turn by headings. */

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

test("the first Tab stop skips the header, and each turn has its question as its heading", async () => {
  const { page } = await viewer.open(sessionAddress(LONG_ID));
  await page
    .getByRole("heading", { name: new RegExp(`^Turn ${LONG_TURNS}\\s?: Question ${LONG_TURNS}$`, "u") })
    .waitFor();
  const clip = (): Promise<string> =>
    page.evaluate(`getComputedStyle(document.querySelector(".skip")).clipPath`);
  expect(await clip()).toBe("inset(50%)");
  await page.keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
  expect(await clip()).toBe("none");
  await page.keyboard.press("Enter");
  expect(await page.evaluate(`document.activeElement.closest("main") !== null`)).toBe(true);
  await page.keyboard.press("Tab");
  expect(await page.evaluate(`document.activeElement.closest("main") !== null`)).toBe(true);
  expect(page.url()).toContain("#/session/");
  await page.context().close();
});

test("a call on the screen is at most eight Tab stops from the header, and the reader stays at their turn", async () => {
  const { page } = await viewer.open(`${sessionAddress(LONG_ID)}/turn/700`);
  const heading = page.getByRole("heading", { name: /^Turn 700\s?: / });
  await heading.waitFor();
  const top = async (): Promise<number> => Math.round((await heading.boundingBox())?.y ?? Number.NaN);
  await page.locator(".call-line").first().waitFor();
  await expect.poll(top).toBeLessThan(300);
  const before = await top();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const isCall = (): Promise<boolean> => page.evaluate(`document.activeElement.matches(".call-line")`);
  let stops = 2;
  while (!(await isCall()) && stops < 20) {
    await page.keyboard.press("Tab");
    stops += 1;
  }
  expect(stops).toBeLessThanOrEqual(8);
  expect(await top()).toBe(before);
  await page.context().close();
});
