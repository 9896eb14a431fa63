import { cpSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { PlacesAt } from "@continuo/files";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  CLAUDE_ID,
  claudeFile,
  claudeText,
  cleanEnv,
  createHome,
  type Home,
} from "../../../../test/cli/home.ts";
import { tokensOf } from "./prices.ts";
import { type UsageReport, usageOfAll } from "./stats.ts";

const FIXTURES = join(import.meta.dirname, "../../../../test/fixtures");

let home: Home;
let places: PlacesAt;
beforeEach(() => {
  home = createHome();
  places = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
});

afterEach(() => vi.useRealTimers());

/** A prompt and an answer that used a thousand tokens of input and twenty of output. */
function exchange(id: string, name: string): string {
  const content = [{ type: "text", text: "Yes." }];
  return claudeText(id, [
    { uuid: `${name}1`, parent: null, role: "user", content: `Ask ${name}`, time: "10:00:00" },
    { uuid: `${name}2`, parent: `${name}1`, role: "assistant", content, time: "10:00:01" },
  ]).replace("msg_1", `msg_${name}`);
}

function rowsOf({ sessions }: UsageReport): readonly unknown[] {
  return sessions.map(({ agent, sessionId, isSubagent, buckets }) => [
    `${agent}:${sessionId}`,
    isSubagent,
    buckets.reduce((sum, { usage }) => sum + tokensOf(usage), 0),
  ]);
}

test("the tokens of a sub-agent count for the session that started it, and the sub-agent does not count as a session", async () => {
  home.write(claudeFile(CLAUDE_ID), exchange(CLAUDE_ID, "a"));
  const subagent = exchange(CLAUDE_ID, "s").replaceAll('"isSidechain":false', '"isSidechain":true');
  home.write(claudeFile(`${CLAUDE_ID}/subagents/agent-1`), subagent);
  expect(rowsOf(await usageOfAll({ places })).toSorted()).toEqual([
    [`claude:${CLAUDE_ID}`, false, 1_020],
    [`claude:${CLAUDE_ID}`, true, 1_020],
  ]);
});

test("a conversation of Continuo's own counts once: as its native session, or as itself if it has none", async () => {
  home.write(claudeFile(CLAUDE_ID), exchange(CLAUDE_ID, "a"));
  {
    await using store = await openStore(`sqlite:${join(home.path, ".continuo/continuo.db")}`);
    const usage = { inputTokens: 300, outputTokens: 7 };
    for (const [sessionId, metadata] of [
      ["joined", { providerSessions: { claude: { sessionId: CLAUDE_ID } } }],
      ["own", {}],
    ] as const) {
      await store.createSession({ sessionId, metadata });
      await store.append(sessionId, [
        { type: "message_sent", data: { content: "Why?" } },
        { type: "message_received", data: { content: "Because.", usage } },
      ]);
    }
  }
  expect(rowsOf(await usageOfAll({ places })).toSorted()).toEqual([
    [`claude:${CLAUDE_ID}`, false, 1_020],
    ["continuo:own", false, 307],
  ]);
});

test("a store that cannot be read is counted as unreadable, and the other sessions count", async () => {
  home.write(claudeFile(CLAUDE_ID), exchange(CLAUDE_ID, "a"));
  home.write(".continuo/continuo.db", "no database at all, but a text that is long enough for a header");
  const report = await usageOfAll({ places });
  expect(report.sessions).toHaveLength(1);
  expect(report.unreadable).toBe(1);
});

test("the sessions of one database keep their own tokens, also when they come from the index", async () => {
  cpSync(join(FIXTURES, "opencode/fork/home"), join(home.path, "agent"), { recursive: true });
  places = { ...places, env: { ...places.env, XDG_DATA_HOME: join(home.path, "agent") } };
  // The index takes nothing of a file that changed a moment ago.
  vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ["Date"] });
  const first = rowsOf(await usageOfAll({ places }));
  expect(new Set(first.map((row) => JSON.stringify((row as readonly unknown[])[2]))).size).toBeGreaterThan(1);
  expect(rowsOf(await usageOfAll({ places }))).toEqual(first);
});

test("a session counts since a time if one of its files changed since", async () => {
  cpSync(join(FIXTURES, "opencode/fork/home"), join(home.path, "agent"), { recursive: true });
  places = { ...places, env: { ...places.env, XDG_DATA_HOME: join(home.path, "agent") } };
  home.write(claudeFile(CLAUDE_ID), exchange(CLAUDE_ID, "a"));
  for (const file of [claudeFile(CLAUDE_ID), "agent/opencode/opencode.db"])
    utimesSync(join(home.path, file), 1_000, 1_000);
  const agents = async (): Promise<readonly string[]> =>
    (await usageOfAll({ places, changedSinceMs: 2_000_000 })).sessions.map(({ agent }) => agent);
  expect(await agents()).toEqual([]);
  // The newest changes of a database are in the file next to it.
  home.write("agent/opencode/opencode.db-wal", "");
  expect(new Set(await agents())).toEqual(new Set(["opencode"]));
});

test("other work of the process has its turn between two sessions that are counted", async () => {
  const ids = Array.from({ length: 12 }, (_, at) => CLAUDE_ID.replace(/\d{2}$/u, String(10 + at)));
  for (const id of ids) home.write(claudeFile(id), exchange(id, "a"));
  const counted: number[] = [];
  let sessions = 0;
  let turn = setImmediate(function next() {
    counted.push(sessions);
    turn = setImmediate(next);
  });
  try {
    await usageOfAll({
      places,
      onProgress: (count) => {
        sessions = count;
      },
    });
  } finally {
    clearImmediate(turn);
  }
  expect(new Set(counted).size).toBeGreaterThanOrEqual(ids.length);
});
