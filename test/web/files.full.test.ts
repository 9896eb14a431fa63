/** The files of a session in a real browser: the net change, in one column and in two. */

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claudeFile, claudeText, createHome } from "../cli/home.ts";
import type { Line } from "../hostile/hostile-session.ts";
import { violations } from "./axe.ts";
import { sessionAddress } from "./long-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

const ID = "4bf3eeee-0000-4000-8000-00000000000f";
const FILE = "/home/ann/app/src/brew.ts";

let viewer: OpenViewer;
beforeAll(async () => {
  const home = createHome();
  home.write(claudeFile(ID), claudeText(ID, lines()));
  viewer = await openViewer(home);
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

/** Returns three turns that change the same line, one after the other. */
function lines(): Line[] {
  const all: Line[] = [];
  const add = (role: Line["role"], content: unknown, more: object = {}): void => {
    const [uuid, parent] = [`f${all.length}`, all.at(-1)?.uuid ?? null];
    all.push({ uuid, parent, role, content, time: `10:00:${10 + all.length}`, ...more } as Line);
  };
  for (const [from, to] of [
    ["black: 200", "black: 210"],
    ["black: 210", "black: 220"],
    ["black: 220", "black: 240"],
  ] as const) {
    const id = `t${all.length}`;
    add("user", `Make it ${to}`);
    const input = { file_path: FILE, old_string: `  ${from},`, new_string: `  ${to},` };
    add("assistant", [{ type: "tool_use", id, name: "Edit", input }]);
    add("user", [{ type: "tool_result", tool_use_id: id, content: "done" }]);
  }
  return all;
}

const shown = (page: Page): Promise<readonly string[]> =>
  page.evaluate(
    `[...document.querySelectorAll(".diff > span")].map((one) => one.className + ":" + one.textContent.trim())`,
  );

test("the net change of three edits is one difference, also in two columns, and the address has both choices", async () => {
  const { page } = await viewer.open(`${sessionAddress(ID)}/files`);
  await page.waitForSelector(".diff");
  expect(await page.locator(".change-head").count()).toBe(3);
  await page.getByRole("button", { name: "Net result" }).click();
  await expect.poll(() => shown(page)).toEqual(["del:black: 200,", "ins:black: 240,"]);
  expect(await page.locator(".change-head").innerText()).toBe(
    "3 changes in 3 turns, as they are at the end\nTurn 3",
  );
  await page.getByRole("button", { name: "Side by side" }).click();
  await page.waitForSelector(".sides");
  const columns = page.locator(".sides .diff");
  expect(await columns.allInnerTexts()).toEqual(["  black: 200,\n", "  black: 240,\n"]);
  const tops = await columns
    .locator("span")
    .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
  expect(tops[0]).toBe(tops[1]);
  expect(page.url()).toContain("changes=net&columns=2");
  expect(await violations(page)).toEqual([]);
  await page.reload();
  await page.waitForSelector(".sides .diff");
  expect(await page.locator(".sides .diff").count()).toBe(2);
  await page.goBack();
  await page.waitForSelector(".diff");
  await expect.poll(() => page.locator(".sides").count()).toBe(0);
  await page.context().close();
});
