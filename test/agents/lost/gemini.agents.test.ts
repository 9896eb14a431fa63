/**
 * The real Gemini CLI confirms what `continuo doctor sessions` reports: its own list lacks the session, has it after
 * the change, and lacks it again after the change is undone. It runs in copies of the home, because its list command
 * deletes files.
 */

import { cpSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { restoreNativeSession, returnHiddenSession } from "@continuo/native/editing";
import { expect, test } from "vitest";
import { GEMINI_ID, GEMINI_RECIPES } from "../../lost/gemini-recipes.ts";
import { otherWaysOf } from "../../lost/other-ways.ts";
import { hiddenIn } from "../../lost/prove.ts";
import { placesOfHome, snapshotOf } from "../../lost/recipe.ts";
import { bundledCommand } from "../../sizes/shared-programs.ts";
import { type Gemini, geminiProgram, openGemini } from "../gemini/driver.ts";
import { makeSandbox, runProgram, type Sandbox } from "../sandbox.ts";
import { expectConfirmed } from "./asked.ts";

/** The session must be in this many lists: Gemini CLI may delete a session while it shows the session in a list. */
const LISTS_AFTER = 2;
const MOST_LISTS = 9;
const CLOSED = "http://127.0.0.1:9";

/** The recipes whose session id is in the list nevertheless, because a newer file has the same id. */
const TWINS = GEMINI_RECIPES.filter(({ cause }) => cause === "older_twin");
const OTHERS = GEMINI_RECIPES.filter(({ cause }) => cause !== "older_twin");

test.each([...OTHERS, ...otherWaysOf("gemini")])(
  "$title: Gemini CLI does not list the session ($cause)",
  async ({ cause, write, messages }) => {
    await using sandbox = await makeSandbox();
    const gemini = await openGemini(sandbox, CLOSED);
    const home = { root: gemini.home, project: sandbox.project };
    write(home);
    const before = snapshotOf(home);
    await expectNotListed(sandbox, gemini, GEMINI_ID);
    const hidden = (await hiddenIn(home, "gemini")).find((one) => one.cause === cause);
    if (hidden === undefined) throw new Error(`nothing is hidden by ${cause}`);
    expect(hidden.found.sessionId).toContain(GEMINI_ID.slice(0, 8));
    expect(snapshotOf(home)).toEqual(before);
    if (messages === undefined) return;
    const places = placesOfHome(home);
    const returned = await returnHiddenSession(hidden, { places, write: "in place" });
    const { trashId } = returned;
    await expectConfirmed(home, { ...returned, messages });
    const list = copyToList(sandbox, gemini);
    for (let at = 0; at < LISTS_AFTER; at += 1) {
      const shown = await list();
      // If the head is damaged, only the first eight characters of the id remain, in the name of the file.
      expect(shown).toContain(`[${GEMINI_ID.slice(0, 8)}`);
      expect(shown).toContain("Why does the retry loop never end?");
    }
    await restoreNativeSession(trashId ?? "", { places });
    expect(snapshotOf(home)).toEqual(before);
    await expectNotListed(sandbox, gemini, "Why does the retry loop never end?");
  },
);

test.each(TWINS)(
  "$title: Gemini CLI lists the older session only without the newer file ($cause)",
  async ({ cause, write }) => {
    await using sandbox = await makeSandbox();
    const gemini = await openGemini(sandbox, CLOSED);
    const home = { root: gemini.home, project: sandbox.project };
    write(home);
    const before = snapshotOf(home);
    const hidden = await hiddenIn(home, "gemini");
    expect(hidden.map((one) => one.cause)).toEqual([cause]);
    expect(snapshotOf(home)).toEqual(before);
    const both = await listing(sandbox, gemini);
    expect(both).toContain("And what ends it?");
    expect(both).not.toContain("Why does the retry loop never end?");
    const older = hidden[0]?.found.location ?? "";
    for (const name of readdirSync(dirname(older))) {
      if (name !== basename(older)) rmSync(join(dirname(older), name));
    }
    expect(await listing(sandbox, gemini)).toContain("Why does the retry loop never end?");
  },
);

test("the setting that `guard retention` changes keeps a session beyond the limit, until the setting is restored", async () => {
  await using sandbox = await makeSandbox();
  const gemini = await openGemini(sandbox, CLOSED);
  const home = { root: gemini.home, project: sandbox.project };
  GEMINI_RECIPES.find(({ cause }) => cause === "beyond_count")?.write(home);
  const before = snapshotOf(home);
  const guard = async (...flags: readonly string[]): Promise<void> => {
    const args = [await bundledCommand(), "guard", "retention", "gemini", "--yes", ...flags];
    const env = { PATH: process.env.PATH ?? "", HOME: sandbox.root, GEMINI_CLI_HOME: home.root };
    const { code, stderr } = await runProgram(process.execPath, args, { cwd: sandbox.project, env });
    expect([code, stderr]).toEqual([0, ""]);
  };
  await expectNotListed(sandbox, gemini, GEMINI_ID);
  await guard();
  const list = copyToList(sandbox, gemini);
  for (let at = 0; at < LISTS_AFTER; at += 1) expect(await list()).toContain(GEMINI_ID);
  expect(await hiddenIn(home, "gemini")).toEqual([]);
  await guard("--undo");
  expect(Object.keys(snapshotOf(home))).toEqual(Object.keys(before));
  await expectNotListed(sandbox, gemini, GEMINI_ID);
});

let copies = 0;

async function listing(sandbox: Sandbox, gemini: Gemini): Promise<string> {
  return await copyToList(sandbox, gemini)();
}

/** Copies the home. The result lists the sessions of this copy at each call. */
function copyToList(sandbox: Sandbox, gemini: Gemini): () => Promise<string> {
  copies += 1;
  const copy = join(sandbox.root, `copy-${copies}`);
  cpSync(gemini.home, copy, { recursive: true });
  return async () => {
    const { code, stdout, stderr } = await runProgram(
      process.execPath,
      [geminiProgram(), "--list-sessions"],
      { cwd: sandbox.project, env: { ...gemini.environment, GEMINI_CLI_HOME: copy } },
    );
    if (code !== 0) throw new Error(`gemini --list-sessions failed: ${stderr}`);
    return stdout + stderr;
  };
}

/** The program makes the list while it still deletes files, and may end before it deleted all of them. */
async function expectNotListed(sandbox: Sandbox, gemini: Gemini, words: string): Promise<void> {
  const list = copyToList(sandbox, gemini);
  let shown = await list();
  for (let at = 1; at < MOST_LISTS && shown.includes(words); at += 1) shown = await list();
  expect(shown).not.toContain(words);
}
