/** The trash in a real browser: its sessions can be read, restored and deleted for good. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SessionsPage } from "@continuo/core/wire/machine";
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

const isThere = (): boolean => existsSync(join(viewer.machine.home.path, claudeFile(CLAUDE_ID)));

async function deleted(key: string): Promise<void> {
  const path = `/v1/machine/sessions/${encodeURIComponent(key)}/delete`;
  expect((await viewer.machine.post(path)).status).toBe(200);
}

test("a deleted session can be read in the trash, and restored from its page and from the list", async () => {
  await deleted(`claude:${CLAUDE_ID}`);
  const { page, errors } = await viewer.open("/?shown=deleted");
  await page.locator(".row").first().waitFor();
  await page.locator(".restore").waitFor();
  expect(await page.locator(".row").count()).toBe(1);
  expect(await violations(page)).toEqual([]);
  await page.locator(".row").first().click();
  await page.locator(".row-question").first().waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await page.getByRole("button", { name: "Resume" }).count()).toBe(0);
  await page.locator(".read-only", { hasText: "The session is in the trash." }).waitFor();
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  expect(isThere()).toBe(true);
  expect(page.url()).toContain(encodeURIComponent(`claude:${CLAUDE_ID}`));
  await deleted(`claude:${CLAUDE_ID}`);
  await page.goto(`${new URL(page.url()).origin}/#/?shown=deleted`);
  await page.locator(".restore").click();
  await page.getByText("The trash is empty.").waitFor();
  expect(isThere()).toBe(true);
  expect(errors).toEqual([]);
  await page.context().close();
});

test("a page that only reads shows deleted sessions, and can neither restore one nor empty the trash", async () => {
  await deleted(`claude:${CLAUDE_ID}`);
  const { page, errors } = await viewer.open("/?shown=deleted", { access: "read" });
  await page
    .locator(".trash-bar", { hasText: "Deleted sessions can be read. This page may only read." })
    .waitFor();
  expect(await page.locator(".row").count()).toBe(1);
  expect(await page.getByRole("button", { name: /Restore|Empty the trash/u }).count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await page.locator(".row").first().click();
  await page.locator(".row-question").first().waitFor();
  await page.getByText("In the trash").waitFor();
  expect(await page.getByRole("button", { name: "Restore" }).count()).toBe(0);
  expect(errors).toEqual([]);
  await page.context().close();
  const { sessions }: SessionsPage = await viewer.machine.json("/v1/machine/sessions?deleted=only");
  expect((await viewer.machine.post(`/v1/machine/trash/${sessions[0]?.trashId}/restore`)).status).toBe(200);
});

test("the trash is emptied only after a second question", async () => {
  await deleted(`claude:${CLAUDE_ID}`);
  await deleted(`codex:${CODEX_ID}`);
  const { page } = await viewer.open("/?shown=deleted");
  await expect.poll(() => page.locator(".restore").count()).toBe(2);
  const begin = page.getByRole("button", { name: "Empty the trash…" });
  await begin.click();
  await page.getByRole("button", { name: "Cancel" }).click();
  expect(await page.locator(".restore").count()).toBe(2);
  await begin.click();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Delete them for good" }).click();
  await page.getByText("The trash is empty.").waitFor();
  expect(await viewer.machine.json("/v1/machine/sessions?deleted=only")).toMatchObject({ total: 0 });
  await page.context().close();
});
