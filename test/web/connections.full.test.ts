/** The viewer and its server: rows before the list is complete, one stream for each page, and a killed server. */

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claudeFile, claudeText, createHome, writeSessions } from "../cli/home.ts";
import type { Line } from "../hostile/hostile-session.ts";
import { sessionAddress as session } from "./long-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";
import { serveViewer } from "./served-viewer.ts";

let viewer: OpenViewer;
beforeAll(async () => {
  const home = createHome();
  writeSessions(home);
  viewer = await openViewer(home);
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

const ID = "4bf3aaaa-0000-4000-8000-000000000007";

/** Question number `at`, asked after the previous one. */
function question(at: number): string {
  const parent = at === 1 ? null : `g${at - 1}`;
  const line: Line = { uuid: `g${at}`, parent, role: "user", content: `Grown ${at}.`, time: "10:00:00" };
  return claudeText(ID, [line]);
}

const asked = async (page: Page): Promise<readonly string[]> =>
  (await page.locator("main .asked").allInnerTexts()).map((text) => text.trim());
const upTo = (last: number): readonly string[] => Array.from({ length: last }, (_, at) => `Grown ${at + 1}.`);

/** The open streams of a page. */
function streamsOf(page: Page): Set<string> {
  const open = new Set<string>();
  const isStream = (url: string): boolean => /\/events(\?|$)/u.test(url);
  page.on("request", (request) => isStream(request.url()) && open.add(request.url()));
  page.on("requestfinished", (request) => open.delete(request.url()));
  page.on("requestfailed", (request) => open.delete(request.url()));
  return open;
}

// This is the first test, so nobody has asked this server for the list before.
test("the newest sessions are shown before the others are found", async () => {
  const { page } = await viewer.open("/health");
  const whole = Promise.withResolvers<void>();
  await page.route(/\/machine\/sessions\?(?!.*partial)/u, async (route) => {
    await whole.promise;
    await route.continue();
  });
  await page.evaluate("location.hash = '#/'");
  await page.locator(".row", { hasText: "Fix the build" }).waitFor();
  expect(await page.locator(".find-line output").innerText()).toBe("");
  whole.resolve();
  await expect.poll(() => page.locator(".find-line output").innerText()).toMatch(/^\d+ sessions$/u);
  await page.context().close();
});

test("a visible page has one stream, a hidden one has none, and it misses nothing", async () => {
  viewer.machine.home.write(claudeFile(ID), question(1));
  const { page, errors } = await viewer.open(session(ID));
  const open = streamsOf(page);
  await page.reload();
  await page.getByRole("textbox", { name: "Prompt" }).waitFor();
  await expect.poll(() => [...open]).toEqual([expect.stringContaining("chat=include")]);
  const look = (state: string): Promise<unknown> =>
    page.evaluate(`Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "${state}" });
      document.dispatchEvent(new Event("visibilitychange"))`);
  await look("hidden");
  await expect.poll(() => open.size).toBe(0);
  const file = join(viewer.machine.home.path, claudeFile(ID));
  for (const at of [2, 3]) appendFileSync(file, question(at));
  await look("visible");
  await expect.poll(() => asked(page)).toEqual(upTo(3));
  expect(open.size).toBe(1);
  await page.evaluate("location.hash = '#/'");
  await page.waitForSelector(".row");
  await expect.poll(() => [...open]).toEqual([expect.stringContaining("/sessions/events")]);
  expect(errors).toEqual([]);
  await page.context().close();
});

test("a page continues after its server was killed while the session grew: nothing is lost or repeated", async () => {
  const { pages, browser } = viewer;
  const { home } = viewer.machine;
  home.write(claudeFile(ID), question(1));
  const file = join(home.path, claudeFile(ID));
  await using first = await serveViewer(home, pages);
  const page = await browser.newPage();
  await page.goto(`${first.url}/#code=${encodeURIComponent(first.code)}${session(ID)}`);
  await expect.poll(() => asked(page)).toEqual(upTo(1));
  appendFileSync(file, question(2));
  await expect.poll(() => asked(page)).toEqual(upTo(2));
  await first.kill();
  for (const at of [3, 4]) appendFileSync(file, question(at));
  await using _second = await serveViewer(home, pages, new URL(first.url).port);
  await expect.poll(() => asked(page)).toEqual(upTo(4));
  appendFileSync(file, question(5));
  await expect.poll(() => asked(page)).toEqual(upTo(5));
  await page.close();
});
