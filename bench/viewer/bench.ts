/**
 * `npm run bench -- viewer [--only PART,…]`: the page in Chromium over 10,000 sessions and over one of 100 MB with
 * 200,000 messages, each on its own server with an index: the first list, searches, the inbox and the usage, the end of
 * a session and its keys, scrolling compared with a bare virtual list, nodes, memory, and the time from a token of an
 * agent to the screen.
 */

import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Browser, CDPSession, Page } from "playwright-core";
import { openBrowser } from "../../test/cli/browser.ts";
import { print, printRatios, type Ratio } from "../measure/index.ts";
import { makeCorpus } from "../sessions/corpus.ts";
import { BARE_LIST } from "./bare-list.ts";
import { LONG_KEY, makeLongSession } from "./long-session.ts";
import { keyTime, openingOf, type PageWait, p95, searchTimes } from "./page-waits.ts";
import { measureTokens } from "./tokens.ts";
import { runIn, withViewer } from "./viewer-process.ts";

const FOLDER = process.env.CONTINUO_BENCH ?? join(homedir(), ".cache/continuo-bench");
const SESSIONS = { name: "ten-thousand", sessions: 10_000, totalBytes: 200e6 };

interface BenchOptions {
  readonly only: readonly string[];
  readonly rounds: number;
}

interface PartOptions {
  readonly browser: Browser;
  readonly many: string;
  readonly rounds: number;
}

/** The parts that `--only` can name; each prints its numbers at once. */
const PARTS: Readonly<Record<string, (options: PartOptions) => Promise<readonly Ratio[]>>> = {
  list: firstLists,
  search: searches,
  pages: otherPages,
  scroll: scrolledList,
  session: sessionOf100Mb,
  tokens: async ({ browser, rounds }) => {
    const tokenMs = await measureTokens(browser, rounds);
    print(`\nA token from the agent to the screen: ${tokenMs.toFixed(0)} ms`);
    return [below("from the agent to the screen, in 100 ms", tokenMs / 100)];
  },
};

/** A session file that changed less than two seconds ago is not yet stored in the index permanently. */
const SETTLED_MS = 2_500;

export async function run({ only, rounds }: BenchOptions): Promise<void> {
  const unknown = only.filter((name) => PARTS[name] === undefined);
  if (unknown.length > 0) throw new Error(`no part ${unknown.join(", ")}`);
  mkdirSync(FOLDER, { recursive: true });
  const many = makeCorpus(SESSIONS, FOLDER);
  await using browser = await openBrowser();
  // Makes the index, because a machine is measured on which the viewer was used before.
  await setTimeout(SETTLED_MS);
  runIn(many, ["index", "update"]);
  await withViewer(many, async (url) => void (await firstList(browser, url)));
  const ratios: Ratio[] = [];
  for (const [name, measure] of Object.entries(PARTS)) {
    if (only.length === 0 || only.includes(name)) ratios.push(...(await measure({ browser, many, rounds })));
  }
  printRatios(ratios);
}

function below(what: string, ratio: number, target = 1): Ratio {
  return { what, ratio, wanted: "below", target };
}

async function firstLists({ browser, many, rounds }: PartOptions): Promise<readonly Ratio[]> {
  const lists: number[] = [];
  for (let round = 0; round < rounds; round++) {
    lists.push(await withViewer(many, (url) => firstList(browser, url)));
  }
  print(`\nFirst row of 10,000 sessions, ms since the navigation: ${rounded(lists)}`);
  return [below("first row of 10,000 sessions, in 0.8 s of the navigation", median(lists) / 800)];
}

async function searches({ browser, many, rounds }: PartOptions): Promise<readonly Ratio[]> {
  const times = await withViewer(many, (url) => searching(browser, url, rounds));
  print(`\nSearches of 10,000 sessions, ms from the last key: ${rounded(times)}`);
  return [below("p95 of searches, in 150 ms of the last key", p95(times) / 150)];
}

async function otherPages({ browser, many }: PartOptions): Promise<readonly Ratio[]> {
  const pages = await withViewer(many, (url) => pageWaits(browser, url));
  print("\nOther pages over 10,000 sessions: first content, tasks over 50 ms (the longest), kB on the wire");
  for (const [name, { firstMs, longTasks, longestMs, wireBytes }] of Object.entries(pages)) {
    const tasks = `${longTasks} (${longestMs.toFixed(0)} ms)`;
    print(`  ${name.padEnd(20)} ${firstMs.toFixed(0)} ms  ${tasks}  ${(wireBytes / 1e3).toFixed(1)} kB`);
  }
  return [];
}

async function scrolledList({ browser, many }: PartOptions): Promise<readonly Ratio[]> {
  const bare = await bareScrolling(browser);
  const list = await withViewer(many, (url) => listScrolling(browser, url));
  return scrollRatios("10,000 sessions", list, bare);
}

async function sessionOf100Mb({ browser }: PartOptions): Promise<readonly Ratio[]> {
  const long = makeLongSession(join(FOLDER, "long-session"));
  const bare = await bareScrolling(browser);
  const session = await withViewer(long, (url) => longSession(browser, url));
  print(
    `\nThe end of 100 MB: ${rounded([session.endMs])} ms after the click, a key ${rounded([session.keyMs])} ms`,
  );
  return [
    below("the end of a session of 100 MB, in 300 ms of the click", session.endMs / 300),
    below("its keys, in 100 ms while the rest is read", session.keyMs / 100),
    ...scrollRatios("200,000 messages", session.scrolled, bare),
  ];
}

