/**
 * The space for reading at twelve sizes and zooms: at least 60 % of the height, without horizontal scrolling (WCAG
 * 1.4.4, 1.4.10). A zoom makes the pixels of a page larger, so that a window has fewer of them.
 */

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";
import { SAMPLE_ID, sampleHome } from "./sample-home.ts";

interface Size {
  readonly window: string;
  readonly zoom: number;
}

const SIZES: readonly Size[] = [
  { window: "1920x1080", zoom: 1 },
  { window: "1280x800", zoom: 1 },
  { window: "1024x768", zoom: 1 },
  { window: "1280x800", zoom: 1.5 },
  { window: "1280x800", zoom: 2 },
  { window: "1366x768", zoom: 2 },
  { window: "1920x1080", zoom: 3 },
  { window: "1280x1300", zoom: 4 },
  // Phones in portrait and landscape.
  { window: "360x640", zoom: 1 },
  { window: "740x360", zoom: 1 },
  { window: "844x390", zoom: 1 },
  { window: "320x568", zoom: 1 },
];

let viewer: OpenViewer;
let page: Page;
let errors: readonly string[];
beforeAll(async () => {
  viewer = await openViewer(sampleHome());
  ({ page, errors } = await viewer.open("/"));
  await page.waitForSelector(".row");
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

async function resize({ window, zoom }: Size): Promise<void> {
  const [width = 0, height = 0] = window.split("x").map((one) => Math.floor(Number(one) / zoom));
  await page.setViewportSize({ width, height });
}

interface Room {
  readonly part: number;
  /** The width of the page beyond the window. */
  readonly sideways: number;
}

/** The visible height of the part, without the areas that other elements cover. */
const room = (selector: string): Promise<Room> =>
  page.evaluate(`(() => {
    const place = document.querySelector(${JSON.stringify(selector)});
    const box = place.getBoundingClientRect();
    const x = box.left + Math.min(box.width, innerWidth) / 2;
    let seen = 0;
    for (let y = Math.max(0, Math.ceil(box.top)); y < Math.min(innerHeight, box.bottom); y++) {
      const top = document.elementFromPoint(x, y);
      if (top === place || place.contains(top)) seen++;
    }
    return { part: seen / innerHeight, sideways: document.documentElement.scrollWidth - innerWidth };
  })()`);

const SESSION = `#/session/claude%3A${SAMPLE_ID}`;

async function read(hash: string, selector: string): Promise<readonly unknown[]> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.waitForSelector(selector);
  const small: unknown[] = [];
  for (const size of SIZES) {
    await resize(size);
    await expect
      .poll(async () => (await room(selector)).part, { timeout: 3_000 })
      .toBeGreaterThanOrEqual(0.6)
      .catch(() => undefined);
    const { part, sideways } = await room(selector);
    if (part < 0.6 || sideways > 0) small.push({ ...size, part: Number(part.toFixed(2)), sideways });
  }
  return small;
}

test.each([
  ["the turns of a session", SESSION, "main.turns"],
  ["the turns that the model sees", `${SESSION}?view=model`, "main.turns"],
  ["the files of a session", `${SESSION}/files`, ".session-page main"],
  ["the film of a session", `${SESSION}/film`, "main.film"],
  ["the list", "#/", "main.list-main .scroller"],
  ["the inbox", "#/inbox", "main.inbox"],
  ["the use", "#/usage", "main"],
  ["the health", "#/health", "main"],
  ["the phones", "#/phones", "main.phones"],
])(
  "at twelve sizes and zooms, %s have at least 60 % of the height and are not wider than it",
  async (_, hash, selector) => {
    expect(await read(hash, selector)).toEqual([]);
  },
);

test("a session has at least 60 % of the height for reading at any height above 320 pixels, also with a field for a prompt", async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.evaluate(`location.hash = ${JSON.stringify(SESSION)}`);
  // Both appear after the turns, and reduce their space.
  await page.waitForSelector(".dock .composer");
  await page.waitForSelector(".facts-line");
  const small: unknown[] = [];
  for (const width of [320, 360, 490, 640, 768, 770, 1280]) {
    for (let height = 321; height <= 1_000; height += 16) {
      await page.setViewportSize({ width, height });
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      const { part, sideways } = await room("main.turns");
      if (part < 0.6 || sideways > 0) small.push({ width, height, part: Number(part.toFixed(3)), sideways });
    }
  }
  expect(small).toEqual([]);
});

test.each([
  [320, 256],
  [740, 360],
])(
  "a session opens at its last words at %i by %i pixels, with little empty space below them",
  async (width, height) => {
    await page.evaluate(`location.hash = "#/"`);
    await page.waitForSelector(".list-page");
    await page.setViewportSize({ width, height });
    await page.evaluate(`location.hash = ${JSON.stringify(SESSION)}`);
    await page.waitForSelector(".dock .composer");
    const below = (): Promise<number> =>
      page.evaluate(`(() => {
      const bottomOf = (one) => one.getBoundingClientRect().bottom;
      const last = Math.max(...[...document.querySelectorAll("main.turns .line")].map(bottomOf));
      return bottomOf(document.querySelector("main.turns")) - last;
    })()`);
    await expect.poll(below).toBeGreaterThanOrEqual(0);
    expect(await below()).toBeLessThan(40);
  },
);

test("on a phone in landscape, unfolded facts leave space for reading, the list of keys opens at the top, and no whole page scrolls", async () => {
  await page.setViewportSize({ width: 740, height: 360 });
  await page.evaluate(`location.hash = ${JSON.stringify(`${SESSION}?facts=open`)}`);
  await page.waitForSelector(".facts-panel");
  await page.waitForSelector(".dock .composer");
  expect((await room("main.turns")).part).toBeGreaterThan(0.25);
  await page.keyboard.press("?");
  await page.waitForSelector("dialog .keys");
  expect(await page.evaluate(`document.querySelector("dialog").scrollTop`)).toBe(0);
  await page.keyboard.press("Escape");
  await page.evaluate(`location.hash = "#/usage?days=all"`);
  await page.waitForSelector(".usage-totals");
  await page.waitForSelector(".usage-table");
  expect(await page.evaluate("document.documentElement.scrollHeight - innerHeight")).toBe(0);
  for (const [part, content] of [
    ["/details", "main dl"],
    ["?view=model", ".model-note"],
  ] as const) {
    await page.evaluate(`location.hash = ${JSON.stringify(SESSION + part)}`);
    await page.waitForSelector(content);
    expect([part, await violations(page)]).toEqual([part, []]);
  }
});

test("the pages complained about nothing at any size", () => {
  expect(errors.filter((error) => !error.includes("404"))).toEqual([]);
});
