/** The model's view in a real browser: the rail has the turns of the view, and words describe the differences. */

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

test("the model's view shows how much the model would receive, and its rail and keys go through its own turns", async () => {
  const { page, requests } = await viewer.open(sessionAddress(LONG_ID));
  await page.waitForSelector(".turn-line");
  await page.keyboard.press("m");
  const note = page.getByRole("note");
  await expect
    .poll(() => note.innerText())
    .toMatch(
      /^The model would receive 4,501 messages, about \d+k tokens; the history has about \d+k\. No message is left out\. Added: 1 message/u,
    );
  expect(requests.some((url) => /\/outline\?.*view=model/u.test(url))).toBe(true);
  const rail = page.locator('.turn-line[aria-current="true"] .number');
  await expect.poll(() => rail.innerText()).toBe(String(LONG_TURNS));
  await page.keyboard.press("k");
  await expect.poll(() => rail.innerText()).toBe(String(LONG_TURNS - 1));
  const compared = note.getByRole("link", { name: "Compare both" });
  expect(await compared.getAttribute("href")).toMatch(/^#\/compare\/(\S+)\/\1\?view2=model$/u);
  await page.keyboard.press("m");
  await expect.poll(() => note.count()).toBe(0);
  await page.context().close();
});
