/** Calls without a result in a real browser: only a call that may still end is shown as running. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { claudeFile, claudeText, createHome } from "../cli/home.ts";
import { sessionAddress } from "./long-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

const OLD_ID = "4bf3ca11-0000-4000-8000-000000000001";
const OPEN_ID = "4bf3ca11-0000-4000-8000-000000000002";

const call = (id: string) => ({ type: "tool_use", id, name: "Bash", input: { command: `sleep ${id}` } });
const result = [{ type: "tool_result", tool_use_id: "2", content: "awake" }];

/** A session of three calls: only the second one has a result, and the third is in the last turn. */
function sessionText(id: string): string {
  return claudeText(id, [
    { uuid: "a1", parent: null, role: "user", content: "Sleep once", time: "10:00:00" },
    { uuid: "a2", parent: "a1", role: "assistant", content: [call("1")], time: "10:00:01" },
    { uuid: "a3", parent: "a2", role: "user", content: "Sleep twice", time: "10:00:02" },
    { uuid: "a4", parent: "a3", role: "assistant", content: [call("2")], time: "10:00:03" },
    { uuid: "a5", parent: "a4", role: "user", content: result, time: "10:00:04" },
    { uuid: "a6", parent: "a5", role: "assistant", content: [call("3")], time: "10:00:05" },
  ]);
}

let viewer: OpenViewer;
beforeAll(async () => {
  const home = createHome();
  home.write(claudeFile(OLD_ID), sessionText(OLD_ID));
  const now = new Date().toISOString();
  home.write(claudeFile(OPEN_ID), sessionText(OPEN_ID).replaceAll(/2025-01-05T10:00:0\d\.000Z/gu, now));
  viewer = await openViewer(home);
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

const NO_RESULT = "no result was recorded";

test.each([
  ["no call of a session that ended long ago", OLD_ID, [NO_RESULT, "awake", NO_RESULT]],
  ["only the last call of a session that may still run", OPEN_ID, [NO_RESULT, "awake", "running"]],
])("%s is shown as running", async (_, id, expected) => {
  const { page, errors } = await viewer.open(sessionAddress(id));
  await page.locator(".rail .turn-line").nth(1).waitFor();
  const calls = page.locator(".turns .call-line");
  const statuses = (): Promise<string[]> =>
    calls.evaluateAll((all) => all.map((one) => one.querySelector(".outcome")?.textContent ?? ""));
  await expect.poll(statuses).toEqual(expected);
  expect(errors).toEqual([]);
  await page.context().close();
});

test("a film shows a call as running until it shows the result", async () => {
  const { page, errors } = await viewer.open(`${sessionAddress(OLD_ID)}/film/4`);
  const last = page.locator(".film .call-line").last();
  await expect.poll(() => last.innerText()).toMatch(/sleep 2\s+running$/u);
  await page.getByRole("slider", { name: "Place in the log" }).fill("5");
  await expect.poll(() => last.innerText()).toMatch(/sleep 2\s+awake$/u);
  expect(errors).toEqual([]);
  await page.context().close();
});
