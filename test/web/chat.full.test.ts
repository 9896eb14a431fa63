/** A session that is continued in real browsers, with a scripted agent. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import type { Page } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import { chunk, DONE, type Script } from "../acp/script.ts";
import { openBrowser } from "../cli/browser.ts";
import { createTalkHome, SCRIPT, type TalkHome } from "../cli/talk.ts";
import { EDITS, ownSession, storeOf } from "../machine/open-chat.ts";
import { builtViewer } from "../sizes/shared-programs.ts";
import { violations } from "./axe.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";
import { WATCH_SAYING } from "./saying.ts";
import { serveViewer, type ViewerProcess } from "./served-viewer.ts";

/** Sends its first words, and continues when there is a file `go` next to the script. */
const WAIT = [chunk("one "), chunk("two "), { untilFile: "go" }, chunk("three"), DONE];
const WAITS = { ...SCRIPT, prompts: { ...SCRIPT.prompts, ...EDITS, wait: WAIT } };

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

interface Chatting {
  readonly home: TalkHome;
  readonly viewer: OpenViewer;
  readonly place: string;
  go(): void;
}

async function chatting(): Promise<Chatting> {
  const home = createTalkHome(WAITS);
  const key = await ownSession(home);
  const viewer = await openViewer(home);
  open.push(viewer);
  const go = (): void => writeFileSync(join(home.path, "go"), "");
  return { home, viewer, place: `/session/${encodeURIComponent(key)}`, go };
}

const prompt = (page: Page) => page.getByRole("textbox", { name: "Prompt" });
const working = (page: Page) => page.locator(".dock .beat");
/** All words of the agent on the page. */
const said = (page: Page): Promise<readonly string[]> =>
  page.locator(".saying, .said .prose").allInnerTexts();

async function say(page: Page, text: string): Promise<void> {
  await prompt(page).fill(text);
  await prompt(page).press("Enter");
}

test("two browsers show a turn while it streams, and each token changes one text node", async () => {
  const { viewer, place, go } = await chatting();
  const [first, second] = [await viewer.open(place), await viewer.open(place, { theme: "dark" })];
  await say(first.page, "wait");
  for (const { page } of [first, second]) {
    await page.locator(".saying", { hasText: "one two" }).waitFor();
    await page.evaluate(WATCH_SAYING);
  }
  expect(await violations(first.page)).toEqual([]);
  expect(await violations(second.page)).toEqual([]);
  go();
  for (const { page, errors } of [first, second]) {
    await page.locator(".said .prose").getByText("one two three").waitFor();
    await working(page).waitFor({ state: "detached" });
    expect(await said(page)).toEqual(["one two three"]);
    const changed: readonly string[] = await page.evaluate("changed");
    expect(new Set(changed).difference(new Set(["characterData #text"]))).toEqual(new Set());
    expect(errors).toEqual([]);
  }
});

test("both browsers ask for permission and show the difference; the first answer counts, and the other browser shows who gave it", async () => {
  const { viewer, place } = await chatting();
  const [first, second] = [await viewer.open(place), await viewer.open(place, { width: 360 })];
  await say(first.page, "edit it");
  const pages = [first.page, second.page];
  for (const page of pages) {
    const asked = page.getByRole("region", { name: /Allow Edit\?/u });
    await asked.waitFor();
    expect(await asked.locator(".diff").innerText()).toMatch(/const b = 2;[\s\S]*const b = 42;/u);
    expect(await violations(page)).toEqual([]);
  }
  // The key `y` moves the focus to the answer, and Enter sends the answer.
  await first.page.locator("h1").click();
  await first.page.keyboard.press("y");
  await first.page.keyboard.press("Enter");
  for (const page of pages) await page.locator(".asked-permission").waitFor({ state: "detached" });
  for (const page of pages) await working(page).waitFor({ state: "detached" });
  for (const page of pages) await page.getByText("Done.").waitFor();
  expect(await first.page.locator(".answered").innerText()).toBe("Allowed by you");
  expect(await second.page.locator(".answered").innerText()).toBe("Allowed by Chrome on Linux");
});

test.each([600, 720])(
  "in a window of %s px height, the button of an answer does not move while the mouse presses it",
  async (height) => {
    const { viewer, place } = await chatting();
    const { page } = await viewer.open(place, { height });
    await say(page, "edit it");
    const deny = page.getByRole("button", { name: "Deny" });
    await deny.waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("BODY");
    const foot = page.locator(".composer-foot");
    await foot.waitFor({ state: "hidden" });
    await deny.hover();
    const before = await deny.boundingBox();
    await page.mouse.down();
    expect(await deny.boundingBox()).toEqual(before);
    await page.mouse.up();
    await page.locator(".answered", { hasText: "Denied by you" }).waitFor();
    await foot.waitFor({ state: "hidden" });
    await prompt(page).click();
    await foot.waitFor();
  },
);

