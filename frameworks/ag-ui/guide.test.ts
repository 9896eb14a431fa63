/** docs/guides/ag-ui.md and the page of the package, followed from an empty folder. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { freePorts } from "../../test/free-ports.ts";
import { type KillableProgram, killable } from "../killable.ts";
import { askThroughKill, newProject, type Project, saveProgram } from "../project.ts";

let project: Project;
let port: number;
let server: KillableProgram;
beforeEach(async () => {
  project = newProject("ag-ui");
  [port = 0] = await freePorts(1);
  server = killable(["server.js", String(port)], project.folder);
});
afterEach(async () => {
  await server.kill();
  project.remove();
});

test("the guide is followed: a question whose server is killed has its answer once", async () => {
  const [printed, expected] = await askThroughKill(project, "docs/guides/ag-ui.md", { server, port });
  expect(printed).toBe(expected);
});

test("the program of the package's page prints what it should, more at its second start", async () => {
  saveProgram(project, "packages/ag-ui/README.md");
  expect(await project.run("main.js")).toBe("assistant Hello?\n2\n");
  expect(await project.run("main.js")).toBe("assistant Hello?\n4\n");
});
