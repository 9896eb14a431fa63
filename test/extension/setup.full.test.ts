/** The first minutes: nothing is allowed, the token is entered once, and what the panel says meanwhile. */

import { expect, test } from "vitest";
import { openSite, openViewer } from "./harness.ts";
import { checkPanel } from "./pictures.ts";
import { keysOf, serve } from "./served.ts";

test("without permission nothing of a site is read; the token is entered once and stays over a restart", async () => {
  await using site = await openSite();
  await using served = await serve();
  await using viewer = await openViewer(site, served, { setUp: "asked" });
  const panel = await viewer.panel();
  await panel.getByText("Connect to your server").waitFor();
  await checkPanel(panel, "first");
  await panel.getByLabel("Server", { exact: true }).fill(served.url);
  await panel.getByLabel("Token").fill(served.token);
  await panel.getByRole("button", { name: "Connect" }).click();
  await panel.getByText("Open a page with a video").waitFor();
  const page = await viewer.context.newPage();
  await page.goto(site.url);
  await page.evaluate(`document.querySelector("video").play()`);
  expect(await viewer.ask(`chrome.permissions.getAll().then(({ origins }) => origins)`)).toEqual([]);
  expect(await viewer.ask(`chrome.scripting.getRegisteredContentScripts()`)).toEqual([]);
  const injected = await viewer.ask(
    `chrome.tabs.query({ active: true }).then(([{ id }]) => chrome.scripting.executeScript({ target: { tabId: id }, func: () => 1 })).then(() => "read", () => "refused")`,
  );
  expect([injected, await keysOf(served)]).toEqual(["refused", []]);

  await viewer.restart();
  const again = await viewer.panel();
  await again.getByText("Open a page with a video").waitFor();
  expect(
    await viewer.ask(`chrome.storage.local.get("settings").then(({ settings }) => settings)`),
  ).toMatchObject({
    serverUrl: served.url,
    token: served.token,
  });
});
