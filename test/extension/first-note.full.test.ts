/**
 * From a clean profile to the first good note in three steps, each with a picture: the extension is installed, its
 * button opens the panel, and *Connect* leads to one button of the server. Nothing else is set up, and there is no
 * model.
 */

import { expect, test } from "vitest";
import { CAPTIONS, openSite, openViewer, play } from "./harness.ts";
import { checkPanel, picture } from "./pictures.ts";
import { EXTENSION_ID, keysOf, serve } from "./served.ts";

test("a clean profile has its first good note after three steps", async () => {
  await using site = await openSite();
  await using served = await serve({ extension: "asked" });
  // A test cannot answer the browser's dialog about the site, so the permission is already granted.
  await using viewer = await openViewer(site, served, { setUp: "unconnected" });
  await viewer.ask(`chrome.storage.local.set({ settings: { serverUrl: ${JSON.stringify(served.url)} } })`);

  const installed = await viewer.context.newPage();
  await installed.goto("chrome://extensions");
  await installed.getByText("Continuo", { exact: true }).first().waitFor();
  await picture(installed, "step-1-installed");
  await installed.close();

  const page = await viewer.context.newPage();
  await page.goto(site.url);
  const panel = await viewer.panel();
  const connect = panel.getByRole("button", { name: "Connect", exact: true });
  await connect.waitFor();
  await checkPanel(panel, "step-2-panel");

  const opened = viewer.context.waitForEvent("page");
  await connect.click();
  const grant = await opened;
  await grant.getByText(EXTENSION_ID).waitFor();
  await picture(grant, "step-3-grant");
  await grant.getByRole("button", { name: "Connect", exact: true }).click();
  await expect.poll(() => keysOf(served)).toHaveLength(1);

  const [key = ""] = await keysOf(served);
  await page.bringToFront();
  await play(page, { fromMs: 0, toMs: 15_000, rate: 1 });
  const note = panel.locator(".note").first();
  await note.waitFor();
  await panel.bringToFront();
  await checkPanel(panel, "first-note");

  // A good note consists of whole spoken sentences, and has the time at which the first of them begins.
  const [first] = await served.notes(key);
  const said = CAPTIONS.findIndex((caption) => first?.text.startsWith(caption));
  expect(said).toBeGreaterThanOrEqual(0);
  expect(first?.text).toMatch(/[.!?]$/u);
  expect(Math.abs((first?.startMs ?? 0) - said * 2_000)).toBeLessThanOrEqual(1_000);
  await note.locator(".time").click();
  await expect
    .poll(async () =>
      Math.abs(Number(await page.evaluate(`document.querySelector("video").currentTime`)) - said * 2),
    )
    .toBeLessThanOrEqual(1);
});
