/**
 * The first minutes: nothing is allowed yet, a person grants access on a page of the server, and the panel reports
 * failures.
 */

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openSite, openViewer, play, type Viewer } from "./harness.ts";
import { checkPanel, picture } from "./pictures.ts";
import { EXTENSION_ID, keysOf, serve, textsOf } from "./served.ts";

/** The panel of an extension that was just installed, with a server at an address. */
async function newPanel(viewer: Viewer, serverUrl: string): Promise<Page> {
  await viewer.ask(`chrome.storage.local.set({ settings: { serverUrl: ${JSON.stringify(serverUrl)} } })`);
  const panel = await viewer.panel();
  await panel.getByRole("heading", { name: "Connect to Continuo" }).waitFor();
  return panel;
}

const pressConnect = (page: Page): Promise<void> =>
  page.getByRole("button", { name: "Connect", exact: true }).click();

/** Presses Connect in the panel and returns the page of the server that opens. */
async function openGrant(viewer: Viewer, panel: Page): Promise<Page> {
  const opened = viewer.context.waitForEvent("page");
  await pressConnect(panel);
  const page = await opened;
  await page.getByRole("heading", { name: "Connect this browser to Continuo?" }).waitFor();
  return page;
}

test("three steps connect the extension: its button, Connect, and one button of the server, which remembers it", async () => {
  await using site = await openSite();
  await using served = await serve({ extension: "asked" });
  await using viewer = await openViewer(site, served, { setUp: "unconnected" });
  const panel = await newPanel(viewer, served.url);
  await checkPanel(panel, "first");
  const grant = await openGrant(viewer, panel);
  await grant.getByText(EXTENSION_ID).waitFor();
  await picture(grant, "grant");
  await pressConnect(grant);
  await panel.getByText("Open a page with a video").waitFor();
  await expect.poll(() => grant.isClosed()).toBe(true);
  expect(await served.run("token", "list")).toMatch(
    new RegExp(`active .*extension chrome-extension://${EXTENSION_ID} +live:\\*:read,write`, "u"),
  );
  const page = await viewer.context.newPage();
  await page.goto(site.url);
  await expect.poll(() => keysOf(served)).toHaveLength(1);

  // After a restart of the server and of the browser, no further step is needed.
  await served.kill();
  await served.restart();
  await viewer.restart();
  const again = await viewer.context.newPage();
  await again.goto(site.url);
  await play(again, { fromMs: 0, toMs: 2_500 });
  const [key = ""] = (await keysOf(served)).slice(-1);
  await expect.poll(async () => textsOf(await served.events(key)).length).toBeGreaterThan(0);
});

test("no website can open, frame or click the page that grants access, and a click right after it opens does not count", async () => {
  await using site = await openSite();
  await using served = await serve({ extension: "asked" });
  await using viewer = await openViewer(site, served, { setUp: "unconnected" });
  const panel = await newPanel(viewer, served.url);
  const grant = await openGrant(viewer, panel);
  const url = grant.url();
  await grant.addInitScript(
    `addEventListener("DOMContentLoaded", () => { globalThis.first = document.querySelector("#grant").disabled; })`,
  );
  await grant.reload();
  expect(await grant.evaluate("globalThis.first")).toBe(true);
  site.pages.set("/evil", `<!doctype html><iframe src="${url}"></iframe>`);
  const evil = await viewer.context.newPage();
  await evil.goto(`${site.url}/evil`);
  await expect.poll(() => evil.frames().length).toBe(2);
  expect(
    await evil
      .frames()[1]
      ?.locator("#grant")
      .count()
      .catch(() => 0),
  ).toBe(0);
  const opened = viewer.context.waitForEvent("page");
  await evil.evaluate(`void window.open(${JSON.stringify(url)})`);
  const popup = await opened;
  await popup.getByText("a page of another site cannot open this page").waitFor();
  // A click that another page causes does not count as the person's.
  await grant.bringToFront();
  await grant.locator("#grant:enabled").waitFor();
  await grant.evaluate(`document.querySelector("#grant").click()`);
  await panel.bringToFront();
  await panel.getByText("Press Connect on the page that opened.").waitFor();
  await grant.bringToFront();
  await grant.getByRole("button", { name: "Refuse" }).click();
  await panel.getByText("You refused the extension").waitFor();
});

