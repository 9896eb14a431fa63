import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { expiryProblems } from "./expiry.ts";
import { claudeFormat } from "./index.ts";

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse("2026-06-30T12:00:00Z");
const messagesAt = (ageDays: number, days: number): string[] =>
  expiryProblems(NOW_MS + (days - ageDays) * DAY_MS, `cleanupPeriodDays is ${days}`, NOW_MS).map(
    (problem) => problem.message,
  );

test("a session is reported as expiring in its last seven days, with the date", () => {
  expect(messagesAt(22.9, 30)).toEqual([]);
  expect(messagesAt(23, 30)).toEqual([
    "Claude Code deletes this session from 2026-07-07 on: cleanupPeriodDays is 30",
  ]);
  expect(messagesAt(31, 30)).toEqual([
    "Claude Code deletes this session at its next start (due since 2026-06-29): cleanupPeriodDays is 30",
  ]);
  expect(messagesAt(200, 36_500)).toEqual([]);
});

test("the period is read from settings.json, and only sessions that Claude Code removes are reported", async () => {
  const home = scratchFolder("expiry");
  const project = join(home, ".claude", "projects", "-a");
  mkdirSync(project, { recursive: true });
  const line = JSON.stringify({
    type: "user",
    uuid: "u",
    parentUuid: null,
    message: { content: "hi" },
    sessionId: "x",
  });
  const codesOf = async (path: string): Promise<string[]> => {
    writeFileSync(path, `${line}\n`);
    const old = new Date(Date.now() - 40 * DAY_MS);
    utimesSync(path, old, old);
    const found = await claudeFormat.recognise(path, { home, env: {} });
    if (found === null) throw new Error("not recognised");
    using session = await claudeFormat.open(found, { home, env: {} }, {});
    return session.problems.map((problem) => problem.code);
  };
  expect(await codesOf(join(project, "x.jsonl"))).toEqual(["expires_soon"]);
  expect(await codesOf(join(home, "x.jsonl"))).toEqual([]);
  writeFileSync(join(home, ".claude", "settings.json"), '{"cleanupPeriodDays":36500}');
  expect(await codesOf(join(project, "x.jsonl"))).toEqual([]);
  writeFileSync(join(home, ".claude", "settings.json"), "{broken");
  expect(await codesOf(join(project, "x.jsonl"))).toEqual(["expires_soon"]);
  rmSync(home, { recursive: true });
});
