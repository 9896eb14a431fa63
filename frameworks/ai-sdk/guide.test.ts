/** docs/guides/ai-sdk.md and the page of the package, followed from an empty folder; the guide's page in a real browser. */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openBrowser } from "../../test/cli/browser.ts";
import { freePorts } from "../../test/free-ports.ts";
import { type KillableProgram, killable } from "../killable.ts";
import { askThroughKill, newProject, type Project, saveFiles, saveProgram } from "../project.ts";

let project: Project;
let port: number;
let server: KillableProgram;
beforeEach(async () => {
  project = newProject("ai-sdk");
  [port = 0] = await freePorts(1);
  server = killable(["server.js", String(port)], project.folder);
});
afterEach(async () => {
  await server.kill();
  project.remove();
});

const ANSWER = "Your parcel left Ulm on Monday. It will be with you on Friday.";

test("the guide is followed: a question whose server is killed has its answer once", async () => {
  const [printed, expected] = await askThroughKill(project, "docs/guides/ai-sdk.md", { server, port });
  expect(printed).toBe(expected);
});

test("the guide's page shows each answer once: after a kill, a reload, in a second tab, and a stop that stays", async () => {
  const guide = saveFiles(project, "docs/guides/ai-sdk.md");
  const [, options = ""] = /npx esbuild (.*)\n/u.exec(guide) ?? [];
  const [, html = ""] = /echo '(.*)' > index\.html/u.exec(guide) ?? [];
  const esbuild = join(project.folder, "node_modules/esbuild/bin/esbuild");
  execFileSync(process.execPath, [esbuild, ...options.split(" ")], { cwd: project.folder });
  writeFileSync(join(project.folder, "index.html"), html);
  await server.start();
  await using browser = await openBrowser();
  const page = await browser.newPage();
  const said = async (of = page): Promise<readonly string[]> =>
    (await of.locator("main p").allInnerTexts()).map((text) => text.trim());
  const first = ["user Where is it?", `assistant ${ANSWER}`];
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.getByLabel("Message").fill("Where is it?");
  await page.getByRole("button", { name: "Send" }).click();
  await expect.poll(said, { timeout: 30_000 }).toContainEqual(expect.stringContaining("Your parcel"));
  await server.kill();
  await server.start();
  await expect.poll(said, { timeout: 60_000 }).toEqual(first);
  await page.reload();
  await expect.poll(said, { timeout: 30_000 }).toEqual(first);

  await page.getByLabel("Message").fill("And the other one?");
  await page.getByRole("button", { name: "Send" }).click();
  await expect.poll(async () => (await said()).length, { timeout: 30_000 }).toBe(4);
  const second = await browser.newPage();
  await second.goto(`http://127.0.0.1:${port}/`);
  await page.reload();
  const twice = [...first, "user And the other one?", `assistant ${ANSWER}`];
  await expect.poll(() => said(second), { timeout: 30_000 }).toEqual(twice);
  await expect.poll(said, { timeout: 30_000 }).toEqual(twice);

  await page.getByLabel("Message").fill("Thanks. Why?");
  await page.getByRole("button", { name: "Send" }).click();
  await expect.poll(async () => (await said())[5], { timeout: 30_000 }).toContain("Your");
  await page.getByRole("button", { name: "Stop" }).click();
  await expect
    .poll(() => page.getByRole("button", { name: "Stop" }).isDisabled(), { timeout: 30_000 })
    .toBe(true);
  const stopped = await said();
  expect(stopped[5]).not.toContain("Friday.");
  await page.reload();
  await expect.poll(said, { timeout: 30_000 }).toEqual(stopped);
});

test("the program of the package's page prints what it should, more at its second start", async () => {
  saveProgram(project, "packages/ai-sdk/README.md");
  expect(await project.run("main.js")).toBe("Hello?\n2\n");
  expect(await project.run("main.js")).toBe("Hello?\n4\n");
});
