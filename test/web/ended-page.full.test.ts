/** A page in a browser whose token was revoked or has expired: nothing that it showed is left. */

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLAUDE_ID, createHome, writeSessions } from "../cli/home.ts";
import { codeFor } from "../server/harness/open-page.ts";
import { sessionAddress } from "./long-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

let viewer: OpenViewer;
beforeAll(async () => {
  const home = createHome();
  writeSessions(home);
  viewer = await openViewer(home);
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

const SCOPES = ["machine:read,write", "channel:*:read,write"];

/** A page with its own token that shows a session. */
async function openWith(token: string): Promise<Page> {
  const { url } = viewer.machine;
  const context = await viewer.browser.newContext();
  const page = await context.newPage();
  await page.goto(
    `${url}/#code=${encodeURIComponent(await codeFor(url, token))}${sessionAddress(CLAUDE_ID)}`,
  );
  await page.locator("main .asked").first().waitFor();
  return page;
}

/** The texts of the page: of its document, of its title, and of the storages of the browser. */
async function textsOf(page: Page): Promise<readonly string[]> {
  return await page.evaluate(`(async () => [
    document.documentElement.outerHTML,
    document.title,
    JSON.stringify(Object.entries(localStorage)),
    JSON.stringify(Object.entries(sessionStorage)),
    JSON.stringify(await indexedDB.databases()),
    JSON.stringify(await (globalThis.caches?.keys() ?? [])),
    document.cookie,
  ])()`);
}

async function expectEmptied(page: Page, shown: readonly string[]): Promise<void> {
  await page.locator("main .asked").first().waitFor({ state: "detached", timeout: 20_000 });
  const left = (await textsOf(page)).join("\n");
  for (const text of shown) expect(left).not.toContain(text);
  expect(left).not.toContain("continuo_");
  await page.reload();
  await page.getByRole("heading", { name: "Open this page again" }).waitFor();
  for (const text of shown) expect((await textsOf(page)).join("\n")).not.toContain(text);
}

async function shownBy(page: Page): Promise<readonly string[]> {
  const asked = await page.locator("main .asked").allInnerTexts();
  const texts = asked.map((text) => text.trim()).filter((text) => text.length > 5);
  expect(texts.length).toBeGreaterThan(0);
  return texts;
}

test("a page is empty soon after its token was revoked, and its browser stores nothing of it", {
  timeout: 60_000,
}, async () => {
  const { store } = viewer.machine;
  const token = await store.createToken({ scopes: SCOPES, anyHandle: true, issuedFrom: "loopback" });
  const page = await openWith(token.secret);
  const shown = await shownBy(page);
  expect((await textsOf(page)).join("\n")).toContain(shown[0]);
  await store.revokeToken(token.tokenId);
  await expectEmptied(page, shown);
  await page.context().close();
});

test("a page is empty soon after its token has expired", { timeout: 60_000 }, async () => {
  const { store } = viewer.machine;
  const expiresAt = new Date(Date.now() + 8_000).toISOString();
  const token = await store.createToken({
    scopes: SCOPES,
    anyHandle: true,
    issuedFrom: "loopback",
    expiresAt,
  });
  const page = await openWith(token.secret);
  await expectEmptied(page, await shownBy(page));
  await page.context().close();
});

test("a page that is signed in stores only the secret of its tab and the choices of its user, and no content", {
  timeout: 60_000,
}, async () => {
  const page = await openWith(await viewer.machine.token(SCOPES));
  const shown = await shownBy(page);
  const [, , local = "", session = "", databases, caches, cookie] = await textsOf(page);
  const names = [...JSON.parse(local), ...JSON.parse(session)].map(([name]: [string]) => name);
  expect(
    names.filter(
      (name) => !["continuo-theme", "continuo-name", "continuo-pass", "continuo-tab"].includes(name),
    ),
  ).toEqual([]);
  expect(names).toContain("continuo-pass");
  expect([databases, caches, cookie]).toEqual(["[]", "[]", ""]);
  for (const text of shown) expect(`${local}${session}`).not.toContain(text);
  await page.context().close();
});
