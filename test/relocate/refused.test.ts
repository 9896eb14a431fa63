/** A relocation changes nothing if a session would stay behind, or if a running program would undo it. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { relocateProject } from "@continuo/native/editing";
import { listTrash } from "@continuo/native/editing/trash";
import { beforeEach, expect, test } from "vitest";
import { sessionPath, talk } from "../lost/claude-recipes.ts";
import { contentOf, type LostHome, makeLostHome, placesOfHome, toLines, writeText } from "../lost/recipe.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { ANSWERED, ASKED, writeAll } from "./five-agents.ts";

let home: LostHome;
let target: string;

beforeEach(() => {
  home = makeLostHome(scratchFolder("relocate-refused"));
  target = join(home.root, "renamed");
  writeAll(home);
  renameSync(home.project, target);
});

const relocate = (from: string = home.project, to: string = target) =>
  relocateProject(from, to, { places: placesOfHome(home), write: "in place" });

/** Expects that nothing changes while the program runs. */
async function refusedWhile(program: ChildProcess): Promise<unknown> {
  const before = contentOf(home);
  try {
    if (program.stdout !== null) await once(program.stdout, "data");
    return await relocate().then(
      () => null,
      (error: unknown) => error,
    );
  } finally {
    expect(contentOf(home)).toEqual(before);
    const gone = once(program, "exit");
    program.kill("SIGKILL");
    await gone;
  }
}

const AGENT = 'console.log("runs"); setInterval(() => undefined, 60_000);';

test("an agent that still runs in the old folder is named", async () => {
  mkdirSync(home.project);
  writeFileSync(join(home.root, "claude.mjs"), AGENT);
  const agent = spawn(process.execPath, [join(home.root, "claude.mjs")], { cwd: home.project });
  expect(await refusedWhile(agent)).toMatchObject({
    code: "session_live",
    message: `Claude Code is running in ${home.project} (process ${agent.pid})`,
  });
});

test("a session that a program elsewhere has open for writing is refused", async () => {
  const script = `require("node:fs").openSync(${JSON.stringify(sessionPath(home))}, "a"); ${AGENT}`;
  const writer = spawn(process.execPath, ["-e", script], { cwd: "/" });
  expect(await refusedWhile(writer)).toMatchObject({ code: "session_live" });
});

test("if a session would still name the old folder, the whole change is undone", async () => {
  const [first = {}, second = {}] = talk(home, [ASKED, ANSWERED]);
  // In Latin-1, no line is a valid text that can be changed.
  const lines = toLines([first, second]).replaceAll('"main"', '"m\u00e4in"');
  writeText(sessionPath(home), Buffer.from(lines, "latin1"));
  const before = contentOf(home);
  await expect(relocate()).rejects.toMatchObject({
    code: "verification_failed",
    message: expect.stringContaining("would not be found in"),
  });
  expect(contentOf(home)).toEqual(before);
});

test("the folder may not be a file, lie around the old one, or be named by a relative path", async () => {
  const file = join(home.root, "file");
  writeFileSync(file, "");
  await expect(relocate(home.project, file)).rejects.toMatchObject({ code: "not_found" });
  await expect(relocate(home.project, home.root)).rejects.toMatchObject({ code: "invalid" });
  await expect(relocate("project", target)).rejects.toMatchObject({
    code: "invalid",
    message: "project is not an absolute path",
  });
});

test("files that do not name the folder are no part of the plan", async () => {
  writeText(join(home.root, ".claude", "history.jsonl"), toLines([{ display: "ls", project: "/srv/other" }]));
  const plan = await relocateProject(home.project, target, {
    places: placesOfHome(home),
    agents: ["claude"],
  });
  // The session, its sub-agent and the notes move; the settings change.
  expect(plan.agents).toMatchObject([{ agent: "claude", moved: 3, changed: 1 }]);
});

test("the trash tells the folders and the number of sessions", async () => {
  await relocate();
  const { sessions } = listTrash(placesOfHome(home));
  expect(sessions.map(({ info }) => info.title)).toEqual([
    `Relocated ${home.project} to ${target}, 5 sessions`,
  ]);
});
