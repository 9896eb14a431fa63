/**
 * Two histories in two columns in a real browser: words describe the differences, and the address has everything that
 * is shown.
 */

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claudeFile } from "../cli/home.ts";
import { attacksOn, hostileSession } from "../hostile/hostile-session.ts";
import { violations } from "./axe.ts";
import { AGAIN_ID, BRANCHED_ID, comparedHome, OTHER_END } from "./compared-home.ts";
import { sessionAddress } from "./long-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";
import { checkContent, offTheServer } from "./safe-content.ts";

const HOSTILE_ID = "4bf3dddd-0000-4000-8000-0000000000c3";
const keyOf = (id: string): string => encodeURIComponent(`claude:${id}`);
const BRANCHES = `/compare/${keyOf(BRANCHED_ID)}/${keyOf(BRANCHED_ID)}?branch2=${OTHER_END}`;

let viewer: OpenViewer;
beforeAll(async () => {
  const home = comparedHome();
  home.write(claudeFile(HOSTILE_ID), hostileSession(HOSTILE_ID, "http://127.0.0.1:9"));
  viewer = await openViewer(home);
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

const summary = (page: Page): Promise<string> => page.locator(".compare-summary").innerText();
const current = (page: Page): Promise<string> =>
  page
    .locator('.compare-row[aria-current="true"] h3')
    .innerText()
    .then((text) => text.replaceAll(/\s+/gu, " "));
/** Everything that a reader can perceive. */
const treeOf = (page: Page): Promise<string> => page.locator("#app").ariaSnapshot();

test("a comparison of branches shows common turns as one line, and marks the words that differ", async () => {
  const { page, errors, requests } = await viewer.open(BRANCHES);
  await expect.poll(() => summary(page)).toBe("Turns: 2 the same, 1 different, 1 only on the left");
  await page.getByText("Oolong draws 180 seconds now.").waitFor();
  const marked = page.locator(".compare-cell.left .marked");
  await expect
    .poll(() => marked.locator(".cell-mark").allInnerTexts())
    .toEqual(["other arguments", "differs"]);
  await expect.poll(() => marked.last().innerText()).toContain("Oolong draws 200 seconds");
  // The first words of both answers are the same.
  await expect
    .poll(() => page.locator(".compare-cell.right .cell-row:not(.marked)").allInnerTexts())
    .toEqual([expect.stringContaining("Then give oolong"), expect.stringContaining("I look at the times")]);
  expect(await page.locator(".compare-cell.none").innerText()).toBe("No such turn on the right");
  await page.getByRole("button", { name: "Turns 1 to 2 show the same" }).click();
  await expect.poll(() => page.locator(".same-turns bdi").allInnerTexts()).toHaveLength(2);
  expect(await violations(page)).toEqual([]);
  expect(errors).toEqual([]);
  // A comparison requests no live events of a session.
  expect(requests.filter((url) => /sessions\/[^/]+\/events/u.test(url))).toEqual([]);
  await page.context().close();
});

test("keys go from difference to difference, and reload, back and forward restore the page exactly", async () => {
  const { page } = await viewer.open(BRANCHES);
  await page.getByText("Oolong draws 180 seconds now.").waitFor();
  await page.keyboard.press("]");
  await expect.poll(() => current(page)).toContain("Same question, different answer");
  await page.keyboard.press("]");
  await expect.poll(() => current(page)).toContain("Only on the left");
  await page.keyboard.press("[");
  await page.keyboard.press("k");
  await expect.poll(() => current(page)).toContain("Turns 1 to 2 show the same");
  await page.locator(".same-fold").click();
  await page.keyboard.press("j");
  await page.locator(".compare-cell.left .call-line").click();
  await page.locator(".compare-cell.left .output").waitFor();
  await page.keyboard.press("l");
  await expect.poll(() => page.url()).toMatch(/\/at\/2\?.*open=.*branch2=a3&same=1&side=right$/u);
  const before = await treeOf(page);
  await page.reload();
  await page.getByText("Oolong draws 180 seconds now.").waitFor();
  await expect.poll(() => treeOf(page)).toBe(before);
  await page.getByRole("button", { name: "Swap" }).click();
  await expect.poll(() => summary(page)).toBe("Turns: 2 the same, 1 different, 1 only on the right");
  await page.goBack();
  await page.getByText("Oolong draws 180 seconds now.").waitFor();
  await expect.poll(() => treeOf(page)).toBe(before);
  await page.keyboard.press("u");
  await expect.poll(() => page.url()).toMatch(new RegExp(`#/session/${keyOf(BRANCHED_ID)}$`, "u"));
  await page.context().close();
});

test("two sessions with the same prompt, chosen in the list, are aligned by this prompt", async () => {
  const { page } = await viewer.open("/", { access: "read" });
  await page.locator(".row").first().waitFor();
  await page.keyboard.press("x");
  for (const id of [BRANCHED_ID, AGAIN_ID]) {
    await page.locator(`.rows [data-index]:has(a[href*="${id}"]) .choose`).check();
  }
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await expect.poll(() => summary(page)).toBe("Turns: 1 different, 3 only on the left");
  await expect
    .poll(() => page.locator(".compare-cell.right .cell-mark").allInnerTexts())
    .toEqual(["only here", "only here", "differs"]);
  await page.context().close();
});

test("a hand-over can be compared with its source in three steps, from its result and from the new session", async () => {
  const { page } = await viewer.open(sessionAddress(BRANCHED_ID));
  await page.locator(".turn-foot").first().waitFor();
  await page.keyboard.press("a");
  await page.getByRole("button", { name: "Hand over to another agent…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill(viewer.machine.home.path);
  await page.keyboard.press("Tab");
  await dialog.getByRole("button", { name: "Hand over", exact: true }).click();
  await dialog.getByRole("link", { name: "Compare with the source" }).click();
  await expect.poll(() => summary(page)).toMatch(/^Turns: \d the same/u);
  await page.locator(".side-head.right h2 a").click();
  await page.getByText("The session that it was handed over from").waitFor();
  await page.keyboard.press("d");
  // The first choice has the focus.
  await page.locator(".compare-choices a:focus").waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => summary(page)).toMatch(/^Turns: \d the same/u);
  await page.context().close();
});

test("the dialog of a hand-over shows the receipt for the typed folder, and ignores a late error for the first folder", async () => {
  const { page } = await viewer.open(sessionAddress(BRANCHED_ID));
  await page.locator(".turn-foot").first().waitFor();
  const held = Promise.withResolvers<void>();
  // The project of the session does not exist on this machine, so the first answer is an error.
  await page.route(/\/handoff\?to=\w+$/u, async (route) => {
    await held.promise;
    await route.continue().catch(() => undefined);
  });
  await page.keyboard.press("a");
  await page.getByRole("button", { name: "Hand over to another agent…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill(viewer.machine.home.path);
  await page.keyboard.press("Tab");
  await dialog.getByRole("table").waitFor();
  held.resolve();
  await page.waitForTimeout(1_000);
  expect(await dialog.getByRole("alert").count()).toBe(0);
  expect(await dialog.getByRole("textbox").inputValue()).toBe(viewer.machine.home.path);
  await dialog.getByRole("button", { name: "Hand over", exact: true, disabled: false }).waitFor();
  await page.context().close();
});

test("the model's view can be compared with the history, and a column can show another branch", async () => {
  const { page } = await viewer.open(sessionAddress(BRANCHED_ID));
  await page.locator(".turn-foot").first().waitFor();
  await page.keyboard.press("d");
  await page.getByRole("link", { name: "What the model sees" }).click();
  await expect.poll(() => summary(page)).toBe("All 4 turns show the same.");
  expect(await page.locator('.side-head.right [aria-pressed="true"]').innerText()).toBe(
    "As the model sees it",
  );
  await page.locator(".side-head.left select").selectOption(OTHER_END);
  await expect.poll(() => summary(page)).toBe("Turns: 2 the same, 1 different, 1 only on the right");
  await page.context().close();
});

test("a narrow screen shows one column, a switch shows the other one, and most of the screen is for reading", async () => {
  const { page } = await viewer.open(BRANCHES, { width: 360, height: 640 });
  await page.getByText("Oolong draws 200 seconds now").waitFor();
  expect(await page.getByText("Oolong draws 180 seconds now").isVisible()).toBe(false);
  await page.getByRole("button", { name: "Right" }).click();
  await page.getByText("Oolong draws 180 seconds now").waitFor();
  expect(await page.getByText("Oolong draws 200 seconds now").isVisible()).toBe(false);
  const { clientHeight, scrollWidth } = await page
    .locator("main")
    .evaluate(({ clientHeight, scrollWidth }) => ({ clientHeight, scrollWidth }));
  expect(clientHeight).toBeGreaterThan(640 * 0.6);
  expect(scrollWidth).toBeLessThanOrEqual(360);
  expect(await violations(page)).toEqual([]);
  await page.context().close();
});

test("a hostile session can do nothing in two columns", async () => {
  const path = `/compare/${keyOf(HOSTILE_ID)}/${keyOf(AGAIN_ID)}`;
  const { page, errors, requests } = await viewer.open(path);
  const count = attacksOn("").length;
  await expect.poll(() => summary(page)).toContain("only on the left");
  for (let row = 1; row <= count; row += 3) {
    await page.evaluate(`location.hash = "#${path}/at/${row}"`);
    await page.locator('.compare-row[aria-current="true"] .turn-foot').first().waitFor();
    await checkContent(page, ["section"]);
  }
  expect(errors).toEqual([]);
  expect(await page.title()).not.toBe("owned");
  expect(offTheServer(requests, viewer.machine.url)).toEqual([]);
  await page.context().close();
});
