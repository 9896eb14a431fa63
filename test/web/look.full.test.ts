/**
 * Compares the computed styles of the parts of the pages, in both themes and two widths, with `look.txt`, which a
 * reviewer can read. `pictures.full.test.ts` compares pixels; the tree of branches is tested only here.
 * `npx vitest run --project full --update=all FILE` writes `look.txt` again.
 */

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLAUDE_ID } from "../cli/home.ts";
import { sessionAddress } from "./long-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

let viewer: OpenViewer;
beforeAll(async () => {
  viewer = await openViewer();
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

/**
 * Properties that depend neither on the fonts of the machine, nor on the size of a text, nor on the version of
 * the browser.
 */
const PROPERTIES = [
  ...["color", "background-color", "border-top", "border-bottom", "border-radius", "box-shadow"],
  ...["position", "font-size", "font-weight", "padding", "gap", "text-decoration-line"],
];

const LIST = [
  ...["body", ".top", ".brand", ".top-link", ".filters", ".choice[aria-pressed=true]", "#find"],
  ...[".day h2", ".project h3", ".row", ".row .title", ".row .agent", ".row .time"],
];
const SESSION = [
  ...[".session-head", ".session-title h1", ".facts", ".tabs a[aria-current]", ".tabs a:not([aria-current])"],
  ...[".primary", ".menu summary", ".switches .quiet", ".rail", "#find-turn"],
  ...[
    ".question",
    ".question h2",
    ".said",
    ".prose",
    ".call-line",
    ".thinking-line",
    ".turn-foot",
    ".dock-body",
  ],
  ...[".branch-tree", ".branch-tree li li", ".branch-tree button", ".branch-tree button[aria-current] bdi"],
];

/** Values that most parts have, which are left out. */
const USUAL = /none|^(?:normal|0px|static|400|rgba\(0, 0, 0, 0\))$/u;

/** One line for each part; every part must exist. */
async function lookOf(page: Page, parts: readonly string[]): Promise<string> {
  const styles: readonly (readonly [string, readonly string[] | null])[] = await page.evaluate(
    `${JSON.stringify(parts)}.map((part) => {
      const one = document.querySelector(part);
      const style = one && getComputedStyle(one);
      return [part, style && ${JSON.stringify(PROPERTIES)}.map((name) => style.getPropertyValue(name))];
    })`,
  );
  expect(styles.filter(([, values]) => values === null)).toEqual([]);
  const lines = styles.map(([part, values]) => {
    const said = PROPERTIES.map((name, at) => [name, values?.[at] ?? ""] as const);
    return `${part} { ${said.flatMap(([name, value]) => (USUAL.test(value) ? [] : `${name}: ${value}`)).join("; ")} }`;
  });
  return lines.join("\n");
}

test("the list and a session have the recorded styles in both themes, on wide and narrow screens", async () => {
  const looks: string[] = [];
  for (const theme of ["light", "dark"] as const) {
    for (const width of [1280, 360]) {
      const { page } = await viewer.open("/", { theme, width });
      await page.waitForSelector(".row .title");
      looks.push(`# The list, ${theme}, ${width} px`, await lookOf(page, LIST), "");
      await page.evaluate(`location.hash = ${JSON.stringify(`#${sessionAddress(CLAUDE_ID)}`)}`);
      for (const part of [".turn-foot", ".dock-body", "#branches", ".thinking-line"]) {
        await page.waitForSelector(part, { state: "attached" });
      }
      await page.locator("#branches").click();
      await page.waitForSelector(".branch-tree [aria-current]");
      // The mouse points to no element.
      await page.mouse.move(0, 0);
      // A narrow screen has no room for the rail.
      const rail = width === 1280 ? [".turn-line[aria-current]"] : [];
      if (rail.length > 0) await page.waitForSelector(".turn-line[aria-current]");
      looks.push(`# A session, ${theme}, ${width} px`, await lookOf(page, [...SESSION, ...rail]), "");
      await page.context().close();
    }
  }
  await expect(looks.join("\n")).toMatchFileSnapshot("look.txt");
});
