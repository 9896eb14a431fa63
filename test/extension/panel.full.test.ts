/** The side panel in Chromium: notes, what people do with them, back-pressure, and accessibility in both themes. */

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { keysOf, openSite, openViewer, play, serve, type Viewer } from "./harness.ts";

const PICTURES: string = join(import.meta.dirname, "../../node_modules/.cache/extension-pictures");
const AXE: string = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** In both themes and at both widths, with a picture of each. */
async function checkPanel(panel: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  const session = await panel.context().newCDPSession(panel);
  for (const colorScheme of ["light", "dark"] as const) {
    await panel.emulateMedia({ colorScheme });
    for (const width of [320, 600]) {
      await panel.setViewportSize({ width, height: 700 });
      await panel.screenshot({ path: join(PICTURES, `${name}-${colorScheme}-${width}.png`) });
    }
    await session.send("Runtime.evaluate", { expression: AXE });
    const { result } = await session.send("Runtime.evaluate", {
      expression: `axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }).then((found) => JSON.stringify(found.violations))`,
      awaitPromise: true,
    });
    const violations = JSON.parse(String(result.value)) as readonly Violation[];
    expect(violations.map(({ id, nodes }) => `${name}: ${id}: ${nodes[0]?.html}`)).toEqual([]);
  }
}

async function badges(viewer: Viewer): Promise<unknown> {
  const worker = await viewer.worker();
  return await worker.evaluate(`(async () => {
    const tabs = await chrome.tabs.query({});
    return await Promise.all(tabs.map(({ id }) => chrome.action.getBadgeText({ tabId: id })));
  })()`);
}

test("the panel shows notes with evidence, edits one, takes remarks, and pauses under load", async () => {
  await using site = await openSite();
  await using served = await serve();
  await using viewer = await openViewer(site, served);
  const panel = await viewer.panel();
  await panel.getByText("Open a page with a video").waitFor();
  await checkPanel(panel, "empty");
  const page = await viewer.context.newPage();
  await page.goto(site.url);
  await expect.poll(() => keysOf(served)).toHaveLength(1);
  const [key = ""] = await keysOf(served);
  await play(page, { fromMs: 0, toMs: 7_000 });
  await panel.getByLabel("Remark or question").fill("The hill looks like home.");
  await panel.getByRole("button", { name: "Add remark" }).click();
  await expect.poll(async () => (await served.events(key)).map(({ type }) => type)).toContain("remark_added");
  await panel.locator(".note").first().waitFor();
  await panel.locator("summary").first().click();
  await panel.locator(".note").first().getByRole("button", { name: "Edit" }).click();
  await panel.getByLabel("Text of the note").fill("A day at the harbour begins.");
  await panel.getByRole("button", { name: "Save" }).click();
  await panel.getByText("A day at the harbour begins.").waitFor();
  await checkPanel(panel, "notes");
  await panel.locator(".note .time").first().click();
  await expect.poll(() => page.evaluate(`document.querySelector("video").currentTime`)).toBeLessThan(5);

  const flood = Array.from({ length: 120 }, (_, n) => ({
    type: "transcript_added",
    text: `word ${n}`,
    mediaTimeMs: n,
  }));
  const headers = { authorization: `Bearer ${served.token}`, "content-type": "application/json" };
  await fetch(`${served.url}/v1/live/${encodeURIComponent(key)}/evidence`, {
    method: "POST",
    headers,
    body: JSON.stringify({ producerId: "flood", epoch: 0, sequence: 0, evidence: flood }),
  });
  await expect.poll(() => badges(viewer), { interval: 50 }).toContain("⏸");
  await checkPanel(panel, "busy");
  await expect.poll(() => badges(viewer)).not.toContain("⏸");
  await panel.getByRole("button", { name: "Sessions" }).click();
  await panel.getByText("A day at the harbour").first().waitFor();
  await checkPanel(panel, "sessions");
  await panel.getByRole("button", { name: "Settings" }).click();
  await checkPanel(panel, "settings");
});
