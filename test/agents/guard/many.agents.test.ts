/**
 * Many sessions that the real agent deleted are restored at once: the next sweep removes none of them, and each resumes
 * natively with its own messages. `CONTINUO_RESTORED` sets their number; a hundred take some minutes.
 */

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "@continuo/files";
import { findNativeSessions } from "@continuo/native";
import { restoreGuardedSession } from "@continuo/native/editing";
import { onlyCopies, runGuard, verifyGuard } from "@continuo/native/editing/guard";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DAY_MS, writeClaudeSession, writeGeminiSession } from "../../guard/sessions.ts";
import { type ModelServer, startModelServer, text, tool } from "../../model-servers/index.ts";
import { openClaude } from "../claude/driver.ts";
import { openGemini } from "../gemini/driver.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";

const COUNT = Number(process.env.CONTINUO_RESTORED ?? 6);
const LIMIT_MS = 120_000 + COUNT * 20_000;
const AFTER = "And what ends it?";
const WAIT = "Wait for a while.";
const WAIT_SECONDS = 25;

let sandbox: Sandbox;
let model: ModelServer;

beforeEach(async () => {
  sandbox = await makeSandbox();
  const command = `until [ $SECONDS -gt ${WAIT_SECONDS} ]; do sleep 0.1; done`;
  model = await startModelServer({
    summary: "",
    turns: [
      { user: AFTER, answers: [[text("A limit of attempts.")]] },
      { user: WAIT, answers: [[tool("Bash", { command, description: "Waits" })], [text("Done.")]] },
    ],
  });
});
afterEach(async () => {
  await model.close();
  await sandbox[Symbol.asyncDispose]();
});

/** No two ids begin with the same eight characters, because Gemini CLI selects by these what it deletes. */
const IDS = Array.from({ length: COUNT }, (_, at) => {
  const start = (0x1a2b3c4d + at * 7_919).toString(16).padStart(8, "0");
  return `${start}-5e6f-4a7b-8c9d-${String(at).padStart(12, "0")}`;
});

interface Answered {
  readonly id: string;
  /** The text of the session's first answer, which no other session has. */
  readonly answer: string;
}

function answerIn(id: string, path: string): Answered {
  const record = JSON.parse(
    readFileSync(path, "utf8")
      .split("\n")
      .at(path.includes(".claude") ? 1 : 2) ?? "",
  );
  return { id, answer: record.message?.content[0].text ?? record.content };
}

async function locations(places: Places): Promise<ReadonlyMap<string, string>> {
  const found = await Array.fromAsync(findNativeSessions({ places }));
  return new Map(found.map(({ sessionId, location }) => [sessionId, location]));
}

async function restoreAll(places: Places): Promise<void> {
  const there = await locations(places);
  const gone = onlyCopies({ places, metIds: new Set(there.keys()) }).map(({ sessionId }) => sessionId);
  expect(gone.filter((id) => IDS.includes(id)).toSorted()).toEqual(IDS.toSorted());
  for (const id of IDS) await restoreGuardedSession(id, { places });
}

/** Returns the ids of the sessions whose answer is missing in the last request. */
async function notResumed(
  all: readonly Answered[],
  resume: (id: string) => Promise<unknown>,
): Promise<string[]> {
  const missing: string[] = [];
  for (const { id, answer } of all) {
    await resume(id);
    if (!JSON.stringify(model.requests.at(-1)?.body).includes(answer)) missing.push(id);
  }
  return missing;
}

test("claude: every session that a sweep deleted is restored, kept by the next sweep, and continues", {
  timeout: LIMIT_MS,
}, async () => {
  const claude = await openClaude(sandbox, model.url, "full");
  const places: Places = { home: sandbox.root, env: { CLAUDE_CONFIG_DIR: claude.configFolder } };
  await sandbox.write(".claude/settings.json", JSON.stringify({ includeCoAuthoredBy: false }));
  const old = { turns: 4, writtenMs: Date.now() - 40 * DAY_MS, cwd: sandbox.project };
  const written = IDS.map((id) => answerIn(id, writeClaudeSession(sandbox.root, { id, ...old }).path));
  expect(await runGuard({ places })).toMatchObject({ stored: COUNT, failed: [] });
  const sweep = async (): Promise<void> => {
    rmSync(join(claude.configFolder, ".last-cleanup"), { force: true });
    await claude.say([WAIT]);
  };
  await sweep();
  await restoreAll(places);
  await sweep();
  const there = await locations(places);
  expect(IDS.filter((id) => !there.has(id))).toEqual([]);
  expect(await notResumed(written, (id) => claude.say([AFTER], { resume: id }))).toEqual([]);
  expect((await verifyGuard(places)).problems).toEqual([]);
});

test("gemini: every session that the list command deleted is restored, kept by later starts, and continues", {
  timeout: LIMIT_MS,
}, async () => {
  const gemini = await openGemini(sandbox, model.url);
  const places: Places = { home: sandbox.root, env: { GEMINI_CLI_HOME: gemini.home } };
  const old = { turns: 4, writtenMs: Date.now() - 40 * DAY_MS };
  const written = IDS.map((id) =>
    answerIn(id, writeGeminiSession(gemini.home, { id, ...old }, sandbox.project).path),
  );
  const marks = { projects: { [sandbox.project]: "project" } };
  writeFileSync(join(gemini.home, ".gemini/projects.json"), JSON.stringify(marks));
  const path = join(gemini.home, ".gemini/settings.json");
  const settings = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...settings, general: { enableAutoUpdate: false } }));
  const paths = [...(await locations(places)).values()];
  expect(paths).toHaveLength(COUNT);
  expect(await runGuard({ places })).toMatchObject({ stored: COUNT, failed: [] });
  const list = async (): Promise<string> => {
    const { stdout, stderr } = await gemini.command(["--list-sessions"]);
    return stdout + stderr;
  };
  for (let at = 0; at < 2 * COUNT + 9 && paths.some((one) => existsSync(one)); at += 1) await list();
  expect(paths.filter((one) => existsSync(one))).toEqual([]);
  await restoreAll(places);
  for (let at = 0; at < 3; at += 1) {
    const shown = await list();
    expect(IDS.filter((id) => !shown.includes(id))).toEqual([]);
  }
  expect(await notResumed(written, (id) => gemini.say(AFTER, { resume: id }))).toEqual([]);
  // Each resumption left a file. The next starts delete that file, but not the session.
  for (let at = 0; at < 9; at += 1) await list();
  const there = await locations(places);
  expect(IDS.filter((id) => !there.has(id))).toEqual([]);
  expect((await verifyGuard(places)).problems).toEqual([]);
});
