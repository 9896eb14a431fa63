/** Sessions of Gemini CLI that its settings, and its list, are going to delete, as the guard counts them. */

import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Places } from "@continuo/files";
import { beforeEach, expect, test } from "vitest";
import { DAY_MS, writeGeminiSession } from "../../../../test/guard/sessions.ts";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { findDueSessions } from "./guard/index.ts";

let places: Places;
let ids: readonly string[];

/** Three sessions of one project, the youngest first. */
beforeEach(() => {
  const home = scratchFolder("due-gemini");
  places = { home, env: {} };
  ids = [1, 5, 9].map((days, at) => {
    const id = `${at}b9c1a52-0000-4000-8000-000000000001`;
    return writeGeminiSession(home, { id, turns: 4, writtenMs: Date.now() - days * DAY_MS }).id;
  });
});

function retain(sessionRetention: object, folder: string = places.home ?? ""): void {
  const path = join(folder, ".gemini/settings.json");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ general: { sessionRetention } }));
}

async function due(): Promise<readonly (readonly [id: string, days: number, rule: string])[]> {
  const { sessions } = await findDueSessions({ places });
  return sessions.map(({ sessionId, endsAt, rule }) => [
    sessionId,
    Math.max(0, Math.round((Date.parse(endsAt) - Date.now()) / DAY_MS)),
    rule,
  ]);
}

test("sessions are due by their age, and those beyond the maximum number at the next start", async () => {
  const byAge = "general.sessionRetention.maxAge is 30d";
  const [young = "", middle = "", old = ""] = ids;
  expect(await due()).toEqual([
    [old, 21, byAge],
    [middle, 25, byAge],
    [young, 29, byAge],
  ]);
  retain({ maxCount: 2 });
  expect(await due()).toEqual([
    [old, 0, "general.sessionRetention.maxCount is 2"],
    [middle, 25, byAge],
    [young, 29, byAge],
  ]);
  const { rules } = await findDueSessions({ places });
  expect(rules.find(({ agent }) => agent === "gemini")?.rule).toContain("all but the newest 2 of a project");
});

test("settings of the project override those of the person, and without a deletion no session is due", async () => {
  retain({ maxAge: "10d" });
  expect((await due()).map(([, days]) => days)).toEqual([1, 5, 9]);
  retain({ enabled: false }, join(places.home ?? "", "project"));
  expect(await due()).toEqual([]);
  expect((await findDueSessions({ places })).rules).toContainEqual(
    expect.objectContaining({ agent: "gemini", sessions: 3 }),
  );
});

test("the maximum counts files, not sessions: an older file of the same session counts too", async () => {
  const [young = "", middle = "", old = ""] = ids;
  const chats = join(places.home ?? "", ".gemini/tmp/project/chats");
  const [name = ""] = readdirSync(chats).filter((one) => one.includes(young.slice(0, 8)));
  const time = new Date(Date.now() - 2 * DAY_MS).toISOString();
  const text = readFileSync(join(chats, name), "utf8");
  writeFileSync(
    join(chats, `session-2026-06-03T00-00-${young}.jsonl`),
    text.replaceAll(/"lastUpdated":"[^"]*"/gu, `"lastUpdated":"${time}"`),
  );
  retain({ maxCount: 2 });
  const now = (await due()).filter(([, days]) => days === 0).map(([id]) => id);
  expect(now.toSorted()).toEqual([middle, old].toSorted());
});

test("a young session is deleted with an older one if their file names have the same end", async () => {
  const [young = "", , old = ""] = ids;
  const chats = join(places.home ?? "", ".gemini/tmp/project/chats");
  const [name = ""] = readdirSync(chats).filter((one) => one.includes(old.slice(0, 8)));
  renameSync(join(chats, name), join(chats, `session-2026-05-01T00-00-${young.slice(0, 8)}.jsonl`));
  expect((await due()).filter(([id]) => id !== ids[1]).map(([id, days]) => [id, days])).toEqual([
    [old, 21],
    [young, 21],
  ]);
  retain({ maxCount: 2 });
  expect((await due()).filter(([, days]) => days === 0).map(([id]) => id)).toEqual([old, young]);
});

test("a healthy session is deleted with a file without a conversation if their names have the same end", async () => {
  const [young = ""] = ids;
  const path = join(
    places.home ?? "",
    ".gemini/tmp/project/chats",
    `session-2026-06-02T00-00-${young.slice(0, 8)}.jsonl`,
  );
  writeFileSync(path, `${JSON.stringify({ sessionId: young, projectHash: "x" })}\n`);
  const now = (await due()).filter(([, days]) => days === 0);
  expect(now.map(([id]) => id)).toContain(young);
  expect(now.every(([id]) => id === young)).toBe(true);
});
