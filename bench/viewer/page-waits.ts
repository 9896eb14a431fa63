/**
 * Times that a page measures itself: the answer to a search, the effect of a key, and the first content of another
 * page.
 */

import type { CDPSession, Page } from "playwright-core";

/** Frequent and rare words, two words, and a word that no session has. */
const QUERIES = [
  "function",
  "tests",
  "reader",
  "timeout",
  "const",
  "retry",
  "session list",
  "cache",
  "zzzz9",
  "error",
];

/**
 * The time from the last key of a query to the first frame with its number of sessions, in milliseconds. The text of
 * all sessions has been searched before.
 */
export async function searchTimes(page: Page, rounds: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const query of QUERIES) {
      await page.locator("#find").fill("");
      await page.locator(".find-line output", { hasText: /^[\d,]+ sessions?$/u }).waitFor();
      await page.evaluate(`window.searched = new Promise((resolve, reject) => {
        setTimeout(() => reject(new Error("no answer in a minute")), 60_000);
        let typedAt = null;
        const find = document.querySelector("#find");
        find.addEventListener("input", () => { typedAt = performance.now(); }, { once: true, capture: true });
        const output = document.querySelector(".find-line output");
        const busy = () => document.querySelector(".list-main .scroller")?.ariaBusy === "true";
        let frames = 0;
        const look = () => {
          if (typedAt !== null) frames += 1;
          const isDone = frames > 2 && !busy() && /^[\\d,]+ session/.test(output.textContent) && !/so far/.test(output.textContent);
          if (isDone) resolve(performance.now() - typedAt);
          else requestAnimationFrame(look);
        };
        look();
      }); 0`);
      await page.locator("#find").focus();
      await page.keyboard.insertText(query);
      times.push(await page.evaluate("searched"));
    }
  }
  return times;
}

/** The time from `k` to the frame in which another turn is the current one, in milliseconds. */
export async function keyTime(page: Page): Promise<number> {
  await page.locator('.turn-line[aria-current="true"]').waitFor();
  await page.evaluate(`window.moved = new Promise((resolve) => {
    const current = () => document.querySelector('.turn-line[aria-current="true"]')?.textContent;
    const before = current();
    addEventListener("keydown", () => {
      const at = performance.now();
      const look = () => (current() !== before ? resolve(performance.now() - at) : requestAnimationFrame(look));
      look();
    }, { once: true, capture: true });
  }); 0`);
  await page.keyboard.press("k");
  return await page.evaluate("moved");
}

export interface PageWait {
  readonly firstMs: number;
  readonly longTasks: number;
  readonly longestMs: number;
  readonly wireBytes: number;
}

/** Opens another page of the viewer by its address; `content` is the selector of its main content. */
export async function openingOf(
  page: Page,
  cdp: CDPSession,
  hash: string,
  content: string,
): Promise<PageWait> {
  let wireBytes = 0;
  const count = ({ encodedDataLength }: { readonly encodedDataLength: number }): void => {
    wireBytes += encodedDataLength;
  };
  await cdp.send("Network.enable");
  cdp.on("Network.loadingFinished", count);
  const tasks: { readonly firstMs: number; readonly all: readonly number[] } =
    await page.evaluate(`(async () => {
    const all = [];
    const observer = new PerformanceObserver((list) => all.push(...list.getEntries().map(({ duration }) => duration)));
    observer.observe({ entryTypes: ["longtask"] });
    const at = performance.now();
    location.hash = ${JSON.stringify(hash)};
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    while (document.querySelector(${JSON.stringify(content)}) === null) await frame();
    const firstMs = performance.now() - at;
    await new Promise((resolve) => setTimeout(resolve, 2000));
    observer.disconnect();
    return { firstMs, all };
  })()`);
  cdp.off("Network.loadingFinished", count);
  const { firstMs, all } = tasks;
  return { firstMs, longTasks: all.length, longestMs: Math.max(0, ...all), wireBytes };
}

/** The 95th percentile. */
export function p95(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(0.95 * sorted.length) - 1)] ?? Number.NaN;
}
