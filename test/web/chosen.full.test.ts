/** Several selected sessions in a real browser: pinned, tagged, exported, deleted and restored. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLAUDE_ID, CODEX_ID, claudeFile } from "../cli/home.ts";
import { violations } from "./axe.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";
import { sampleHome } from "./sample-home.ts";

let viewer: OpenViewer;
beforeAll(async () => {
  viewer = await openViewer(sampleHome());
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

const boxOf = (page: Page, id: string) =>
  page.locator(".line.session", { has: page.locator(`a[href*="${id}"]`) }).locator(".choose");
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

test("sessions can be selected by keys, pinned and tagged, and an address shows only these sessions", async () => {
  const { page, errors } = await viewer.open("/");
  await page.waitForSelector(".row");
  // The first scan of the server's sessions may still run.
  await page.locator('[aria-busy="true"]').waitFor({ state: "detached" });
  for (const count of ["1 session selected", "2 sessions selected"]) {
    for (const key of ["j", "x"]) await page.keyboard.press(key);
    await page.getByText(count).waitFor();
  }
  const first = await page.locator(".row .title").first().innerText();
  expect(await violations(page)).toEqual([]);
  await button(page, "Pin").press("Enter");
  await page.getByText("2 sessions pinned.").waitFor();
  await page.locator("h2", { hasText: "Pinned" }).waitFor();
  await button(page, "Tags…").press("Enter");
  expect(await violations(page)).toEqual([]);
  await page.keyboard.type("Tea later");
  await page.keyboard.press("Enter");
  await page.getByText("The tags of 2 sessions are changed.").waitFor();
  expect(await page.locator(".row").first().locator(".tag").allInnerTexts()).toEqual(["#later", "#tea"]);
  await page.keyboard.press("Escape");
  expect(await page.locator(".chosen-bar").count()).toBe(0);
  await button(page, /^#tea/u).click();
  await expect.poll(() => page.locator(".row").count()).toBe(2);
  expect(new URL(page.url()).hash).toBe("#/?tags=tea");
  await page.reload();
  await expect.poll(() => page.locator(".row").count()).toBe(2);
  expect(await page.locator(".row .title").first().innerText()).toContain(first.split("\n")[0]);
  expect(await violations(page)).toEqual([]);
  await page.goBack();
  await expect.poll(() => page.locator(".row").count()).toBeGreaterThan(2);
  // All marks are removed again.
  await button(page, "Select").click();
  await button(page, /^All \d+ shown/u).click();
  await button(page, "Tags…").click();
  await button(page, "Remove #tea").click();
  await page.getByText(/The tags of \d+ sessions are changed/u).waitFor();
  expect(await page.locator(".tag", { hasText: "#tea" }).count()).toBe(0);
  expect(errors).toEqual([]);
  await page.context().close();
});

test("selected sessions move to the trash after one question, and one button restores them", async () => {
  const { page, errors } = await viewer.open("/");
  await page.waitForSelector(".row");
  const file = join(viewer.machine.home.path, claudeFile(CLAUDE_ID));
  await button(page, "Select").click();
  await boxOf(page, CLAUDE_ID).check();
  await boxOf(page, CODEX_ID).check();
  await button(page, "Delete…").click();
  expect(await violations(page)).toEqual([]);
  await button(page, "Cancel").click();
  expect(existsSync(file)).toBe(true);
  await button(page, "Delete…").click();
  await button(page, "Move 2 sessions").click();
  await page.getByText("2 sessions moved to the trash.").waitFor();
  expect(existsSync(file)).toBe(false);
  await page.getByText("0 sessions selected").waitFor();
  await button(page, "Undo").click();
  await page.getByText("2 sessions restored.").waitFor();
  expect(existsSync(file)).toBe(true);
  await boxOf(page, CLAUDE_ID).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

test("selected sessions are exported as one archive, also on a page that only reads, which has no other action", async () => {
  const { page, errors } = await viewer.open("/", { access: "read" });
  await page.waitForSelector(".row");
  await button(page, "Select").click();
  await page.getByText("This page may only read.").waitFor();
  await boxOf(page, CLAUDE_ID).check();
  await boxOf(page, CODEX_ID).check();
  const bar = page.locator(".chosen-bar");
  expect(await bar.getByRole("button", { name: /Pin|Tags|Delete/u }).count()).toBe(0);
  await button(page, "Export…").click();
  expect(await violations(page)).toEqual([]);
  const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Markdown").click()]);
  expect(download.suggestedFilename()).toBe("sessions.zip");
  const bytes = Buffer.concat(await Array.fromAsync(await download.createReadStream()));
  // Each name is before its file, and in the list at the end.
  const names = new Set(bytes.toString("latin1").match(/(?:claude|codex)-[\w-]+\.md/gu));
  expect([...names].sort()).toEqual([`claude-${CLAUDE_ID}.md`, `codex-${CODEX_ID}.md`]);
  expect(errors).toEqual([]);
  await page.context().close();
});

test("a session can be pinned and tagged on its page", async () => {
  const { page, errors } = await viewer.open(`/session/${encodeURIComponent(`codex:${CODEX_ID}`)}`);
  await page.locator(".menu summary").click();
  await button(page, "Pin, and tags…").click();
  await page.getByRole("checkbox", { name: /^Pinned/u }).check();
  await page.getByLabel("Tags", { exact: true }).fill("green");
  await page.keyboard.press("Enter");
  await button(page, "Remove #green").waitFor();
  expect(await violations(page)).toEqual([]);
  const { sessions } = await viewer.machine.json("/v1/machine/sessions?tag=green&pinned=only");
  expect(sessions).toMatchObject([{ sessionId: CODEX_ID }]);
  await button(page, "Remove #green").click();
  await expect.poll(() => button(page, "Remove #green").count()).toBe(0);
  expect(errors).toEqual([]);
  await page.context().close();
});
