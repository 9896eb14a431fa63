/** Actions on a session in the viewer, each by keyboard: what the dialog says, and what became of the session. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLAUDE_ID, claudeFile } from "../cli/home.ts";
import { homeWithLongSession, LONG_ID, LONG_TURNS, sessionAddress } from "./long-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

let viewer: OpenViewer;
beforeAll(async () => {
  viewer = await openViewer(homeWithLongSession());
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

/** `a` opens the menu at its first line, Tab goes on. */
async function choose(page: Page, label: string): Promise<void> {
  await page.waitForSelector(".menu");
  await page.keyboard.press("a");
  const focused = (): Promise<string> => page.locator(":focus").innerText();
  for (let tries = 0; (await focused()) !== label; tries++) {
    expect(tries).toBeLessThan(10);
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog[open] #action-title");
}

test("rename, look at a repair, delete and undo, without a mouse", async () => {
  const { page } = await viewer.open(sessionAddress(CLAUDE_ID));
  const file = join(viewer.machine.home.path, claudeFile(CLAUDE_ID));
  await choose(page, "Rename…");
  const title = page.getByLabel("Title");
  await title.focus();
  await title.fill("Mend <b>the</b> build");
  await page.keyboard.press("Enter");
  await page.getByText("Renamed.").waitFor();
  await page.keyboard.press("Escape");
  expect(await page.locator(".session-title h1").innerText()).toBe("Mend <b>the</b> build");

  await choose(page, "Repair…");
  await page.getByText(/nothing to repair|nothing that a repair|changes?\. Nothing is written/u).waitFor();
  await page.keyboard.press("Escape");

  await choose(page, "Move to the trash");
  await page.locator("dialog .primary").focus();
  await page.keyboard.press("Enter");
  await page.getByText("It is in the trash.").waitFor();
  expect(existsSync(file)).toBe(false);
  await page.getByRole("button", { name: "Undo" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("It is back.").waitFor();
  expect(existsSync(file)).toBe(true);
  await page.context().close();
});

test("c shows how to resume; what cannot be done says why, and the dialog closes with Escape", async () => {
  const { page } = await viewer.open(sessionAddress(CLAUDE_ID));
  await page.waitForSelector(".menu");
  await page.keyboard.press("c");
  // The folder of the session is not on this machine.
  await page.locator("dialog [role=alert]").waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => page.locator("dialog[open]").count()).toBe(0);
  await page.context().close();
});

test("the receipt of a hand-over is there before anything is written", async () => {
  const { page } = await viewer.open(sessionAddress(CLAUDE_ID));
  await choose(page, "Hand over to another agent…");
  // The session's own folder is not on this machine.
  await page.locator("dialog [role=alert]").waitFor();
  await page.locator("dialog input").fill(viewer.machine.home.path);
  await page.keyboard.press("Tab");
  await page.locator(".receipt tbody tr").first().waitFor();
  expect(existsSync(join(viewer.machine.home.path, ".codex/sessions/2026"))).toBe(false);
  await page.context().close();
});

test("a fork from a turn whose messages are not loaded ends with that turn", async () => {
  const { page } = await viewer.open(sessionAddress(LONG_ID));
  const turn = LONG_TURNS - 200;
  await choose(page, "Fork…");
  const option = page.locator("dialog option", { hasText: `turn ${turn}:` });
  await option.waitFor({ state: "attached" });
  await page.locator("dialog select").selectOption((await option.getAttribute("value")) ?? "");
  await page.locator("dialog .primary").focus();
  await page.keyboard.press("Enter");
  // A question, an answer and a result for each turn.
  await page.getByText(`The fork has ${(3 * turn).toLocaleString("en")} messages.`).waitFor();
  await page.context().close();
});