test("a wrong server, a missing server, a wrong token and a revoked token are reported at once, each with its remedy", async () => {
  await using site = await openSite();
  await using served = await serve();
  await using viewer = await openViewer(site, served, { setUp: "unconnected" });
  const panel = await newPanel(viewer, "http://127.0.0.1:9");
  await pressConnect(panel);
  await panel.getByText("No Continuo server answers at http://127.0.0.1:9.").waitFor();
  await panel.getByText("continuo serve").last().waitFor();
  await checkPanel(panel, "no-server");
  await panel.close();
  const other = await newPanel(viewer, site.url);
  await pressConnect(other);
  await other.getByText(`The program at ${site.url} is not a Continuo server`).waitFor();
  await other.getByText("Another server, or a token that you have").click();
  await other.getByLabel("Server", { exact: true }).fill(served.url);
  await other.getByLabel("Token").fill(`${served.token}x`);
  await other.getByRole("button", { name: "Use this token" }).click();
  await other.getByText("The server does not know the token").waitFor();
  expect(await other.getByRole("alert").count()).toBe(1);
  await checkPanel(other, "wrong-token");
  await other.getByLabel("Token").fill(served.token);
  await other.getByRole("button", { name: "Use this token" }).click();
  await other.getByText("Open a page with a video").waitFor();
  const id = /^(\S+) +active .*live:\*:read,write$/mu.exec(await served.run("token", "list"))?.[1] ?? "";
  await served.run("token", "revoke", id);
  await other.close();
  const last = await viewer.panel();
  await last.getByText("The server does not know the token").waitFor();
  await last.getByRole("button", { name: "Connect again" }).click();
  await last.getByRole("heading", { name: "Connect to Continuo" }).waitFor();
});

test("if the versions do not match, the panel shows the command that corrects this, whichever side is older", async () => {
  await using site = await openSite();
  await using served = await serve();
  await using viewer = await openViewer(site, served, { setUp: "unconnected" });
  const panel = await newPanel(viewer, served.url);
  // The two sides notice another version only by another protocol number in the request or in the answer.
  const route = "**/v1/extension/requests";
  const asked = async (by: number): Promise<void> => {
    await panel.unroute(route);
    await panel.route(route, async (call) => {
      const body = call.request().postDataJSON() as { readonly protocol: number };
      await call.continue({ postData: JSON.stringify({ ...body, protocol: body.protocol + by }) });
    });
    await pressConnect(panel);
  };
  await asked(-1);
  await panel.getByText(/does not fit version [\w.+-]+ of the server/u).waitFor();
  await panel.getByText("continuo extension").waitFor();
  await checkPanel(panel, "old-extension");
  await asked(1);
  await panel.getByText("npm install --global continuo@latest").waitFor();
  await panel.unroute(route);
  await panel.route(route, async (call) => {
    const response = await call.fetch();
    await call.fulfill({ response, json: { ...(await response.json()), protocol: 0 } });
  });
  await pressConnect(panel);
  await panel
    .getByText("the server is of a version that does not fit this extension", { exact: false })
    .waitFor();
  await panel.getByText("npm install --global continuo@latest").waitFor();
});

test("without permission no part of a site is read, even when a server is connected", async () => {
  await using site = await openSite();
  await using served = await serve();
  await using viewer = await openViewer(site, served, { setUp: "asked" });
  const { url: serverUrl, token } = served;
  await viewer.ask(`chrome.storage.local.set({ settings: ${JSON.stringify({ serverUrl, token })} })`);
  const page = await viewer.context.newPage();
  await page.goto(site.url);
  await page.evaluate(`document.querySelector("video").play()`);
  expect(await viewer.ask(`chrome.permissions.getAll().then(({ origins }) => origins)`)).toEqual([]);
  expect(await viewer.ask(`chrome.scripting.getRegisteredContentScripts()`)).toEqual([]);
  const injected = await viewer.ask(
    `chrome.tabs.query({ active: true }).then(([{ id }]) => chrome.scripting.executeScript({ target: { tabId: id }, func: () => 1 })).then(() => "read", () => "refused")`,
  );
  expect([injected, await keysOf(served)]).toEqual(["refused", []]);
});
