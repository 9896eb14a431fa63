/**
 * Actions on a session in the viewer, by keyboard and by mouse: the words of the dialog, and the effect on the session.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLAUDE_ID, claudeFile } from "../cli/home.ts";
import { builtViewer } from "../sizes/shared-programs.ts";
import { homeWithLongSession, LONG_ID, LONG_TURNS, sessionAddress } from "./long-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

let viewer: OpenViewer;
beforeAll(async () => {
  viewer = await openViewer(homeWithLongSession());
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

type Means = "keyboard" | "mouse";

/** Chooses a line of the menu. The key `a` opens the menu at its first line, and Tab goes to the next line. */
async function pick(page: Page, label: string, by: Means): Promise<void> {
  await page.waitForSelector(".menu");
  if (by === "mouse") {
    await page.locator(".menu summary").click();
    return await page.locator(".menu").getByText(label, { exact: true }).click();
  }
  await page.keyboard.press("a");
  const focused = (): Promise<string> => page.locator(":focus").innerText();
  for (let tries = 0; (await focused()) !== label; tries++) {
    expect(tries).toBeLessThan(10);
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
}

async function choose(page: Page, label: string, by: Means = "keyboard"): Promise<void> {
  await pick(page, label, by);
  await page.waitForSelector("dialog[open] #action-title");
}

async function press(button: Locator, by: Means): Promise<void> {
  if (by === "mouse") return await button.click();
  await button.focus();
  await button.page().keyboard.press("Enter");
}

async function close(page: Page, by: Means): Promise<void> {
  if (by === "keyboard") await page.keyboard.press("Escape");
  else await page.locator("dialog[open]").locator("form[method=dialog] button").click();
  await expect.poll(() => page.locator("dialog[open]").count()).toBe(0);
}

test.each<Means>(["keyboard", "mouse"])(
  "a session can be renamed, deleted and brought back, and the plan of its repair can be read, by %s",
  async (by) => {
    const { page } = await viewer.open(sessionAddress(CLAUDE_ID));
    const file = join(viewer.machine.home.path, claudeFile(CLAUDE_ID));
    await choose(page, "Rename…", by);
    const title = page.getByLabel("Title");
    if (by === "mouse") await title.click();
    else await title.focus();
    const name = `Mend <b>the</b> build by ${by}`;
    await title.fill(name);
    if (by === "mouse") await page.locator("dialog .primary").click();
    else await page.keyboard.press("Enter");
    await page.getByText("Renamed.").waitFor();
    await close(page, by);
    expect(await page.locator(".session-title h1").innerText()).toBe(name);

    await choose(page, "Repair…", by);
    await page.getByText(/nothing to repair|nothing that a repair|changes?\. Nothing is written/u).waitFor();
    await close(page, by);

    await choose(page, "Move to the trash", by);
    await press(page.locator("dialog .primary"), by);
    await page.getByText("It is in the trash.").waitFor();
    expect(existsSync(file)).toBe(false);
    await press(page.getByRole("button", { name: "Undo" }), by);
    await page.getByText("It is back.").waitFor();
    expect(existsSync(file)).toBe(true);
    await page.context().close();
  },
);

test("after the dialog is closed, the page of a deleted session offers only to restore it", async () => {
  const { page } = await viewer.open(sessionAddress(CLAUDE_ID));
  await page.waitForSelector(".menu");
  for (const key of ["Delete", "Enter"]) {
    await page.keyboard.press(key);
    await page.locator(`dialog button:focus`).waitFor();
  }
  await page.getByText("It is in the trash.").waitFor();
  await close(page, "keyboard");
  await page.getByText("The session is in the trash.").waitFor();
  expect(await page.getByRole("button", { name: "Resume" }).count()).toBe(0);
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  await page.context().close();
});

test.each<Means>(["keyboard", "mouse"])("an export is downloaded as a file, by %s", async (by) => {
  await builtViewer();
  const { page } = await viewer.open(sessionAddress(CLAUDE_ID));
  for (const [label, ending] of [
    ["Export as a page", "html"],
    ["Export as Markdown", "md"],
    ["Export as JSON", "json"],
  ] as const) {
    const saved = page.waitForEvent("download");
    await pick(page, label, by);
    const download = await saved;
    expect(download.suggestedFilename().split(".").at(-1)).toBe(ending);
    expect(readFileSync(await download.path(), "utf8")).toContain("Fix the build");
    // The menu stays open after an export, so this closes it.
    await page.keyboard.press("Escape");
  }
  await page.context().close();
});

test.each<Means>(["keyboard", "mouse"])("the dialog counts the messages of a fork, by %s", async (by) => {
  const { page } = await viewer.open(sessionAddress(CLAUDE_ID));
  await choose(page, "Fork…", by);
  await press(page.locator("dialog .primary"), by);
  await page.getByText(/^The fork has \d+ messages\./u).waitFor();
  await close(page, by);
  await page.context().close();
});

test.each<Means>(["keyboard", "mouse"])(
  "the dialog of resume says why the session cannot be resumed, and can be closed, by %s",
  async (by) => {
    const { page } = await viewer.open(sessionAddress(CLAUDE_ID));
    await page.waitForSelector(".menu");
    if (by === "keyboard") await page.keyboard.press("c");
    else await page.getByRole("button", { name: "Resume" }).click();
    // The folder of the session is not on this machine.
    await page.locator("dialog [role=alert]").waitFor();
    await close(page, by);
    await page.context().close();
  },
);

test.each<Means>(["keyboard", "mouse"])(
  "the receipt of a hand-over is shown before anything is written, by %s",
  async (by) => {
    const { page } = await viewer.open(sessionAddress(CLAUDE_ID));
    await choose(page, "Hand over to another agent…", by);
    const targets = await page.locator("dialog option").allTextContents();
    expect(targets).toEqual(["Codex", "Gemini CLI", "opencode", "pi", "GitHub Copilot"]);
    // The session's own folder is not on this machine.
    await page.locator("dialog [role=alert]").waitFor();
    await page.locator("dialog input").fill(viewer.machine.home.path);
    if (by === "keyboard") await page.keyboard.press("Tab");
    else await page.locator("#action-title").click();
    await page.locator(".receipt tbody tr").first().waitFor();
    expect(existsSync(join(viewer.machine.home.path, ".codex/sessions/2026"))).toBe(false);
    await close(page, by);
    await page.context().close();
  },
);

test("the arrow keys, Home and End move through the menu, also around its ends, and open it from its button", async () => {
  const { page } = await viewer.open(sessionAddress(CLAUDE_ID));
  const focused = (): Promise<string> => page.locator(":focus").evaluate((one) => one.textContent ?? "");
  const scrolled = (): Promise<number> => page.evaluate(`document.querySelector(".turns").scrollTop`);
  await page.locator(".menu summary").focus();
  const before = await scrolled();
  const seen: string[] = [];
  for (const key of ["ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowDown", "End", "Home"]) {
    await page.keyboard.press(key);
    seen.push(await focused());
  }
  const [first, second, last] = ["Compare…", "Hand over to another agent…", "Export as JSON"];
  expect(seen).toEqual([first, second, first, last, first, last, first]);
  expect(await scrolled()).toBe(before);
  await page.keyboard.press("Escape");
  expect(await focused()).toBe("More");
  await page.keyboard.press("ArrowUp");
  expect(await focused()).toBe(last);
  await page.context().close();
});

test("each field of a dialog is below its name, with room for the focus ring", async () => {
  const { page } = await viewer.open(sessionAddress(CLAUDE_ID));
  for (const label of ["Hand over to another agent…", "Fork…", "Rename…"]) {
    await choose(page, label);
    const gaps: number[] = await page.evaluate(`(() => {
      const boxes = [];
      for (const label of document.querySelectorAll("dialog[open] label")) {
        const words = document.createRange();
        words.selectNode(label.firstChild);
        boxes.push(words.getBoundingClientRect(), label.lastElementChild.getBoundingClientRect());
      }
      return boxes.slice(1).map((box, at) => box.top - boxes[at].bottom);
    })()`);
    expect(gaps.length).toBeGreaterThan(0);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(3);
    await close(page, "keyboard");
    // The dialog returns the focus to an element that is visible.
    await page.locator("summary:focus", { hasText: "More" }).waitFor();
  }
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
  // Each turn has a question, an answer and a result.
  await page.getByText(`The fork has ${(3 * turn).toLocaleString("en")} messages.`).waitFor();
  await page.context().close();
});
