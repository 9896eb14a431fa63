/**
 * A property of addresses: after any walk by keys and clicks, a reload of the page shows the same accessibility tree.
 * The walks are decided by a seed; `CONTINUO_WALKS` makes more of them.
 */

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLAUDE_ID, CODEX_ID } from "../cli/home.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";
import { SAMPLE_ID, sampleHome } from "./sample-home.ts";

const WALKS = Number(process.env.CONTINUO_WALKS ?? 24);
const STEPS = 5;
const SLOW_MS = 30_000;

const SESSION = `#/session/claude%3A${SAMPLE_ID}`;

/** The pages at which a walk begins. */
const PLACES = [
  "#/",
  "#/?sort=title",
  "#/?shown=archived",
  "#/?text=timer",
  SESSION,
  `${SESSION}/turn/1`,
  `${SESSION}/files`,
  `${SESSION}/film`,
  `${SESSION}/details`,
  "#/inbox",
  "#/usage",
  "#/new",
  "#/channels",
  "#/live",
  `#/files/${encodeURIComponent("/home/ann/app/src/brew.ts")}`,
  `#/compare/claude%3A${SAMPLE_ID}/codex%3A${CODEX_ID}`,
  `#/compare/claude%3A${SAMPLE_ID}/claude%3A${SAMPLE_ID}?right.view=model`,
  `#/session/claude%3A${CLAUDE_ID}`,
];

const KEYS = ["j", "k", "t", "m", "f", "x", "[", "]", "g", "G", "n", "N", "ArrowDown", "Enter", "u"];

/** Controls that change only the page, and nothing on the machine. */
const CONTROLS = [
  "main [aria-expanded]",
  "[aria-pressed]",
  ".tabs a",
  ".facts-line",
  "nav.filters button",
  ".files-list a",
  ".top-link",
  ".turn-line",
  "main a[href^='#/']",
  "input[type=range]",
  "main select",
].join(", ");

const FIGURES = /\d+(?:[.,]\d+)*(?: (?:bytes|[kMG]B))?/gu;

function* numbers(seed: number): Generator<number, never, void> {
  for (let state = seed; ; state = (state * 48_271) % 2_147_483_647) yield state;
}

let viewer: OpenViewer;
beforeAll(async () => {
  viewer = await openViewer(sampleHome());
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

/** The accessibility tree, read when the page no longer changes. */
async function tree(page: Page): Promise<string> {
  let before = "";
  for (let same = 0; same < 3; ) {
    await page.waitForTimeout(150);
    const { hash } = new URL(page.url());
    const shown = await page.locator("body").ariaSnapshot();
    // The health of the server has other figures each time, also with more digits, separators and units.
    const now = `${hash}\n${hash.startsWith("#/health") ? shown.replaceAll(FIGURES, "0") : shown}`;
    same = now === before && !/Looking…|Reading…|Loading…/u.test(now) ? same + 1 : 0;
    before = now;
  }
  return before;
}

async function step(page: Page, number: number): Promise<string> {
  if (number % 2 === 0) {
    const key = KEYS[Math.floor(number / 2) % KEYS.length] ?? "j";
    // Text in a field is a draft, which is not part of the address.
    await page.evaluate(
      "document.activeElement?.matches?.('input, textarea') && document.activeElement.blur()",
    );
    await page.keyboard.press(key);
    return key;
  }
  const all = page.locator(CONTROLS).filter({ visible: true });
  const count = await all.count();
  if (count === 0) return "nothing";
  const one = all.nth(Math.floor(number / 2) % count);
  // If the page has changed since the controls were listed, there is no step.
  const name = await one.textContent({ timeout: 1_000 }).catch(() => null);
  await one.click({ timeout: 1_000 }).catch(() => undefined);
  return name?.slice(0, 30) ?? "gone";
}

/** The first line that differs. */
function difference(before: string, after: string): string {
  const [had, has] = [before.split("\n"), after.split("\n")];
  const at = had.findIndex((line, place) => line !== has[place]);
  return `${at === -1 ? "nothing" : had[at]?.trim()} became ${has[at === -1 ? had.length : at]?.trim()}`;
}

test("after any walk, a reload of the page shows the same accessibility tree", {
  timeout: 600_000,
}, async () => {
  const { page, errors } = await viewer.open("/");
  const seen = new Set<string>();
  const faults: string[] = [];
  const random = numbers(20_261_127);
  for (let walk = 0; walk < WALKS; walk++) {
    const place = PLACES[walk % PLACES.length] ?? "#/";
    await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
    await tree(page);
    const steps = [place];
    for (let count = 0; count < STEPS; count++) steps.push(await step(page, random.next().value));
    const before = await tree(page);
    await page.reload();
    await page.waitForSelector("header.top", { timeout: SLOW_MS });
    let after = "";
    await expect
      .poll(async () => (after = await tree(page)), { timeout: SLOW_MS / 3 })
      .toBe(before)
      .catch(() => faults.push(`${steps.join(" → ")}: ${difference(before, after)}`));
    seen.add(new URL(page.url()).hash);
  }
  expect(faults).toEqual([]);
  // The walks went to different places.
  expect(seen.size).toBeGreaterThan(WALKS * 0.3);
  expect(errors.filter((error) => !/404/u.test(error))).toEqual([]);
  await page.context().close();
});
