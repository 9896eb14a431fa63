import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../cli/browser.ts";
import { createTalkHome, SCRIPT, type TalkHome } from "../cli/talk.ts";
import { EDITS, ownSession } from "../machine/open-chat.ts";
import { builtViewer } from "../sizes/shared-programs.ts";
import { violations } from "./axe.ts";
import { serveViewer } from "./served-viewer.ts";

let pages: string;
let home: TalkHome;
let browser: Browser;
beforeAll(async () => {
  home = createTalkHome({ ...SCRIPT, prompts: { ...SCRIPT.prompts, ...EDITS } });
  pages = await builtViewer();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  home?.[Symbol.dispose]();
});

const notice = (page: Page) => page.locator(".lost-notice");

/** The part of the page that notices the end of a server is loaded after the first view. */
async function whenLoaded(page: Page): Promise<void> {
  const names = `performance.getEntriesByType("resource").map(({ name }) => name).join(" ")`;
  const wanted = ["lost-server-", "lost-notice-", "/later-", "/healthz"];
  const isLoaded = (all: string) => wanted.filter((one) => !all.includes(one));
  await expect.poll(async () => isLoaded(await page.evaluate<string>(names))).toEqual([]);
}

/** Returns the time between the kill and the report of the page, by the clock of the page. */
async function noticeWithin(page: Page, killed: Promise<void>): Promise<number> {
  await page.evaluate(`
    globalThis.shown = new Promise((resolve) => {
      const begun = Date.now();
      new MutationObserver(() => document.querySelector(".lost-notice") && resolve(Date.now() - begun))
        .observe(document.body, { childList: true, subtree: true });
    });
    0;
  `);
  await killed;
  await notice(page).waitFor();
  return await page.evaluate("globalThis.shown");
}

test("a page reports within two seconds that its server is gone, disables its actions, keeps the draft, and recovers by itself", async () => {
  const key = await ownSession(home);
  const first = await serveViewer(home, pages);
  const { port } = new URL(first.url);
  const page = await browser.newPage();
  const enter = `${first.url}/#code=${encodeURIComponent(first.code)}`;
  await page.goto(`${enter}/session/${encodeURIComponent(key)}`);
  const prompt = page.getByRole("textbox", { name: "Prompt" });
  await prompt.fill("edit it");
  await prompt.press("Enter");
  await whenLoaded(page);
  const allow = page.getByRole("button", { name: "Allow once" });
  await allow.waitFor();
  await prompt.fill("half a thought");
  expect(await noticeWithin(page, first.kill())).toBeLessThan(2_000);
  expect(await violations(page)).toEqual([]);
  expect(await allow.isDisabled()).toBe(true);
  for (const name of ["Deny", "Queue", "Resume", "Cancel the turn"]) {
    expect(await page.getByRole("button", { name, exact: true }).isDisabled()).toBe(true);
  }
  await prompt.press("Enter");
  await page.keyboard.press("Escape");
  expect(await prompt.inputValue()).toBe("half a thought");
  expect(await page.locator("dialog[open]").count()).toBe(0);
  await using second = await serveViewer(home, pages, port);
  await notice(page).waitFor({ state: "detached" });
  await page.locator(".dock-line", { hasText: "Interrupted" }).waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Send" }).isDisabled()).toBe(false);
  expect(await prompt.inputValue()).toBe("half a thought");
  await expect.poll(() => page.getByRole("alert").allInnerTexts()).toEqual([]);
  await page.reload();
  await expect.poll(() => prompt.inputValue()).toBe("half a thought");
  expect(second.url).toBe(first.url);
  await page.close();
});

test.each(["/", "/health", "/live"])(
  "the page %s reports that its server is gone, and recovers by itself",
  async (place) => {
    const first = await serveViewer(home, pages);
    const { port } = new URL(first.url);
    const page = await browser.newPage();
    await page.goto(`${first.url}/#code=${encodeURIComponent(first.code)}${place}`);
    await page.locator("h1").first().waitFor();
    await whenLoaded(page);
    expect(await noticeWithin(page, first.kill())).toBeLessThan(2_000);
    await using _second = await serveViewer(home, pages, port);
    await notice(page).waitFor({ state: "detached" });
    await expect.poll(() => page.getByRole("alert").count()).toBe(0);
    await page.close();
  },
);

test("a session that was opened, and a part of the page that was needed, while the server was gone are loaded when it is back", async () => {
  const key = await ownSession(home);
  const first = await serveViewer(home, pages);
  const { port } = new URL(first.url);
  const page = await browser.newPage();
  await page.route(/\/assets\/health-/u, (route) => route.abort());
  const place = `/session/${encodeURIComponent(key)}`;
  const goTo = async (hash: string) => await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.goto(`${first.url}/#code=${encodeURIComponent(first.code)}${place}`);
  const prompt = page.getByRole("textbox", { name: "Prompt" });
  await prompt.waitFor();
  await goTo("#/");
  await page.locator(".row").first().waitFor();
  await whenLoaded(page);
  await first.kill();
  await notice(page).waitFor();
  await goTo(`#${place}`);
  await page.locator(".session-page").waitFor();
  await using _second = await serveViewer(home, pages, port);
  await notice(page).waitFor({ state: "detached" });
  await prompt.waitFor();
  await goTo("#/health");
  await prompt.waitFor({ state: "detached" });
  await page.getByText("has not loaded yet").waitFor();
  await page.unroute(/\/assets\/health-/u);
  await page.locator("h1").waitFor();
  await page.close();
});
