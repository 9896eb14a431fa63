/** The inbox in a browser: the header and the title of every page show waiting questions, and the list answers them. */

import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTalkHome, SCRIPT } from "../cli/talk.ts";
import { EDITS, ownSession, pathOf } from "../machine/open-chat.ts";
import { violations } from "./axe.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

let viewer: OpenViewer;
let key: string;
beforeAll(async () => {
  const home = createTalkHome({ ...SCRIPT, prompts: { ...SCRIPT.prompts, ...EDITS } });
  key = await ownSession(home, "Raise the limit");
  viewer = await openViewer(home);
  await viewer.machine.json("/v1/machine/inbox");
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await viewer.machine.post("/v1/machine/inbox/seen", { all: true });
});

const prompt = (text: string): Promise<Response> => viewer.machine.post(pathOf(key, "prompt"), { text });

const icon = (page: Page): Promise<string | null> => page.locator('link[rel="icon"]').getAttribute("href");

test("the title, the icon and the header of every page show a question, which can be answered in the inbox by keyboard", async () => {
  const { page, errors } = await viewer.open("/");
  await page.waitForSelector(".row");
  const plain = await icon(page);
  await prompt("edit it");
  await expect.poll(() => page.title()).toBe("(1) Continuo");
  expect(await icon(page)).not.toBe(plain);
  const link = page.getByRole("link", { name: "Inbox 1 waiting" });
  await link.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Allow Edit?" }).waitFor();
  expect(await page.title()).toBe("(1) Inbox · Continuo");
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("y");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Allow Edit?" }).waitFor({ state: "detached" });
  await page.getByRole("heading", { name: /Ended since you looked/u }).waitFor();
  await expect.poll(() => page.title()).toBe("Inbox · Continuo");
  await page.getByRole("link", { name: "Inbox 1 unseen" }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByText("Done.").first().waitFor();
  await page.getByRole("link", { name: "Inbox", exact: true }).waitFor();
  await expect.poll(() => icon(page)).toBe(plain);
  expect(errors).toEqual([]);
  await page.context().close();
});

test("a page that may only read shows a question without answers, and does not mark it as seen for others", async () => {
  const { page } = await viewer.open("/inbox", { access: "read" });
  await prompt("edit it");
  await page.getByRole("heading", { name: "Allow Edit?" }).waitFor();
  expect(await page.getByRole("button", { name: "Allow once" }).count()).toBe(0);
  await page.getByText("This page may only read.").waitFor();
  const { asks } = await viewer.machine.json("/v1/machine/inbox");
  const by = { id: "test", name: "a test" };
  const { approvalId } = asks[0].question;
  await viewer.machine.post(pathOf(key, "answer"), { approvalId, outcome: "denied", page: by });
  await page.getByRole("link", { name: "Inbox 1 unseen" }).waitFor();
  await page.getByRole("button", { name: "Mark all as seen" }).click();
  await page.getByRole("link", { name: "Inbox", exact: true }).waitFor();
  expect((await viewer.machine.json("/v1/machine/inbox")).unseen).toBe(1);
  await page.context().close();
});

test("a hidden page notifies of a question once, without its text", async () => {
  const { page } = await viewer.open("/inbox");
  await page.evaluate(`
    globalThis.notified = [];
    globalThis.Notification = class {
      static permission = "default";
      static requestPermission = async () => "granted";
      constructor(title, options) { notified.push([title, options.body]); }
      close() {}
    };
  `);
  await page.getByRole("button", { name: "Notify me" }).click();
  await page.getByRole("button", { name: "Notify me" }).waitFor({ state: "detached" });
  await page.evaluate(`
    Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  `);
  await prompt("edit it");
  await expect.poll(() => page.evaluate("notified")).toEqual([["A question waits", "Raise the limit"]]);
  const { asks } = await viewer.machine.json("/v1/machine/inbox");
  const by = { id: "test", name: "a test" };
  const { approvalId } = asks[0].question;
  await viewer.machine.post(pathOf(key, "answer"), { approvalId, outcome: "denied", page: by });
  await expect
    .poll(() => page.evaluate("notified"))
    .toEqual([
      ["A question waits", "Raise the limit"],
      ["Finished", "Raise the limit"],
    ]);
  await page.context().close();
});

test("a failed session shows its reason until a person has seen it, and all can be marked as seen at once", async () => {
  const { page } = await viewer.open("/inbox");
  await page.getByText("Nothing waits for you.").waitFor();
  await prompt("refuse");
  await page.getByText("the model says 401").waitFor();
  await page.getByRole("button", { name: "Mark all as seen" }).click();
  await page.getByText("the model says 401").waitFor({ state: "detached" });
  expect(await page.getByRole("link", { name: "Inbox", exact: true }).count()).toBe(1);
  await page.context().close();
});
