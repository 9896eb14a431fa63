/**
 * Keys that a person presses before the browser has painted their target: none is lost, and none goes to another
 * element.
 */

import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TalkHome } from "../cli/talk.ts";
import { sessionAddress } from "./long-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";
import { tasksHome, WORK_ID } from "./tasks-home.ts";

let home: TalkHome;
let viewer: OpenViewer;
beforeAll(async () => {
  home = tasksHome();
  viewer = await openViewer(home);
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

const WORK = sessionAddress(WORK_ID);

/**
 * Evaluates `seen` as soon as the element is in the page, before it is painted. The returned function resolves with the
 * value.
 */
async function whenAdded(page: Page, element: string, seen: string): Promise<() => Promise<unknown>> {
  // Without `void`, the call would wait for the promise.
  await page.evaluate(`void (window.atOnce = new Promise((resolve) => {
    const look = () => {
      const one = document.querySelector(${JSON.stringify(element)});
      if (one === null) return;
      watch.disconnect();
      resolve((${seen})(one));
    };
    const watch = new MutationObserver(look);
    watch.observe(document.body, { childList: true, subtree: true });
  }))`);
  return () => page.evaluate("window.atOnce");
}

const HAS_FOCUS = "(one) => one.contains(document.activeElement)";

interface Opening {
  readonly what: string;
  readonly from: string;
  /** The keys that open the page. */
  readonly keys: readonly string[];
  /** The page shows this before the last key. */
  readonly ready: string;
  readonly element: string;
}

const OPENINGS: readonly Opening[] = [
  { what: "the list of keys", from: "/", keys: ["?"], ready: ".row", element: "dialog .keys" },
  { what: "a hand-over", from: WORK, keys: ["h"], ready: ".actions", element: "dialog select" },
  {
    what: "the question before a deletion",
    from: WORK,
    keys: ["Delete"],
    ready: ".actions",
    element: "dialog .primary",
  },
  {
    what: "the tree of branches",
    from: WORK,
    keys: ["b"],
    ready: "#branches",
    element: ".branch-tree [aria-current]",
  },
];

test.each(OPENINGS)("$what receives keys before it is painted", async ({ from, keys, ready, element }) => {
  const { page } = await viewer.open(from);
  await page.locator(ready).first().waitFor();
  const open = element.startsWith("dialog") ? `(one) => one.closest("dialog").matches(":modal")` : HAS_FOCUS;
  const seen = await whenAdded(page, element, open);
  for (const key of keys) await page.keyboard.press(key);
  expect(await seen()).toBe(true);
  await page.context().close();
});

test("the keys of a page work before it is painted", async () => {
  const { page } = await viewer.open("/health");
  await page.locator("h1").waitFor();
  const press = `() => {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true, cancelable: true }));
    return document.activeElement.id;
  }`;
  const seen = await whenAdded(page, "#find", press);
  await page.keyboard.press("u");
  expect(await seen()).toBe("find");
  await page.context().close();
});

test("the field for a comment on a line has the focus before it is painted", async () => {
  const { page } = await viewer.open(`${WORK}/files`);
  const line = page.locator(".file-changes .diff > .ins").first();
  await line.waitFor();
  const seen = await whenAdded(page, ".line-comment textarea", HAS_FOCUS);
  await line.click();
  expect(await seen()).toBe(true);
  await page.context().close();
});

test("letters that are typed right after New become the prompt, and Enter works before the agents are known", async () => {
  const { page, errors } = await viewer.open("/");
  const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
  const { promise: loaded, resolve: load } = Promise.withResolvers<void>();
  // This part of the page may be loaded late, and so may the names of the agents.
  await page.route(/\/assets\/new-chat-page/u, async (route) => {
    await loaded;
    await route.continue();
  });
  await page.route(/\/chats\/agents/u, async (route) => {
    await asked;
    await route.continue();
  });
  await page.getByRole("link", { name: "New" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.type("x refuse ");
  load();
  await page.getByRole("heading", { name: "New conversation" }).waitFor();
  await page.keyboard.type("nothing");
  const prompt = page.getByRole("textbox", { name: "Prompt" });
  expect(await prompt.inputValue()).toBe("x refuse nothing");
  await page.getByLabel("Folder").fill(join(home.path, "project"));
  await prompt.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Beginning…" }).waitFor();
  answer();
  await page.locator(".session-title h1", { hasText: "x refuse nothing" }).waitFor();
  await expect.poll(() => home.prompts()).toContain("x refuse nothing");
  // The list, which the person left, received no letter.
  await page.goBack();
  await page.locator(".row").first().waitFor();
  expect(await page.locator("#find").inputValue()).toBe("");
  expect(await page.locator("input.choose").count()).toBe(0);
  expect(errors).toEqual([]);
  await page.context().close();
});
