/** In a browser: the facts of a session below its title, and the turns that wrote a file. */

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EditedHome, editedHome, FIRST_ID, LAST_ID } from "../search/edited-home.ts";
import { violations } from "./axe.ts";
import { sessionAddress } from "./long-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

let home: EditedHome;
let viewer: OpenViewer;
beforeAll(async () => {
  home = editedHome();
  viewer = await openViewer(home);
});
afterAll(async () => {
  await viewer[Symbol.asyncDispose]();
});

const hashOf = (page: Page): string => new URL(page.url()).hash;

test("a session shows its facts in one line, which can be unfolded, and each fact links to its turn", async () => {
  const { page, errors } = await viewer.open(sessionAddress(FIRST_ID));
  const line = page.locator(".facts-line");
  await line.waitFor();
  expect((await line.innerText()).replace(/\s+/gu, " ")).toBe("What happened: 1 file +4 −0 answered");
  await line.click();
  const panel = page.locator("#facts");
  await panel.waitFor();
  expect(await panel.locator("dt").allInnerTexts()).toEqual(["Asked", "Changed", "Ended"]);
  expect(hashOf(page)).toContain("facts=open");
  expect(await violations(page)).toEqual([]);
  await panel.getByRole("link", { name: "turn 1" }).first().click();
  await page.waitForURL((url) => url.hash.includes("/turn/1"));
  expect(hashOf(page)).toContain("facts=open");
  await page.reload();
  await panel.waitFor();
  await line.click();
  await panel.waitFor({ state: "detached" });
  expect(errors).toEqual([]);
});

test("the page of a changed file names the turns that wrote its lines, and each name links to its turn", async () => {
  const { page, errors } = await viewer.open(`${sessionAddress(FIRST_ID)}/files`);
  await page.getByRole("link", { name: "Who wrote each line" }).click();
  await page.locator(".blame-run").first().waitFor();
  const heads = await page.locator(".blame-head bdi").allInnerTexts();
  expect(heads).toEqual([
    "Check the times at the start",
    "Make a table of teas",
    "White tea takes five minutes, and black four",
    "Make a table of teas",
  ]);
  expect(await page.locator(".blame-hand").innerText()).toBe("Line 1: no session wrote it");
  expect(await page.locator("main").innerText()).not.toContain("Times of teas");
  expect(await violations(page)).toEqual([]);
  await page.locator(".blame-head a").nth(2).click();
  await page.waitForURL((url) => url.hash.includes(LAST_ID) && url.hash.includes("/turn/2"));
  expect(errors).toEqual([]);
});

test("the page of a missing file shows an error in which the search query is marked as code", async () => {
  const { page } = await viewer.open(`/files/${encodeURIComponent("/home/ann/gone/a\u202e.ts")}`);
  const alert = page.getByRole("alert");
  await alert.waitFor();
  expect(await alert.locator("code").first().innerText()).toMatch(/^file:/u);
  expect(await alert.innerText()).not.toMatch(/[`\u202e]/u);
  await page.context().close();
});
