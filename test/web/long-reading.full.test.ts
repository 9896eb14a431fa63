/** A long session in the browser while the server still reads it: what a reader can already do. */

import { utimesSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claudeFile, type Home } from "../cli/home.ts";
import { type OpenMachine, openMachine } from "../machine/open-machine.ts";
import { homeWithLongSession, LONG_ID, LONG_TURNS, sessionAddress as session } from "./long-session.ts";
import { type OpenViewer, openViewer, signIn } from "./open-viewer.ts";

let viewer: OpenViewer;
beforeAll(async () => {
  viewer = await openViewer(home());
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

function home(): Home {
  const made = homeWithLongSession("Everything that was seen. ".repeat(50_000));
  const before = new Date("2026-07-01T12:00:00Z");
  utimesSync(join(made.path, claudeFile(LONG_ID)), before, before);
  return made;
}

const FULL_READ = /\/sessions\/[^/]+(?:\/outline|\/events|$|\?|\/history.*around)/u;

/** The same page, with the results of an earlier read. */
const ANY_READ = new RegExp(`${FULL_READ.source}|/known$`, "u");

/** A page whose server has read only the end of the session, until `read` is called. */
async function whileReading(
  machine: OpenMachine = viewer.machine,
  blocked: RegExp = FULL_READ,
): Promise<{ readonly page: Page; readonly read: () => void }> {
  const context = await viewer.browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const { promise, resolve: read } = Promise.withResolvers<void>();
  await page.route(blocked, async (route) => {
    await promise;
    await route.continue().catch(() => undefined);
  });
  await signIn(page, machine, session(LONG_ID));
  await page.getByText(`Answer ${LONG_TURNS}`, { exact: true }).waitFor();
  return { page, read };
}

const current = (page: Page): Promise<string> =>
  page.locator('.turn-line[aria-current="true"] bdi').innerText();

test("the keys and the rail work from what is loaded while the rest is read, and the page says so", async () => {
  const { page, read } = await whileReading();
  const status = page.getByRole("status").filter({ hasText: "Reading all" });
  await expect
    .poll(() => status.innerText())
    .toMatch(/^Reading all 3\.\d MB: earlier turns, files and cost follow$/u);
  expect(await page.locator(".facts").innerText()).toContain("Claude Code");
  await expect.poll(() => current(page)).toBe(`Question ${LONG_TURNS}`);
  await page.keyboard.press("k");
  await page.keyboard.press("k");
  await expect.poll(() => current(page)).toBe(`Question ${LONG_TURNS - 2}`);
  await page.keyboard.press("j");
  await expect.poll(() => current(page)).toBe(`Question ${LONG_TURNS - 1}`);
  // The last turn of the session failed, and the one a hundred before it did.
  await page.keyboard.press("]");
  await expect.poll(() => current(page)).toBe(`Question ${LONG_TURNS}`);
  // The keys do not go further back than the part that was loaded at first.
  for (let step = 1; step < 20; step++) {
    await page.keyboard.press("k");
    await expect.poll(() => current(page)).toBe(`Question ${LONG_TURNS - step}`);
  }
  expect(page.url()).not.toContain("/turn/");
  read();
  await expect.poll(() => status.count()).toBe(0);
  // The reader stays at the turn, whose number is known now.
  const number = page.locator('.turn-line[aria-current="true"] .number');
  await expect.poll(() => number.allInnerTexts()).toEqual([String(LONG_TURNS - 19)]);
  await page.keyboard.press("k");
  await expect.poll(() => current(page)).toBe(`Question ${LONG_TURNS - 20}`);
  await page.keyboard.press("g");
  await expect.poll(() => current(page)).toBe("Question 1");
  await page.context().close();
});

test("a step to an error that is not loaded yet happens as soon as the session was read", async () => {
  const { page, read } = await whileReading();
  await expect.poll(() => current(page)).toBe(`Question ${LONG_TURNS}`);
  await page.keyboard.press("[");
  // Until then the step is remembered, and nothing moves.
  await page.waitForTimeout(300);
  expect(await current(page)).toBe(`Question ${LONG_TURNS}`);
  read();
  await expect.poll(() => current(page)).toBe(`Question ${LONG_TURNS - 100}`);
  await page.context().close();
});

test("a step to the first turn happens as soon as the session was read", async () => {
  // No earlier test has read the session on this server.
  await using fresh = await openMachine(home(), { pageFolder: viewer.pages });
  const { page, read } = await whileReading(fresh, ANY_READ);
  await expect.poll(() => current(page)).toBe(`Question ${LONG_TURNS}`);
  await page.keyboard.press("g");
  await page.waitForTimeout(300);
  expect(await current(page)).toBe(`Question ${LONG_TURNS}`);
  read();
  await expect.poll(() => current(page)).toBe("Question 1");
  await page.context().close();
});

test("a restarted server shows the results of its predecessor while it reads the session", async () => {
  const path = `/v1/machine/sessions/claude:${LONG_ID}`;
  await viewer.machine.json(path);
  await viewer.machine.json(`${path}/outline?limit=500`);
  const known = async (): Promise<unknown> => (await viewer.machine.json(`${path}/known`)).outline;
  await expect.poll(known).not.toBeNull();
  await using next = await openMachine(viewer.machine.home, { pageFolder: viewer.pages });
  const { page } = await whileReading(next);
  await page.waitForSelector(`.turn-line .number:text-is("${LONG_TURNS}")`);
  expect(await page.locator(".facts").innerText()).toContain("1,500 turns");
  await page.keyboard.press("k");
  await expect.poll(() => current(page)).toBe(`Question ${LONG_TURNS - 1}`);
  await expect.poll(() => page.url()).toContain(`/turn/${LONG_TURNS - 1}`);
  await page.context().close();
});
