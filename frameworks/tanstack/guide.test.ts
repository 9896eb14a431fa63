/** docs/guides/tanstack.md and the page of the package, followed from an empty folder. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { freePorts } from "../../test/free-ports.ts";
import { type KillableProgram, killable } from "../killable.ts";
import { askThroughKill, newProject, type Project, saveProgram } from "../project.ts";

let project: Project;
let port: number;
let server: KillableProgram;
beforeEach(async () => {
  project = newProject("tanstack");
  [port = 0] = await freePorts(1);
  server = killable(["server.js", String(port)], project.folder);
});
afterEach(async () => {
  await server.kill();
  project.remove();
});

test("the guide is followed: a reader whose server is killed has the answer once", async () => {
  const [printed, expected] = await askThroughKill(project, "docs/guides/tanstack.md", { server, port });
  expect(printed).toBe(expected);
});

test("the program of the package's page reads what comes after an event", async () => {
  saveProgram(project, "packages/tanstack/README.md");
  expect(await project.run("main.js")).toBe("3\n");
});
