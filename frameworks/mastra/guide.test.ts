/** docs/guides/mastra.md and the page of the package, followed from an empty folder. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { newProject, type Project, saveFiles, saveProgram } from "../project.ts";

let project: Project;
beforeEach(() => {
  project = newProject("mastra");
});
afterEach(() => project.remove());

test("the guide is followed: an agent that is killed continues the thread that it had", async () => {
  const guide = saveFiles(project, "docs/guides/mastra.md");
  expect(await project.run("desk.js", { args: ["Where is my parcel?"] })).toMatch(
    /I was shown 1 messages\.\n$/u,
  );
  expect(await project.run("desk.js", { args: ["And now?"], killAt: "thinking …" })).toBe("thinking …\n");
  const [, printed] = /```text\n([\s\S]*?)```/u.exec(guide) ?? [];
  expect(await project.run("desk.js", { args: ["And now?"] })).toBe(printed);
});

test("the program of the package's page counts its visits, more at its second start", async () => {
  saveProgram(project, "packages/mastra/README.md");
  expect(await project.run("main.js")).toBe("1\n");
  expect(await project.run("main.js")).toBe("2\n");
});