test("a prompt that waits for the running turn can be withdrawn, and Escape cancels the turn", async () => {
  const { home, viewer, place } = await chatting();
  const { page } = await viewer.open(place);
  await say(page, "slow");
  await page.getByText("I begin.").waitFor();
  await working(page).waitFor();
  await say(page, "second");
  const waits = page.locator(".dock-line", { hasText: "Next" });
  await waits.getByText("second").waitFor();
  expect(await prompt(page).inputValue()).toBe("");
  await waits.getByRole("button", { name: "Take back" }).click();
  await waits.waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await working(page).waitFor({ state: "detached" });
  await page.locator(".dock-line", { hasText: "Cancelled" }).first().waitFor();
  expect(home.prompts()).toEqual(["slow"]);
});

test("after a kill of the server, the repeated question for an allowed call warns that the call may have run, and a later question does not", async () => {
  const asked = EDITS["edit it"]?.slice(0, 3) ?? [];
  const edits = { "edit it": [...asked, { untilFile: "go" }, ...(EDITS["edit it"]?.slice(3) ?? [])] };
  const { first, page, home, pages } = await killable({
    ...WAITS,
    prompts: { ...WAITS.prompts, ...edits, "*": edits["edit it"] },
  });
  await say(page, "edit it");
  const question = page.getByRole("region", { name: /Allow Edit\?/u });
  const warning = question.getByText("it may already have run");
  const allow = page.getByRole("button", { name: "Allow once" });
  await allow.waitFor();
  expect(await warning.count()).toBe(0);
  await allow.click();
  await expect.poll(() => decisions(home)).toBe(1);
  await first.kill();
  await serve(home, pages, new URL(first.url).port);
  await page
    .locator(".dock-line", { hasText: "Interrupted" })
    .getByRole("button", { name: "Ask again" })
    .click();
  await warning.waitFor();
  expect(await violations(page)).toEqual([]);
  writeFileSync(join(home.path, "go"), "");
  await allow.click();
  await working(page).waitFor({ state: "detached" });
  await say(page, "edit it");
  await allow.waitFor();
  expect(await warning.count()).toBe(0);
});

async function serve(home: TalkHome, pages: string, port?: string): Promise<ViewerProcess> {
  const served = await serveViewer(home, pages, port);
  open.push(served);
  return served;
}

interface Killable {
  readonly home: TalkHome;
  readonly pages: string;
  readonly first: ViewerProcess;
  readonly page: Page;
}

/** Returns the number of stored answers. The agent receives an answer a moment before it is stored. */
async function decisions(home: TalkHome): Promise<number> {
  await using store = await openStore(storeOf(home));
  const [session] = (await store.listSessions()).items;
  return (await store.read(session?.sessionId ?? "", { types: ["approval_resolved"] })).events.length;
}

/** A page whose server can be killed. */
async function killable(script: Script): Promise<Killable> {
  const home = createTalkHome(script);
  open.push({ [Symbol.asyncDispose]: async () => home[Symbol.dispose]() });
  const pages = await builtViewer();
  const key = await ownSession(home);
  const first = await serve(home, pages);
  const browser = await openBrowser();
  open.push({ [Symbol.asyncDispose]: () => browser.close() });
  const page = await browser.newPage();
  await page.goto(`${first.url}/#code=${encodeURIComponent(first.code)}/session/${encodeURIComponent(key)}`);
  return { home, pages, first, page };
}

test("after its server was killed in a turn, a page continues: no token is lost or repeated, and the prompt can be sent again", async () => {
  const { first, page, home, pages } = await killable({
    ...WAITS,
    prompts: { ...WAITS.prompts, "*": WAIT },
  });
  await say(page, "wait");
  await page.getByText("one two").waitFor();
  await first.kill();
  await serve(home, pages, new URL(first.url).port);
  const interrupted = page.locator(".dock-line", { hasText: "Interrupted" });
  await interrupted.waitFor();
  await expect.poll(() => said(page)).toEqual(["one two"]);
  writeFileSync(join(home.path, "go"), "");
  await interrupted.getByRole("button", { name: "Ask again" }).click();
  await page.getByText("one two three").waitFor();
  await working(page).waitFor({ state: "detached" });
  await expect.poll(() => said(page)).toEqual(["one two", "one two three"]);
  expect(await interrupted.count()).toBe(0);
});
