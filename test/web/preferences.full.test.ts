/**
 * `continuo view`, ended and started again: its pages have another host name each time, and the person's choices are
 * kept.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openStore } from "@continuo/store";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openBrowser } from "../cli/browser.ts";
import { cleanEnv, createHome, type Home, MAIN, writeSessions } from "../cli/home.ts";

let home: Home;
let browser: Browser;
let context: BrowserContext;
const children: ChildProcess[] = [];
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());
beforeEach(async () => {
  home = createHome();
  writeSessions(home);
  context = await browser.newContext({ colorScheme: "dark" });
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await context.close();
  home[Symbol.dispose]();
});

interface Viewing {
  readonly url: string;
  kill(): Promise<void>;
}

async function view(...args: readonly string[]): Promise<Viewing> {
  const child = spawn(process.execPath, [MAIN, "view", "--json", "--no-open", "--port", "0", ...args], {
    env: cleanEnv(home.path),
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { url } = JSON.parse(String(line)) as { readonly url: string };
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { url, kill };
}

async function open({ url }: Viewing): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await page.locator(".row", { hasText: "Fix the build" }).waitFor();
  return page;
}

const background = (page: Page): Promise<string> =>
  page.evaluate("getComputedStyle(document.body).backgroundColor");
const themeButton = (page: Page) => page.getByRole("button", { name: /^Theme|^system$|^light$|^dark$/u });

test("the next viewer uses the chosen theme before its script runs", async () => {
  const first = await view();
  const page = await open(first);
  const dark = await background(page);
  const kept = page.waitForResponse((response) => response.url().endsWith("/v1/machine/preferences"));
  await themeButton(page).click();
  expect((await kept).status()).toBe(200);
  const light = await background(page);
  expect(light).not.toBe(dark);
  await first.kill();

  const second = await view();
  expect(new URL(second.url).hostname).not.toBe(new URL(first.url).hostname);
  const unscripted = await context.newPage();
  await unscripted.route("**/*.js", (route) => route.abort());
  await unscripted.goto(new URL("/", second.url).href);
  expect(await background(unscripted)).toBe(light);
  const again = await open(second);
  expect([await background(again), await themeButton(again).innerText()]).toEqual([
    light,
    expect.stringContaining("light"),
  ]);
});

test("the next viewer uses the name that was chosen in channels", async () => {
  await using store = await openStore(`sqlite:${join(home.path, ".continuo/continuo.db")}`);
  await store.createLog({ logId: "channels/team" });
  const name = (page: Page) => page.getByRole("textbox", { name: "Your name in channels" });
  const channel = async ({ url }: Viewing): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${url}channels/team`);
    await name(page).waitFor();
    return page;
  };
  const first = await view();
  const page = await channel(first);
  expect(await name(page).inputValue()).toBe("");
  const kept = page.waitForResponse((response) => response.url().endsWith("/v1/machine/preferences"));
  await name(page).fill("ada");
  await name(page).press("Tab");
  expect((await kept).status()).toBe(200);
  await first.kill();
  expect(await name(await channel(await view())).inputValue()).toBe("ada");
});

test("a page that may only read uses the chosen theme, and its own choice is kept until its viewer ends", async () => {
  const first = await view("--read-only");
  const page = await open(first);
  const dark = await background(page);
  await themeButton(page).click();
  const light = await background(page);
  await page.reload();
  await page.locator(".row").first().waitFor();
  expect([light === dark, await background(page)]).toEqual([false, light]);
  await first.kill();
  expect(await background(await open(await view("--read-only")))).toBe(dark);
});
