/**
 * The real agents delete sessions by themselves, and the guard restores each: the agent's own list has it, its next
 * sweep keeps it, and a resumption has its messages.
 */

import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "@continuo/files";
import { findNativeSessions } from "@continuo/native";
import { restoreGuardedSession } from "@continuo/native/editing";
import { findDueSessions, onlyCopies, runGuard, verifyGuard } from "@continuo/native/editing/guard";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeClaudeSession } from "../../guard/sessions.ts";
import { type ModelServer, startModelServer, text, tool } from "../../model-servers/index.ts";
import { openClaude } from "../claude/driver.ts";
import { openGemini } from "../gemini/driver.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const ASKED = "Why does the retry loop never end?";
const AFTER = "And what ends it?";
const WAIT = "Wait for a while.";
/** Claude Code looks for old sessions only some seconds after a session begins. */
const WAIT_SECONDS = 25;

let sandbox: Sandbox;
let model: ModelServer;

beforeEach(async () => {
  sandbox = await makeSandbox();
  model = await startModelServer({
    summary: "",
    turns: [
      { user: ASKED, answers: [[text("Because its backoff is reset.")]] },
      { user: AFTER, answers: [[text("A limit of attempts.")]] },
      {
        user: WAIT,
        answers: [
          [
            tool("Bash", {
              command: `until [ $SECONDS -gt ${WAIT_SECONDS} ]; do sleep 0.1; done`,
              description: "Waits",
            }),
          ],
          [text("Done.")],
        ],
      },
    ],
  });
});

afterEach(async () => {
  await model.close();
  await sandbox[Symbol.asyncDispose]();
});

async function goneIds(places: Places): Promise<readonly string[]> {
  const there = await Array.fromAsync(findNativeSessions({ places }));
  const metIds = new Set(there.map(({ sessionId }) => sessionId));
  return onlyCopies({ places, metIds }).map(({ sessionId }) => sessionId);
}

/** The texts of the last request to the model. */
const lastRequest = (): string => JSON.stringify(model.requests.at(-1)?.body);

test("claude: a session that is 40 days old is deleted by a sweep, restored, kept by the next sweep, and continues", async () => {
  const claude = await openClaude(sandbox, model.url, "full");
  const places: Places = { home: sandbox.root, env: { CLAUDE_CONFIG_DIR: claude.configFolder } };
  const { sessionId } = await claude.say([ASKED]);
  await sandbox.write(".claude/settings.json", JSON.stringify({ includeCoAuthoredBy: false }));
  const [old] = await Array.fromAsync(findNativeSessions({ places }));
  if (old === undefined) throw new Error("there is no session");
  const past = new Date(Date.now() - 40 * DAY_MS);
  utimesSync(old.location, past, past);
  const bytes = readFileSync(old.location);
  await runGuard({ places });
  rmSync(join(claude.configFolder, ".last-cleanup"), { force: true });
  await claude.say([WAIT]);
  expect(existsSync(old.location)).toBe(false);
  expect(await goneIds(places)).toEqual([sessionId]);
  await restoreGuardedSession(sessionId, { places });
  expect(readFileSync(old.location)).toEqual(bytes);
  rmSync(join(claude.configFolder, ".last-cleanup"), { force: true });
  await claude.say([WAIT]);
  expect(existsSync(old.location)).toBe(true);
  await claude.say([AFTER], { resume: sessionId });
  expect(lastRequest()).toContain("Because its backoff is reset.");
  expect((await verifyGuard(places)).problems).toEqual([]);
});

test("claude: a session of the desktop app is kept for the number of days that is set for such sessions", async () => {
  const claude = await openClaude(sandbox, model.url, "full");
  const places: Places = { home: sandbox.root, env: { CLAUDE_CONFIG_DIR: claude.configFolder } };
  const past = new Date(Date.now() - 40 * DAY_MS);
  const old = { turns: 4, writtenMs: past.getTime(), cwd: sandbox.project };
  const [own, desktop] = ["0b9c1a52", "1c9c1a52"].map(
    (start) => writeClaudeSession(sandbox.root, { id: `${start}-0000-4000-8000-000000000001`, ...old }).path,
  ) as [string, string];
  const marked = readFileSync(desktop, "utf8").replaceAll(
    '"userType":"external"',
    '"userType":"external","entrypoint":"claude-desktop"',
  );
  writeFileSync(desktop, marked);
  utimesSync(desktop, past, past);
  const due = async (): Promise<readonly string[]> => {
    const { sessions } = await findDueSessions({ places });
    return sessions.filter(({ endsAt }) => Date.parse(endsAt) < Date.now()).map(({ location }) => location);
  };
  const sweep = async (settings: object): Promise<void> => {
    await sandbox.write(".claude/settings.json", JSON.stringify(settings));
    rmSync(join(claude.configFolder, ".last-cleanup"), { force: true });
    await claude.say([WAIT]);
  };
  await sandbox.write(".claude/settings.json", JSON.stringify({ includeCoAuthoredBy: false }));
  expect(await due()).toEqual([own]);
  await sweep({ includeCoAuthoredBy: false });
  expect([existsSync(own), existsSync(desktop)]).toEqual([false, true]);
  await sandbox.write(".claude/settings.json", JSON.stringify({ desktopSessionCleanupPeriodDays: 35 }));
  expect(await due()).toEqual([desktop]);
  await sweep({ desktopSessionCleanupPeriodDays: 35 });
  expect(existsSync(desktop)).toBe(false);
});

test("gemini: a session that is 40 days old is deleted by the list command, restored, kept by later starts, and continues", async () => {
  const gemini = await openGemini(sandbox, model.url);
  const places: Places = { home: sandbox.root, env: { GEMINI_CLI_HOME: gemini.home } };
  await gemini.say(ASKED);
  const [made] = await Array.fromAsync(findNativeSessions({ places }));
  if (made === undefined) throw new Error("there is no session");
  const past = new Date(Date.now() - 40 * DAY_MS).toISOString();
  const aged = readFileSync(made.location, "utf8").replaceAll(
    /"lastUpdated":"[^"]*"/gu,
    `"lastUpdated":"${past}"`,
  );
  writeFileSync(made.location, aged);
  // These are the rules for a user who set nothing.
  const path = join(gemini.home, ".gemini/settings.json");
  const settings = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...settings, general: { enableAutoUpdate: false } }));
  await runGuard({ places });
  for (let list = 0; list < 9 && existsSync(made.location); list += 1)
    await gemini.command(["--list-sessions"]);
  expect(existsSync(made.location)).toBe(false);
  expect(await goneIds(places)).toEqual([made.sessionId]);
  const { location } = await restoreGuardedSession(made.sessionId, { places });
  for (let list = 0; list < 3; list += 1) {
    const { stdout, stderr } = await gemini.command(["--list-sessions"]);
    expect(stdout + stderr).toContain(made.sessionId);
  }
  await gemini.say(AFTER, { resume: made.sessionId });
  expect(lastRequest()).toContain("Because its backoff is reset.");
  // The next starts delete the file that the resumption left, but no longer delete the session with it.
  for (let list = 0; list < 9; list += 1) await gemini.command(["--list-sessions"]);
  expect(readdirSync(join(location, "..")).join(" ")).toContain(made.sessionId);
  expect((await verifyGuard(places)).problems).toEqual([]);
});
