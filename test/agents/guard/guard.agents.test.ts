/**
 * The real agents delete sessions by themselves, and the guard brings each back: the agent's own list has it, its next sweep leaves
 * it, and a resumption has its messages.
 */

import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "@continuo/files";
import { findNativeSessions } from "@continuo/native";
import { restoreGuardedSession } from "@continuo/native/editing";
import { onlyCopies, runGuard, verifyGuard } from "@continuo/native/editing/guard";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ModelServer, startModelServer, text, tool } from "../../model-servers/index.ts";
import { openClaude } from "../claude/driver.ts";
import { openGemini } from "../gemini/driver.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const ASKED = "Why does the retry loop never end?";
const AFTER = "And what ends it?";
const WAIT = "Wait for a while.";
/** Claude Code looks for old sessions some seconds into a session. */
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

test("claude: a session of 40 days is swept, comes back, stays and continues", async () => {
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

test("gemini: a session of 40 days is deleted by its list, comes back, stays and continues", async () => {
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
  // The rules of those who set nothing.
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
  // Its next starts delete the file that the resumption left, and the session no longer goes with it.
  for (let list = 0; list < 9; list += 1) await gemini.command(["--list-sessions"]);
  expect(readdirSync(join(location, "..")).join(" ")).toContain(made.sessionId);
  expect((await verifyGuard(places)).problems).toEqual([]);
});
