/** Questions for permission on a page, and pages that may only read. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { createTalkHome, SCRIPT } from "../cli/talk.ts";
import { EDITS, ownSession } from "../machine/open-chat.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

let viewer: OpenViewer;
let place: string;
beforeAll(async () => {
  const home = createTalkHome({ ...SCRIPT, prompts: { ...SCRIPT.prompts, ...EDITS } });
  place = `/session/${encodeURIComponent(await ownSession(home))}`;
  viewer = await openViewer(home);
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

test("y focuses the answer of a question that opens while no text is typed, and Escape does not cancel the turn", async () => {
  const { page, errors } = await viewer.open(place);
  const prompt = page.getByRole("textbox", { name: "Prompt" });
  await prompt.fill("edit it");
  await prompt.press("Enter");
  const allow = page.getByRole("button", { name: "Allow once" });
  await allow.waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("BODY");
  await page.keyboard.press("y");
  expect(await allow.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);
  expect(await prompt.inputValue()).toBe("");
  await page.keyboard.press("Escape");
  await page.waitForTimeout(300);
  expect(await allow.isVisible()).toBe(true);
  await page.getByText(/Without an answer, it is denied at \d\d:\d\d\./u).waitFor();
  await page.getByRole("button", { name: "Allow from now on: Always" }).waitFor();
  await page.getByRole("button", { name: "Cancel the turn" }).waitFor();
  await allow.click();
  await page.getByText("Done.").first().waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

test("a person who is typing stays in the field when a question opens, and y is typed there", async () => {
  const { page } = await viewer.open(place);
  const prompt = page.getByRole("textbox", { name: "Prompt" });
  await prompt.fill("edit it");
  await prompt.press("Enter");
  await expect.poll(() => prompt.inputValue()).toBe("");
  await prompt.pressSequentially("ma");
  const allow = page.getByRole("button", { name: "Allow once" });
  await allow.waitFor();
  await page.keyboard.press("y");
  expect(await prompt.inputValue()).toBe("may");
  await allow.click();
  await allow.waitFor({ state: "detached" });
  await page.context().close();
});

test("a page that may only read shows no action that changes anything, and says why", async () => {
  const { page } = await viewer.open(place, { access: "read" });
  await page.locator(".menu summary").click();
  const lines = await page.locator(".menu li").allInnerTexts();
  expect(lines.map((line) => line.trim())).toEqual([
    "This page may only read.",
    "Compare…",
    "Mask secrets in exports",
    "Export as a page",
    "Export as Markdown",
    "Export as JSON",
  ]);
  await page.locator(".read-only", { hasText: "This page may only read." }).waitFor();
  expect(await page.getByRole("textbox", { name: "Prompt" }).count()).toBe(0);
  await page.getByRole("button", { name: "Resume" }).waitFor();
  await page.context().close();
});
