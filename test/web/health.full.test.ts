/** The health page in a real browser: its judgement, and a hidden session that is shown and hidden again. */

import { utimesSync } from "node:fs";
import { join } from "node:path";
import type { BringBackAnswer, SessionsAtRisk } from "@continuo/core/wire/machine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claudeFile, DAMAGED_ID } from "../cli/home.ts";
import { CLAUDE_RECIPES } from "../lost/claude-recipes.ts";
import { GEMINI_RECIPES } from "../lost/gemini-recipes.ts";
import { OPENCODE_RECIPES } from "../lost/opencode-recipes.ts";
import { contentOf, type LostHome, makeLostHome } from "../lost/recipe.ts";
import { violations } from "./axe.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";
import { sampleHome } from "./sample-home.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

let viewer: OpenViewer;
let lost: LostHome;
beforeAll(async () => {
  const home = sampleHome();
  lost = makeLostHome(home.path);
  CLAUDE_RECIPES.find(({ cause }) => cause === "other_folder")?.write(lost);
  GEMINI_RECIPES.find(({ cause }) => cause === "file_name")?.write(lost);
  OPENCODE_RECIPES.find(({ cause }) => cause === "other_path")?.write(lost);
  const longAgo = new Date(Date.now() - 28 * DAY_MS);
  utimesSync(join(home.path, claudeFile(DAMAGED_ID)), longAgo, longAgo);
  viewer = await openViewer(home);
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

const THREE = "3 sessions are hidden from their agents' own lists.";
const TWO = "2 sessions are hidden from their agents' own lists.";
const TITLE = "Why does the retry loop never end?";

test("with only the keyboard, a person can read the plan for a hidden session, bring the session back, and undo that", async () => {
  const content = contentOf(lost);
  const { page, errors } = await viewer.open("/health");
  const judgement = page.locator(".judgement");
  const line = page.locator(".hidden-session", { hasText: TITLE });
  const focused = async (): Promise<string> => await page.evaluate("document.activeElement.textContent");
  await judgement.getByText(THREE).waitFor();
  await judgement.getByText("1 session will be deleted within 5 days, without a copy.").waitFor();
  await judgement.getByRole("button", { name: `Details: ${THREE}` }).press("Enter");
  expect(await focused()).toBe("Hidden from their agents' own lists");
  await line.getByRole("button", { name: `Bring back… ${TITLE}` }).press("Enter");
  await line.getByText("Nothing is written yet. The plan:").waitFor();
  expect(await line.locator("ol li").count()).toBeGreaterThan(0);
  expect(contentOf(lost)).toEqual(content);
  expect(await violations(page)).toEqual([]);
  await expect.poll(focused).toContain("Nothing is written yet.");
  await page.keyboard.press("Tab");
  expect(await focused()).toBe("Bring it back");
  await page.keyboard.press("Enter");
  await line.getByText("It is back in its agent's list.").waitFor();
  await judgement.getByText(TWO).waitFor();
  expect(contentOf(lost)).not.toEqual(content);
  expect(await violations(page)).toEqual([]);
  await expect.poll(focused).toContain("It is back in its agent's list.");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  expect(await focused()).toBe("Undo");
  await page.keyboard.press("Enter");
  await line.getByText("It is as it was before.").waitFor();
  await judgement.getByText(THREE).waitFor();
  expect(contentOf(lost)).toEqual(content);
  await line.getByRole("button", { name: `Bring back… ${TITLE}` }).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

test("if a session came back in the meantime, its line shows an error, and the other lines do not change", async () => {
  const { page } = await viewer.open("/health");
  const line = page.locator(".hidden-session", { hasText: "opencode" });
  await line.waitFor();
  const { hidden }: SessionsAtRisk = await viewer.machine.json("/v1/machine/at-risk");
  const { key } = hidden.find(({ agent }) => agent === "opencode") ?? { key: null };
  const path = `/v1/machine/sessions/${encodeURIComponent(key ?? "")}/bring-back`;
  const { trashId } = (await (await viewer.machine.post(path)).json()) as BringBackAnswer;
  await line.getByRole("button", { name: "Bring back… Retry loop" }).click();
  await line.getByRole("alert").waitFor();
  expect(await line.getByRole("alert").textContent()).toContain("opencode lists the session already");
  expect(await page.locator(".hidden-session").count()).toBe(3);
  expect((await viewer.machine.post(`/v1/machine/trash/${trashId}/restore`)).status).toBe(200);
  await page.context().close();
});

test.each([
  ["light", 1280],
  ["dark", 1280],
  ["light", 360],
  ["dark", 360],
] as const)(
  "a page that only reads shows hidden sessions without an action, accessibly and without horizontal scrolling, %s at %i px",
  async (theme, width) => {
    const { page, errors } = await viewer.open("/health", { access: "read", theme, width });
    await page.locator(".judgement").getByText(THREE).waitFor();
    await page.getByText("continuo doctor sessions --fix gemini:").waitFor();
    expect(await page.getByRole("button", { name: /Bring|Undo/u }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    const isWide = "document.querySelector('main').scrollWidth > document.querySelector('main').clientWidth";
    expect(await page.evaluate(isWide)).toBe(false);
    expect(errors).toEqual([]);
    await page.context().close();
  },
);
