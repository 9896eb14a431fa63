/**
 * The time at which sessions of the desktop app are deleted: the days that are set for them, releases by the app, and
 * the administrator's setting.
 */

import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Places, statFile } from "@continuo/files";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { cleanupPeriodOf } from "./cleanup-period.ts";
import { type DesktopEnd, desktopEnd } from "./desktop-exemption.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const WRITTEN_MS = Math.floor(Date.now() / DAY_MS - 40) * DAY_MS;

let places: Places;
let managed: string;
let path: string;

beforeEach(() => {
  const home = scratchFolder("desktop-exemption");
  places = { home, env: {} };
  managed = join(home, "etc", "managed-settings.json");
  path = join(home, ".claude/projects/-work/0b9c1a52-0000-4000-8000-000000000001.jsonl");
  writeSession("claude-desktop", "claude-desktop");
});

function write(file: string, value: unknown, writtenMs: number): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
  utimesSync(file, writtenMs / 1000, writtenMs / 1000);
}

/** The file is so long that its start and its end are read separately. */
function writeSession(first: string, last: string): void {
  const records = [{ entrypoint: first }, { text: "x".repeat(200_000) }, { entrypoint: last }];
  write(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""), WRITTEN_MS);
}

function set(file: string, settings: object): void {
  write(file, settings, Date.now());
}

const personal = (): string => join(places.home, ".claude/settings.json");
const release = (reason: string, days: number): void =>
  write(path.replace(".jsonl", ".desktop-released.json"), { reason }, WRITTEN_MS + days * DAY_MS);

/**
 * Returns the days after which the session is deleted, and the rule for the app; `null` if the general rule applies.
 */
async function end(): Promise<readonly [days: number, rule: string | null]> {
  const file = statFile(path);
  if (file === null) throw new Error("there is no session");
  const period = cleanupPeriodOf(places, null, managed);
  const { atMs, rule }: DesktopEnd = await desktopEnd({ file, period, places, managed });
  return [(atMs - WRITTEN_MS) / DAY_MS, rule];
}

test("a session of the app is never deleted, or after the days in its setting, but not earlier than other sessions", async () => {
  expect((await end())[0]).toBe(Number.POSITIVE_INFINITY);
  set(personal(), { desktopSessionCleanupPeriodDays: 90 });
  expect(await end()).toEqual([90, "desktopSessionCleanupPeriodDays is 90"]);
  set(personal(), { desktopSessionCleanupPeriodDays: 9 });
  expect((await end())[0]).toBe(30);
  set(personal(), { desktopSessionCleanupPeriodDays: 0 });
  expect((await end())[0]).toBe(Number.POSITIVE_INFINITY);
});

test("the program in the first or the last record says whether a session belongs to the app", async () => {
  writeSession("cli", "cli");
  expect(await end()).toEqual([30, null]);
  writeSession("cli", "local_agent");
  expect((await end())[0]).toBe(Number.POSITIVE_INFINITY);
  writeSession("claude-desktop-3p", "sdk-ts");
  expect((await end())[0]).toBe(Number.POSITIVE_INFINITY);
});

test("a session that the app released is deleted like others, and an archived one some time later", async () => {
  release("delete", 20);
  expect(await end()).toEqual([30, null]);
  release("archive", 20);
  expect(await end()).toEqual([50, null]);
  set(personal(), { desktopSessionCleanupPeriodDays: 40 });
  expect(await end()).toEqual([40, "desktopSessionCleanupPeriodDays is 40"]);
  release("other", 20);
  expect(await end()).toEqual([40, "desktopSessionCleanupPeriodDays is 40"]);
});

test("an administrator's period applies to sessions of the app too", async () => {
  set(managed, { cleanupPeriodDays: 20, desktopSessionCleanupPeriodDays: 90 });
  expect(await end()).toEqual([20, null]);
});
