/** The list of channels in a browser, on a server with more channels than one page of the list has. */

import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

const CHANNELS = 2_500;

const nameOf = (n: number): string => `room-${String(n).padStart(4, "0")}`;

let viewer: OpenViewer;
beforeAll(async () => {
  viewer = await openViewer();
  for (let n = 0; n < CHANNELS; n++) await viewer.machine.store.createLog({ logId: `channels/${nameOf(n)}` });
});
afterEach(async () => {
  await Promise.all(viewer.browser.contexts().map((context) => context.close()));
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

const count = (page: Page) => page.locator(".find-line output");
const line = (page: Page, name: string) => page.locator(".channel-line", { hasText: name });
const filter = (page: Page) => page.getByRole("searchbox", { name: "Part of a channel's name" });
const shown = (page: Page) => page.locator(".channel-line .title").allInnerTexts();

/** Scrolls down until the line is on the screen. */
async function scrollTo(page: Page, name: string): Promise<void> {
  const down = "document.querySelector('.scroller').scrollTop = 1e9";
  await expect
    .poll(async () => {
      await page.evaluate(down);
      return await line(page, name).count();
    })
    .toBe(1);
}

/** The names of all lines from the top to the end, read while scrolling by less than a screen. */
async function readAll(page: Page): Promise<readonly string[]> {
  const names: string[] = [];
  await page.evaluate("document.querySelector('.scroller').scrollTop = 0");
  await line(page, nameOf(0)).waitFor();
  for (;;) {
    for (const name of await shown(page)) if (!names.includes(name)) names.push(name);
    const moved = await page.evaluate<boolean>(`(async () => {
      const scroller = document.querySelector('.scroller');
      const before = scroller.scrollTop;
      scroller.scrollTop += 900;
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      return scroller.scrollTop !== before;
    })()`);
    if (!moved) return names;
  }
}

test("scrolling through 2,500 channels shows each channel once, and how many were loaded so far", async () => {
  const { page, errors, requests } = await viewer.open("/channels");
  await line(page, nameOf(0)).waitFor();
  await expect.poll(() => count(page).innerText()).toBe("1,000 channels so far, by name");
  expect(requests.filter((one) => one.includes("cursor="))).toEqual([]);
  await scrollTo(page, nameOf(2_499));
  await expect.poll(() => count(page).innerText()).toBe("2,500 channels, by name");
  expect(await violations(page)).toEqual([]);
  expect(await readAll(page)).toEqual(Array.from({ length: CHANNELS }, (_, n) => nameOf(n)));
  expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(500);
  expect(errors).toEqual([]);
});

test("a refresh keeps the loaded pages, shows a new channel among them, and repeats none", async () => {
  const { page } = await viewer.open("/channels");
  await line(page, nameOf(0)).waitFor();
  await scrollTo(page, nameOf(2_499));
  await page.evaluate("document.querySelector('.scroller').scrollTop = 0");
  const added = ["room-0500-a", "room-0999-a", "room-0999-b"];
  for (const name of added) await viewer.machine.store.createLog({ logId: `channels/${name}` });
  await expect.poll(() => count(page).innerText()).toBe("2,503 channels, by name");
  const names = await readAll(page);
  for (const name of added) await viewer.machine.store.deleteLog(`channels/${name}`);
  expect(names).toHaveLength(2_503);
  expect(names).toEqual(names.toSorted());
  await expect.poll(() => count(page).innerText()).toBe("2,500 channels, by name");
  expect(await readAll(page)).toHaveLength(CHANNELS);
});

test("a filter finds a channel of the last page, and reports that there is none only after all pages were loaded", async () => {
  const { page } = await viewer.open("/channels");
  await line(page, nameOf(0)).waitFor();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/cursor=/u, async (route) => {
    await held;
    await route.continue();
  });
  await filter(page).fill("ROOM-2499");
  await page.getByText("None of the 1,000 channels that were read so far").waitFor();
  expect(await count(page).innerText()).toBe("0 of 1,000 so far");
  expect(await page.getByText("No channel has this in its name").count()).toBe(0);
  release();
  await line(page, nameOf(2_499)).waitFor();
  await expect.poll(() => count(page).innerText()).toBe("1 of 2,500");
  // From the end of a long list, the first of the hits is on the screen.
  await filter(page).fill("");
  await scrollTo(page, nameOf(2_499));
  await filter(page).fill("room-24");
  await line(page, nameOf(2_400)).waitFor();
  await expect.poll(() => page.evaluate("document.querySelector('.scroller').scrollTop")).toBe(0);
  await filter(page).fill("nowhere");
  await page.getByText("No channel has this in its name").waitFor();
  await page.getByRole("button", { name: "Clear the filter" }).click();
  await line(page, nameOf(0)).waitFor();
});

test("an error about a page of the list is shown above the list, and the page is loaded when the person tries again", async () => {
  const { page, requests } = await viewer.open("/channels");
  await line(page, nameOf(0)).waitFor();
  const answer = { error: { code: "unavailable", message: "the store is busy", hint: "Wait a moment." } };
  await page.route(/cursor=/u, async (route) => {
    // The proof of the server stays, because without it the page accepts no answer.
    await route.fulfill({ response: await route.fetch(), status: 503, json: answer });
  });
  await page.evaluate("document.querySelector('.scroller').scrollTop = 1e9");
  await page.getByRole("alert").getByText("not read: the store is busy. Wait a moment.").waitFor();
  await line(page, nameOf(999)).waitFor();
  expect(await count(page).innerText()).toBe("1,000 channels so far, by name");
  expect(await violations(page)).toEqual([]);
  const asked = (part: string): number => requests.filter((one) => one.includes(part)).length;
  const before = asked("summary=true");
  // The refresh continues, and nothing else is tried again automatically.
  await expect.poll(() => asked("summary=true")).toBeGreaterThan(before + 1);
  expect(asked("cursor=")).toBe(1);
  await filter(page).fill("room-2499");
  await page.getByText("None of the 1,000 channels that were read so far has this in its name.").waitFor();
  expect(await page.getByText("Reading more").count()).toBe(0);
  await filter(page).fill("");
  await page.unroute(/cursor=/u);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => count(page).innerText()).toBe("2,000 channels so far, by name");
  await scrollTo(page, nameOf(2_499));
  expect(await page.getByRole("alert").count()).toBe(0);
});
