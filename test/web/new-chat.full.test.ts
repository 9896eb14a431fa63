/** A new conversation, names of files in a prompt, and comments on lines, in a real browser. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { createTalkHome, SCRIPT, type TalkHome } from "../cli/talk.ts";
import { violations } from "./axe.ts";
import { sessionAddress } from "./long-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";
import { SAMPLE_ID, sampleHome } from "./sample-home.ts";

let home: TalkHome;
let viewer: OpenViewer;
beforeAll(async () => {
  home = createTalkHome(SCRIPT);
  for (const name of ["brew.ts", "b r.ts", "other.ts"]) home.write(`project/src/${name}`, "");
  viewer = await openViewer(home);
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

test("a conversation begins in the chosen folder with the chosen agent, and a reload keeps the choices", async () => {
  const { page, errors } = await viewer.open("/");
  await page.getByRole("link", { name: "New" }).press("Enter");
  // The list has a field for a folder too, so the test waits for the new page.
  await page.getByRole("heading", { name: "New conversation" }).waitFor();
  await page.getByLabel("Folder").fill(`${home.path}/project`);
  await page.getByLabel("Agent").selectOption("robot");
  await page.getByLabel("Permissions").selectOption("ask");
  await expect.poll(() => new URL(page.url()).hash).toContain("mode=ask");
  await page.reload();
  await expect.poll(() => page.getByLabel("Folder").inputValue()).toBe(`${home.path}/project`);
  await expect.poll(() => page.getByLabel("Agent").inputValue()).toBe("robot");
  expect(await violations(page)).toEqual([]);
  await page.getByRole("textbox", { name: "Prompt" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.type("say @br");
  await page.locator(".mentions [role=option]").first().waitFor();
  expect(await page.locator(".mentions [role=option]").allInnerTexts()).toEqual([
    "src/brew.ts",
    "src/b r.ts",
  ]);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const prompt = page.getByRole("textbox", { name: "Prompt" });
  expect(await prompt.inputValue()).toBe('say @"src/b r.ts" ');
  await page.keyboard.type("@brew");
  await page.locator(".mentions [role=option]").first().waitFor();
  await page.keyboard.press("Tab");
  expect(await prompt.inputValue()).toBe('say @"src/b r.ts" @src/brew.ts ');
  await page.keyboard.press("Enter");
  await page.locator(".session-title h1", { hasText: "say @" }).waitFor();
  await expect.poll(() => home.prompts()).toContainEqual(expect.stringContaining("@src/brew.ts"));
  // The prompt of the open session completes names of files too.
  await page.getByRole("textbox", { name: "Prompt" }).fill("");
  await page.keyboard.type("@oth");
  await page.locator(".mentions [role=option]", { hasText: "src/other.ts" }).click();
  expect(await page.getByRole("textbox", { name: "Prompt" }).inputValue()).toBe("@src/other.ts ");
  await page.goBack();
  await page.waitForSelector(".row");
  expect(errors).toEqual([]);
  await page.context().close();
});

test("a page that may only read does not offer a new conversation, and the page at that address says why", async () => {
  const { page } = await viewer.open("/", { access: "read" });
  await page.waitForSelector(".row, .empty");
  await page.getByRole("button", { name: "Select" }).waitFor();
  expect(await page.getByRole("link", { name: "New" }).count()).toBe(0);
  await page.evaluate('location.hash = "#/new"');
  await page.getByText("This page may only read.").waitFor();
  expect(await page.getByRole("textbox", { name: "Prompt" }).count()).toBe(0);
  await page.context().close();
});

test("comments on lines of a difference become the next prompt, and a page that may only read offers no comments", async () => {
  await using sample = await openViewer(sampleHome());
  const { page, errors } = await sample.open(`${sessionAddress(SAMPLE_ID)}/files`);
  await page.getByRole("button", { name: "Comment on a line" }).waitFor();
  await page.locator(".diff .ins").first().click();
  const comment = page.getByRole("textbox", { name: "Comment" });
  await comment.fill("Name the unit.");
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Add to the next prompt" }).press("Enter");
  // Without the mouse, a line is chosen in a list.
  await page.getByRole("button", { name: "Comment on a line" }).press("Enter");
  const line = page.getByRole("combobox", { name: "Line" });
  const lines = await line.locator("option").allInnerTexts();
  await line.selectOption({ index: lines.findIndex((one) => one.includes("+ export function")) });
  await comment.fill("And this?");
  await page.getByRole("button", { name: "Add to the next prompt" }).press("Enter");
  await page.getByRole("link", { name: "2 comments in the next prompt" }).press("Enter");
  const prompt = page.getByRole("textbox", { name: "Prompt" });
  await prompt.waitFor();
  expect(await prompt.inputValue()).toBe(
    [
      "/home/ann/app/src/brew.ts",
      "> export const SECONDS = { black: 240, green: 150 } as const;",
      "Name the unit.",
      "",
      "/home/ann/app/src/brew.ts",
      "> export function brew(tea: keyof typeof SECONDS) {",
      "And this?",
      "",
    ].join("\n"),
  );
  expect(errors).toEqual([]);
  const { page: reader } = await sample.open(`${sessionAddress(SAMPLE_ID)}/files`, { access: "read" });
  await reader.locator(".diff .ins").first().click();
  expect(await reader.getByRole("button", { name: "Comment on a line" }).count()).toBe(0);
});