function scrollRatios(name: string, one: ScrollResult, bare: ScrollResult): readonly Ratio[] {
  print(
    `\nScrolled for ${SCROLL_FRAMES} frames: frames that came late, tasks over 50 ms, nodes, MB of the heap`,
  );
  for (const [what, { late, longTasks, nodes, heapBytes }] of [
    ["bare list", bare],
    [name, one],
  ] as const) {
    print(`  ${what.padEnd(20)} ${late} ${longTasks} ${nodes} ${(heapBytes / 1e6).toFixed(1)}`);
  }
  return [
    below(`${name}: nodes, in 3,000`, one.nodes / 3_000),
    below(`${name}: tasks over 50 ms while scrolling`, one.longTasks, 0),
    below(`${name}: late frames / those of a bare list (one more allowed)`, one.late / (bare.late + 1), 1.2),
    below(`${name}: memory of the page's heap, in 150 MB`, one.heapBytes / 150e6),
  ];
}

function rounded(values: readonly number[]): string {
  return values.map((value) => value.toFixed(0)).join(" ");
}

async function withPage<T>(browser: Browser, use: (page: Page, cdp: CDPSession) => Promise<T>): Promise<T> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    return await use(page, await context.newCDPSession(page));
  } finally {
    await context.close();
  }
}

/**
 * `first` has the time at which an element first appears in the page, in milliseconds since the navigation. This call
 * does not wait for it.
 */
function noteFirst(selector: string): string {
  return `window.first = new Promise((resolve) => {
    new MutationObserver((_, observer) => {
      if (document.querySelector(${JSON.stringify(selector)}) === null) return;
      resolve(performance.now());
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true });
  }); 0`;
}

async function untilAllAreListed(page: Page): Promise<void> {
  await page.locator(".find-line output", { hasText: /\d/u }).waitFor({ timeout: 120_000 });
}

async function firstList(browser: Browser, url: string): Promise<number> {
  return await withPage(browser, async (page) => {
    await page.addInitScript(noteFirst(".row"));
    await page.goto(url);
    await page.waitForSelector(".row", { timeout: 120_000 });
    const at: number = await page.evaluate("first");
    // Waits until all sessions are listed, so that the next server has an index of them.
    await untilAllAreListed(page);
    return at;
  });
}

const SCROLL_FRAMES = 300;
/** A frame that was a whole frame too late on a screen with 60 frames a second. */
const LATE_MS = 25;

interface ScrollResult {
  readonly late: number;
  readonly longTasks: number;
  readonly nodes: number;
  readonly heapBytes: number;
}

/** Scrolls with each frame by the distance of a quick mouse wheel, and counts. */
async function scrolled(page: Page, cdp: CDPSession, selector: string, step: number): Promise<ScrollResult> {
  const counted: Omit<ScrollResult, "heapBytes"> = await page.evaluate(`(async () => {
    const scroller = document.querySelector(${JSON.stringify(selector)});
    let longTasks = 0, late = 0, nodes = 0;
    const observer = new PerformanceObserver((list) => { longTasks += list.getEntries().length; });
    observer.observe({ entryTypes: ["longtask"] });
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    let before = await frame();
    for (let at = 0; at < ${SCROLL_FRAMES}; at++) {
      scroller.scrollTop += ${step};
      const now = await frame();
      if (now - before > ${LATE_MS}) late += 1;
      before = now;
      if (at % 20 === 0) nodes = Math.max(nodes, document.querySelectorAll("*").length);
    }
    observer.disconnect();
    return { longTasks, late, nodes };
  })()`);
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  return { ...counted, heapBytes: usedSize };
}

async function bareScrolling(browser: Browser): Promise<ScrollResult> {
  return await withPage(browser, async (page, cdp) => {
    await page.setContent(BARE_LIST);
    return await scrolled(page, cdp, ".scroller", 120);
  });
}

async function listScrolling(browser: Browser, url: string): Promise<ScrollResult> {
  return await withPage(browser, async (page, cdp) => {
    await page.goto(url);
    await untilAllAreListed(page);
    return await scrolled(page, cdp, ".list-main .scroller", 120);
  });
}

async function searching(browser: Browser, url: string, rounds: number): Promise<readonly number[]> {
  return await withPage(browser, async (page) => {
    await page.goto(url);
    await untilAllAreListed(page);
    return await searchTimes(page, rounds);
  });
}

async function pageWaits(browser: Browser, url: string): Promise<Readonly<Record<string, PageWait>>> {
  return await withPage(browser, async (page, cdp) => {
    await page.goto(url);
    await untilAllAreListed(page);
    const inbox = await openingOf(page, cdp, "#/inbox", ".inbox [role=status]");
    const usage = await openingOf(page, cdp, "#/usage?days=all", ".usage-totals");
    return { inbox, usage };
  });
}

async function longSession(
  browser: Browser,
  url: string,
): Promise<{ readonly endMs: number; readonly keyMs: number; readonly scrolled: ScrollResult }> {
  return await withPage(browser, async (page, cdp) => {
    await page.goto(url);
    const link = page.locator(`a[href*="${encodeURIComponent(LONG_KEY)}"]`).first();
    await link.waitFor({ timeout: 120_000 });
    await page.evaluate(`addEventListener("click", () => { window.clickedAt = performance.now(); }, true);
      ${noteFirst(".turns .row-text, .turns .row-call")}`);
    await link.click();
    const endMs: number = await page.evaluate("first.then((at) => at - clickedAt)");
    const keyMs = await keyTime(page);
    // The messages in between are loaded before the page is scrolled, as for a reader who looks at the end
    // first.
    await page.waitForSelector(".turn-line", { timeout: 300_000 });
    return { endMs, keyMs, scrolled: await scrolled(page, cdp, ".turns", -120) };
  });
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
