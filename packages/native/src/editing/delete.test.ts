/** A deletion and a restoration begin with what killed processes left. */

import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Places } from "@continuo/files";
import { beforeEach, expect, test } from "vitest";
import { copyHome } from "../../../../test/fixture-home.ts";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import {
  emptyTrash,
  listTrashedSessions,
  restoreNativeSession,
  trashNativeSession,
  trashProblems,
} from "./delete.ts";

const NOW = new Date("2026-11-22T08:00:00.000Z");
/** No process has this number: numbers end below it. */
const PID = 4_194_304;

let scratch: string;
let places: Places;
let ref: string;
let location: string;
let bytes: Buffer;
beforeEach(async () => {
  scratch = scratchFolder("delete");
  const copied = await copyHome(scratch, ["pi", "text-and-thinking"]);
  const [info] = copied.sessions;
  if (info === undefined) throw new Error("there is no session");
  places = copied.places;
  ref = `pi:${info.sessionId}`;
  location = info.location;
  bytes = readFileSync(location);
});

const continuo = (...names: string[]): string => join(scratch, ".continuo", ...names);
const trashed = (): string[] => listTrashedSessions({ places }).map(({ trashId }) => trashId);

function leaveNote(how: "trash" | "restore", trashId: string): void {
  mkdirSync(continuo("unfinished"), { recursive: true });
  writeFileSync(continuo("unfinished", `${PID}-1.json`), JSON.stringify({ note: { how, trashId } }));
}

const unfinished = (): string[] => readdirSync(continuo("unfinished"));

test("a deletion first takes back the unfinished deletion of a killed process", async () => {
  const { trashId } = await trashNativeSession(ref, { places, now: NOW });
  renameSync(continuo("trash", trashId, "files/0"), location);
  leaveNote("trash", trashId);
  const later = new Date(NOW.getTime() + 1);
  const again = await trashNativeSession(ref, { places, now: later });
  expect(again.trashedAt).toBe(later.toISOString());
  expect([trashed(), unfinished(), existsSync(location)]).toEqual([[again.trashId], [], false]);
});

test("a restoration first takes back the unfinished deletion of a killed process", async () => {
  const { trashId } = await trashNativeSession(ref, { places, now: NOW });
  copyFileSync(continuo("trash", trashId, "files/0"), location);
  leaveNote("trash", trashId);
  await expect(restoreNativeSession(ref, { places })).rejects.toMatchObject({ code: "not_found" });
  expect([trashed(), unfinished()]).toEqual([[], []]);
  expect(readFileSync(location).equals(bytes)).toBe(true);
});

test("a session can be restored to its place by its id or by its trash id", async () => {
  const first = await trashNativeSession(ref, { places, now: NOW });
  expect(await restoreNativeSession(first.trashId, { places })).toEqual(first);
  expect(readFileSync(location).equals(bytes)).toBe(true);
  const second = await trashNativeSession(ref, { places, now: NOW });
  expect(await restoreNativeSession(ref.slice(3, 12), { places })).toEqual(second);
  expect([trashed(), readFileSync(location).equals(bytes)]).toEqual([[], true]);
});

test("a session that has taken the place of a deleted one is replaced only with `force`, and keeps the given time in the trash", async () => {
  await trashNativeSession(ref, { places, now: NOW });
  writeFileSync(location, "another\n");
  await expect(restoreNativeSession(ref, { places })).rejects.toMatchObject({ code: "conflict" });
  const later = new Date(NOW.getTime() + 1);
  await restoreNativeSession(ref, { places, now: later, force: true });
  expect(readFileSync(location).equals(bytes)).toBe(true);
  expect(listTrashedSessions({ places }).map(({ trashedAt }) => trashedAt)).toEqual([later.toISOString()]);
});

test("emptying the trash removes only sessions that were deleted more than the given number of days ago", async () => {
  const { trashId } = await trashNativeSession(ref, { places, now: NOW });
  cpSync(continuo("trash", trashId), continuo("trash", "strange"), { recursive: true });
  const daysLater = (days: number): Date => new Date(NOW.getTime() + days * 24 * 60 * 60 * 1000);
  expect(emptyTrash({ places, olderThanDays: 3, now: daysLater(3) })).toEqual([]);
  expect(emptyTrash({ places, olderThanDays: 2.9, now: daysLater(3) })).toHaveLength(1);
  expect(emptyTrash({ places, olderThanDays: 0, now: daysLater(3) })).toEqual([]);
  expect(trashProblems({ places })).toEqual([
    {
      code: "unreadable",
      line: null,
      message: `${continuo("trash", "strange", "manifest.json")} is not a manifest that Continuo wrote`,
    },
  ]);
});

test("emptying the trash without an age removes everything", async () => {
  const { trashId } = await trashNativeSession(ref, { places, now: NOW });
  expect(emptyTrash({ places }).map((session) => session.trashId)).toEqual([trashId]);
  expect(trashed()).toEqual([]);
});
