/** A list opens the database of opencode once for all sessions, and still reads each of them as it is then. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Places } from "@continuo/agents";
import type { SessionInfo } from "@continuo/core/model";
import { findNativeSessions, formatOf } from "@continuo/native";
import type { FoundSession } from "@continuo/native/kit";
import { beforeEach, expect, test } from "vitest";
import { makeCorpus } from "../../../bench/sessions/corpus.ts";
import { scratchFolder } from "../../scratch-folder.ts";

let places: Places;
let path: string;
beforeEach(() => {
  // Two of twenty sessions are of opencode.
  const home = makeCorpus({ name: "found", sessions: 40, totalBytes: 40_000 }, scratchFolder("found"));
  places = { home, env: {} };
  path = join(home, ".local/share/opencode/opencode.db");
});

async function skim(found: FoundSession): Promise<SessionInfo> {
  return await (await formatOf("opencode")).skim(found, { part: "whole" });
}

function rename(sessionId: string, title: string): void {
  const database = new DatabaseSync(path);
  database.prepare("update session set title = ? where id = ?").run(title, sessionId);
  database.close();
}

test("a session that opencode changes while others are listed is read as it is then", async () => {
  const titles: (string | null)[] = [];
  const found = findNativeSessions({ places, agents: ["opencode"] });
  for await (const one of found) {
    titles.push((await skim(one)).title);
    rename(one.sessionId, `was read as number ${titles.length}`);
    titles.push((await skim(one)).title);
  }
  expect(titles.filter((_, at) => at % 2 === 1)).toEqual([1, 3, 5, 7].map((n) => `was read as number ${n}`));
  expect(titles.filter((_, at) => at % 2 === 0)).not.toContain("was read as number 1");
});

test("a session is read like before when the search for sessions has ended, also if it ended early", async () => {
  const first: FoundSession[] = [];
  const pending: Promise<SessionInfo>[] = [];
  for await (const one of findNativeSessions({ places, agents: ["opencode"] })) {
    first.push(one);
    pending.push(skim(one));
    if (first.length === 2) break;
  }
  const rows = await Promise.all(pending);
  expect(rows.map(({ problems, sessionId }) => [problems, sessionId])).toEqual(
    first.map(({ sessionId }) => [[], sessionId]),
  );
  expect(await Promise.all(first.map(skim))).toEqual(rows);
});
