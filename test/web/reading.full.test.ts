/** Words and differences are readable on the screen, in forced colours, and on paper. */

import { cpSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { PNG } from "pngjs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claudeFile, claudeText, createHome } from "../cli/home.ts";
import type { Line } from "../hostile/hostile-session.ts";
import { violations } from "./axe.ts";
import { sessionAddress } from "./long-session.ts";
import { type OpenViewer, openViewer, type ViewerPage } from "./open-viewer.ts";

const READ_ID = "4bf3ad00-0000-4000-8000-0000000000d1";
const LONG_PROMPT_ID = "4bf3ad00-0000-4000-8000-0000000000d2";

/** Codex tells its model about permissions, modes and tools before the first question. */
const CODEX_SESSIONS = join(import.meta.dirname, "../fixtures/codex/plan-and-shell/home/sessions");
const CODEX_ID = "01a21a6c-bf62-7f71-80c7-28c7682b4209";

const PROMPT = `## The timer

Please **fix** the time of black tea, and tell me which of these is left:

- [x] green tea
- [ ] black tea

## The packet

It says four minutes: https://tea.example/black and [here](https://tea.example/packet).
`;

const LONG_PROMPT = Array.from(
  { length: 900 },
  (_, at) => `## Log ${at}\n\nThe **kettle** of ${at} boiled.\n\n`,
).join("");

const lines = (count: number, words: string): string =>
  Array.from({ length: count }, (_, at) => `const time${at} = ${words};`).join("\n");

const edit = (id: string, before: string, after: string) => ({
  type: "tool_use",
  id,
  name: "Edit",
  input: { file_path: `/home/ann/app/${id}.ts`, old_string: before, new_string: after },
});
const done = (id: string) => [{ type: "tool_result", tool_use_id: id, content: "done" }];

const ANSWER =
  "The file \u202egnp.exe\u202c is a picture, `\u202etxt.exe` is not.\n\n- [x] green\n- [ ] black";

const SAID: readonly (readonly [Line["role"], unknown])[] = [
  ["user", PROMPT],
  ["assistant", [{ type: "text", text: ANSWER }, edit("small", "let time = 200;", "let time = 240;")]],
  ["user", done("small")],
  ["assistant", [edit("large", lines(80, "200"), lines(80, "240"))]],
  ["user", done("large")],
  ["user", "Say **which** one"],
  ["assistant", [{ type: "text", text: "Black tea." }]],
];

function session(id: string, said: typeof SAID): string {
  const written = said.map(([role, content], at): Line => {
    const time = `10:00:${String(at).padStart(2, "0")}`;
    return { uuid: `u${at}`, parent: at === 0 ? null : `u${at - 1}`, role, content, time };
  });
  return claudeText(id, written);
}

let viewer: OpenViewer;
beforeAll(async () => {
  const home = createHome();
  home.write(claudeFile(READ_ID), session(READ_ID, SAID));
  home.write(
    claudeFile(LONG_PROMPT_ID),
    session(LONG_PROMPT_ID, [
      ["user", LONG_PROMPT],
      ["assistant", [{ type: "text", text: "All of them boiled." }]],
    ]),
  );
  cpSync(CODEX_SESSIONS, join(home.path, ".codex/sessions"), { recursive: true });
  viewer = await openViewer(home);
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

async function open(id: string, part = ""): Promise<ViewerPage> {
  const opened = await viewer.open(`${sessionAddress(id)}${part}`);
  await opened.page.waitForSelector(part === "/files" ? ".file-changes .diff" : ".asked .text p");
  return opened;
}

/** The positions of the headings of the first prompt from its top, and the weight of its words. */
function promptOf(page: Page): Promise<{ tops: number[]; lefts: number[]; weights: string[] }> {
  return page.evaluate(`(() => {
    const asked = document.querySelector(".asked");
    const from = asked.getBoundingClientRect();
    const headings = [...asked.querySelectorAll("h2")].map((one) => one.getBoundingClientRect());
    return {
      tops: headings.map(({ top }) => top - from.top),
      lefts: headings.map(({ left }) => left - from.left),
      weights: ["p", "strong"].map((name) => getComputedStyle(asked.querySelector(name)).fontWeight),
    };
  })()`);
}

test("a prompt, even one of 32,768 characters or more, has its headings in their places and words of normal weight", async () => {
  expect(LONG_PROMPT.length).toBeGreaterThan(32_768);
  for (const id of [READ_ID, LONG_PROMPT_ID]) {
    const { page } = await open(id, "/turn/1");
    const { tops, lefts, weights } = await promptOf(page);
    expect(tops.length).toBeGreaterThan(1);
    expect(tops[0]).toBeLessThan(8);
    expect([...tops].sort((a, b) => a - b)).toEqual(tops);
    expect(new Set(tops).size).toBe(tops.length);
    expect(new Set(lefts)).toEqual(new Set([0]));
    expect(weights).toEqual(["400", "700"]);
    await page.context().close();
  }
});

test("a title is the words of its prompt without their Markdown, in the list, the session, the rail and the heading", async () => {
  const { page } = await open(READ_ID, "/turn/1");
  const words = /^The timer Please fix the time of black tea/u;
  await page.getByRole("heading", { level: 1, name: words }).waitFor();
  await page.getByRole("link", { name: /^1 ?The timer Please fix the time/u }).waitFor();
  await page.getByRole("heading", { level: 2, name: /^Turn 1 ?: The timer Please fix the time/u }).waitFor();
  expect(await page.title()).toMatch(words);
  await page.keyboard.press("u");
  await page.locator(".row .title", { hasText: words }).waitFor();
  await page.context().close();
});

test("context that a program injected before the first question is one line of the first turn", async () => {
  const { page } = await viewer.open(`/session/${encodeURIComponent(`codex:${CODEX_ID}`)}/turn/1`);
  await page.locator(".asked", { hasText: "Plan the fix." }).waitFor();
  const lines = page.locator(".whole-row.injected");
  const [first, question] = [lines.first(), page.locator(".question").first()];
  expect(await first.innerText()).toMatch(
    /^Injected for the model\s+Permissions instructions: .*Collaboration mode/u,
  );
  expect((await first.boundingBox())?.y).toBeLessThan((await question.boundingBox())?.y ?? 0);
  const before = await page.evaluate(`(() => {
    const rows = [...document.querySelectorAll(".turns .line")];
    const asked = rows.findIndex((row) => row.matches(".row-question"));
    return rows.slice(0, asked).map((row) => row.className);
  })()`);
  expect(before).toEqual(["line row-whole"]);
  expect(await page.getByText("Without a question").count()).toBe(0);
  await page.context().close();
});

test("a short prompt has normal weight too, so that its bold words are visible", async () => {
  const { page } = await open(READ_ID);
  const weights = await page.evaluate(
    `["p", "strong"].map((name) => getComputedStyle(document.querySelector(".asked.short " + name)).fontWeight)`,
  );
  expect(weights).toEqual(["400", "700"]);
  await page.context().close();
});

test("overrides of the text direction are spelled out, links open in another tab, and checkboxes of tasks have names", async () => {
  const { page } = await open(READ_ID);
  const said = page.locator(".said").first();
  expect(await said.innerText()).toContain("The file <U+202E>gnp.exe<U+202C> is a picture, <U+202E>txt.exe");
  const links = page.locator(".asked a");
  expect(await links.count()).toBe(2);
  for (const link of await links.all()) {
    expect(await link.getAttribute("target")).toBe("_blank");
    expect(await link.getAttribute("rel")).toContain("noopener");
  }
  expect(await page.getByRole("checkbox", { name: "done" }).count()).toBe(2);
  expect(await page.getByRole("checkbox", { name: "to do" }).count()).toBe(2);
  expect(await violations(page)).toEqual([]);
  await page.context().close();
});

/** The highest column of dark pixels, without those of the border. */
function tallestDark({ width, height, data }: PNG): number {
  let tallest = 0;
  for (let x = 4; x < width - 4; x++) {
    let run = 0;
    for (let y = 4; y < height - 4; y++) {
      run = (data[(y * width + x) * 4] ?? 0) < 128 ? run + 1 : 0;
      tallest = Math.max(tallest, run);
    }
  }
  return tallest;
}

test("in forced colours, code and differences are dark on light, and changed words are underlined", async () => {
  const { page } = await open(READ_ID);
  await page.emulateMedia({ forcedColors: "active" });
  await page.waitForFunction(`CSS.highlights.has("word-ins") && CSS.highlights.has("code-number")`);
  const picture = PNG.sync.read(await page.locator("pre.diff").first().screenshot());
  const tallest = tallestDark(picture);
  // A letter is ten pixels high, and a block behind it is as high as the line.
  expect(tallest).toBeGreaterThan(5);
  expect(tallest).toBeLessThan(14);
  const underline = `getComputedStyle(document.querySelector("pre.diff .ins"), "::highlight(word-ins)").textDecorationLine`;
  expect(await page.evaluate(underline)).toBe("underline");
  await page.context().close();
});

/** The number of pixels that are cut from each difference. */
function cutDifferences(page: Page): Promise<number[]> {
  return page.evaluate(
    `[...document.querySelectorAll("pre.diff")].map((one) => one.scrollHeight - one.clientHeight)`,
  );
}

test("a printed conversation has every difference, uncut", async () => {
  const { page } = await open(READ_ID);
  await page.locator(".call-line", { hasText: "large.ts" }).waitFor();
  expect(await page.locator("pre.diff").count()).toBe(1);
  await page.emulateMedia({ media: "print" });
  await page.evaluate(`dispatchEvent(new Event("beforeprint"))`);
  await expect.poll(() => cutDifferences(page)).toEqual([0, 0]);
  await page.evaluate(`dispatchEvent(new Event("afterprint"))`);
  await expect.poll(() => page.locator("pre.diff").count()).toBe(1);
  await page.context().close();
});

test("a printed file has its whole difference on as many sheets as it needs, without buttons", async () => {
  const { page } = await open(READ_ID, "/files");
  await page.locator(".choice", { hasText: "large.ts" }).click();
  await page.locator(".diff", { hasText: "time79" }).waitFor();
  const paper = await page.pdf();
  expect(paper.toString("latin1").match(/\/Type\s*\/Page\b/gu)?.length).toBeGreaterThan(2);
  await page.emulateMedia({ media: "print" });
  expect(await cutDifferences(page)).toEqual([0]);
  for (const hidden of [".file-switches", ".file-changes .path button", ".file-changes .path a"])
    expect([hidden, await page.locator(hidden).first().isVisible()]).toEqual([hidden, false]);
  await page.context().close();
});

test("the print key and the button print all files of a session, uncut", async () => {
  for (const way of ["key", "button"]) {
    const { page } = await open(READ_ID, "/files");
    await page.evaluate(`window.print = () => { window.printed = (window.printed ?? 0) + 1; }`);
    if (way === "key") await page.keyboard.press("Control+p");
    else await page.getByRole("button", { name: "Print all 2 files" }).click();
    await expect.poll(() => page.evaluate("window.printed")).toBe(1);
    await page.emulateMedia({ media: "print" });
    await page.evaluate(`dispatchEvent(new Event("beforeprint"))`);
    await expect.poll(() => page.locator(".file-changes h2.path bdi").allTextContents()).toHaveLength(2);
    const paper = await page.locator(".file-changes").innerText();
    for (const words of ["small.ts", "let time = 240;", "large.ts", "const time79 = 240;"])
      expect(paper).toContain(words);
    expect(await cutDifferences(page)).toEqual([0, 0]);
    await page.evaluate(`dispatchEvent(new Event("afterprint"))`);
    await page.emulateMedia({ media: "screen" });
    await page.getByRole("button", { name: "Print all 2 files" }).waitFor();
    await page.context().close();
  }
});

test("the browser's menu prints only the shown file, and the paper says that there are others", async () => {
  const { page } = await open(READ_ID, "/files");
  const said = page.getByText("The changes of 1 other file are not on this paper");
  expect(await said.isVisible()).toBe(false);
  await page.emulateMedia({ media: "print" });
  await said.waitFor();
  await page.context().close();
});
