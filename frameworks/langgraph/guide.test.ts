/** docs/guides/langgraph.md and the page of the package, followed from an empty folder. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { newProject, type Project, saveFiles, saveProgram } from "../project.ts";

let project: Project;
beforeEach(() => {
  project = newProject("langgraph");
});
afterEach(() => project.remove());

test("the guide is followed from its beginning to its end", async () => {
  const guide = saveFiles(project, "docs/guides/langgraph.md");
  expect(await project.run("trip.js", { killAt: "hotel …" })).toBe("flight …\nhotel …\n");
  const [, printed] = /```text\n([\s\S]*?)```/u.exec(guide) ?? [];
  expect(await project.run("trip.js", { args: ["1"] })).toBe(printed);
  expect(await project.run("trip.js")).toBe("booked: flight, hotel, train\n");
  expect(await project.run("threads.js")).toMatch(/^trip-1: 4 steps, \d+ events\n$/u);
});

test("the program of the package's page prints what it should, more at its second start", async () => {
  saveProgram(project, "packages/langgraph/README.md");
  expect(await project.run("main.js")).toBe("2\n");
  expect(await project.run("main.js")).toBe("4\n");
});
