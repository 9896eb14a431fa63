/**
 * A renamed project: after `continuo relocate` each real agent lists its session in the new folder, with its messages,
 * and no longer in the old one.
 */

import { cpSync, mkdirSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { relocateProject } from "@continuo/native/editing";
import { expect, test } from "vitest";
import { sessionPath, talk } from "../../lost/claude-recipes.ts";
import { header, TALK, THREAD, writeThread } from "../../lost/codex-recipes.ts";
import { GEMINI_ID, GEMINI_TALK, geminiHead, writeGemini } from "../../lost/gemini-recipes.ts";
import { makeRepository, OPENCODE_ID, writeOpencode } from "../../lost/opencode-recipes.ts";
import { PI_ID, PI_TALK, piHeader, writePi } from "../../lost/pi-recipes.ts";
import { type LostHome, placesOfHome, toLines, writeText } from "../../lost/recipe.ts";
import { asObject, asObjects, asText } from "../../model-servers/index.ts";
import { openClaude } from "../claude/driver.ts";
import { callSdk } from "../claude/sdk.ts";
import { openCodex } from "../codex/driver.ts";
import { geminiProgram, openGemini } from "../gemini/driver.ts";
import { openOpencode } from "../opencode/driver.ts";
import { listOfFolder } from "../pi/own-reader.ts";
import { makeSandbox, runProgram, type Sandbox } from "../sandbox.ts";

const CLOSED = "http://127.0.0.1:9";

/** Renames the project, and relocates it. */
async function rename({ project, root }: Sandbox, home: LostHome): Promise<string> {
  const target = join(root, "renamed");
  renameSync(project, target);
  await relocateProject(project, target, { places: placesOfHome(home), write: "in place" });
  return target;
}

test("Claude Code lists it in the new folder, and reads its messages there", async () => {
  await using sandbox = await makeSandbox();
  const claude = await openClaude(sandbox, CLOSED, "bare");
  const home = { root: sandbox.root, project: sandbox.project };
  const said = [
    { role: "user", content: "Name the files" },
    { role: "assistant", content: "There are two." },
  ] as const;
  writeText(sessionPath(home), toLines(talk(home, said)));
  const target = await rename(sandbox, home);
  const there = { ...sandbox, project: target };
  const listed = asObjects(await callSdk(there, claude, "listSessions", [{ dir: target }]));
  const id = basename(sessionPath(home), ".jsonl");
  expect(listed.map(({ sessionId, cwd }) => [sessionId, cwd])).toEqual([[id, target]]);
  expect(asObjects(await callSdk(there, claude, "listSessions", [{ dir: sandbox.project }]))).toEqual([]);
  expect(asObjects(await callSdk(there, claude, "getSessionMessages", [id, { dir: target }]))).toHaveLength(
    2,
  );
});

test("Codex lists it in the new folder, and resumes it there", async () => {
  await using sandbox = await makeSandbox();
  const codex = await openCodex(sandbox, CLOSED);
  const home = { root: sandbox.root, project: sandbox.project };
  writeThread(home, [header(home), ...TALK]);
  // The database of Codex has the row with the old folder.
  await using before = await codex.appServer();
  await before.request("thread/list", {});
  await before[Symbol.asyncDispose]();
  const target = await rename(sandbox, home);
  // The driver starts the agent in the old folder.
  mkdirSync(sandbox.project);
  await using app = await codex.appServer();
  const idsIn = async (cwd: string): Promise<readonly string[]> =>
    asObjects((await app.request("thread/list", { cwd })).data).map(({ id }) => asText(id));
  expect(await idsIn(target)).toEqual([THREAD]);
  expect(await idsIn(sandbox.project)).toEqual([]);
  const resumed = await app.request("thread/resume", { threadId: THREAD });
  expect(asText(resumed.cwd)).toBe(target);
  const { thread } = await app.request("thread/read", { threadId: THREAD, includeTurns: true });
  expect(asObjects(asObject(thread).turns).flatMap(({ items }) => asObjects(items))).toHaveLength(2);
});

test("Gemini CLI lists it in the new folder", async () => {
  await using sandbox = await makeSandbox();
  const gemini = await openGemini(sandbox, CLOSED);
  const home = { root: gemini.home, project: sandbox.project };
  writeGemini(home, [geminiHead(home), ...GEMINI_TALK]);
  const target = await rename(sandbox, home);
  // The list command deletes sessions that it does not show.
  const copy = join(sandbox.root, "copy");
  cpSync(gemini.home, copy, { recursive: true });
  const env = { ...gemini.environment, GEMINI_CLI_HOME: copy };
  const list = await runProgram(process.execPath, [geminiProgram(), "--list-sessions"], { cwd: target, env });
  expect(list.stdout + list.stderr).toContain(GEMINI_ID);
});

test("pi lists it in the new folder", async () => {
  await using sandbox = await makeSandbox();
  const home = { root: sandbox.root, project: sandbox.project };
  writePi(home, [piHeader(home), ...PI_TALK]);
  const target = await rename(sandbox, home);
  const rows = await listOfFolder(sandbox, target);
  expect(rows.map(({ id, cwd, messageCount }) => [id, cwd, messageCount])).toEqual([[PI_ID, target, 2]]);
});

test.each([
  ["a repository", (home: LostHome) => makeRepository(home)],
  ["a folder without a commit", () => "global"],
])("opencode lists it in the new folder, which is %s", async (_what, projectOf) => {
  await using sandbox = await makeSandbox();
  const XDG_DATA_HOME = join(sandbox.root, ".local", "share");
  const opencode = await openOpencode(sandbox, CLOSED, {}, { XDG_DATA_HOME });
  const home = { root: sandbox.root, project: sandbox.project };
  await opencode.command(["db", "path"]);
  writeOpencode(home, { project: projectOf(home) });
  const target = await rename(sandbox, home);
  const list = await opencode.command(["session", "list", "--format", "json"], { cwd: target });
  const rows = asObjects(JSON.parse(list.stdout));
  expect(rows.map(({ id, directory }) => [id, directory])).toEqual([[OPENCODE_ID, target]]);
  await using server = await opencode.serve(target);
  expect(await server.messages(OPENCODE_ID)).toHaveLength(2);
});
