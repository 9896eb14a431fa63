/** Pictures of the side panel, kept in `node_modules/.cache/extension-pictures` by each run, and its accessibility. */

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Viewer } from "./harness.ts";

const PICTURES: string = join(import.meta.dirname, "../../node_modules/.cache/extension-pictures");
const AXE: string = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** True if the newest sentence is visible at the end of the line. */
const SHOWS_NEWEST = `(() => {
  const line = document.querySelector("section.line");
  const newest = [...(line?.querySelectorAll("button") ?? [])].at(-1);
  return newest === undefined || newest.getBoundingClientRect().bottom <= line.getBoundingClientRect().bottom + 1;
})()`;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Takes pictures in both themes, at the size of the window. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(PICTURES, `${name}-${colorScheme}.png`) });
  }
}

/** Checks both themes at both widths, and takes a picture of each. */
export async function checkPanel(panel: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  const session = await panel.context().newCDPSession(panel);
  for (const colorScheme of ["light", "dark"] as const) {
    await panel.emulateMedia({ colorScheme });
    for (const width of [320, 800]) {
      await panel.setViewportSize({ width, height: 700 });
      // No element extends beyond the side of the panel.
      expect(await panel.evaluate("document.documentElement.scrollWidth"), name).toBeLessThanOrEqual(width);
      expect(await panel.evaluate(SHOWS_NEWEST), `${name} shows the newest sentence`).toBe(true);
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

/** Returns the text and the colour of the button's badge for each tab. */
export async function badges(
  viewer: Viewer,
): Promise<readonly { readonly text: string; readonly colour: readonly number[] }[]> {
  return (await viewer.ask(`(async () => {
    const tabs = await chrome.tabs.query({});
    return await Promise.all(tabs.map(async ({ id }) => ({
      text: await chrome.action.getBadgeText({ tabId: id }),
      colour: await chrome.action.getBadgeBackgroundColor({ tabId: id }),
    })));
  })()`)) as readonly { readonly text: string; readonly colour: readonly number[] }[];
}
