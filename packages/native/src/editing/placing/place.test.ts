/** New sessions that a killed process placed, or did not place: an equal request finds them again. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "@continuo/files";
import { beforeEach, expect, test } from "vitest";
import { copyHome } from "../../../../../test/fixture-home.ts";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import type { PlaceNote } from "./notes.ts";
import { attemptKey, takeFirstAttempt } from "./place.ts";

const PID = 4_194_304;
const KEY = attemptKey("handoff", "pi", 1);

let scratch: string;
let places: Places;
let placed: PlaceNote;
beforeEach(async () => {
  scratch = scratchFolder("place");
  const copied = await copyHome(scratch, ["pi", "text-and-thinking"]);
  places = copied.places;
  const { sessionId = "", location = "" } = copied.sessions[0] ?? {};
  placed = { how: "place", agent: "pi", sessionId, location, path: location, besides: [], key: KEY };
});

const folder = (): string => join(scratch, ".continuo/unfinished");

function leave(...notes: readonly unknown[]): void {
  mkdirSync(folder(), { recursive: true });
  for (const [at, note] of notes.entries()) {
    writeFileSync(join(folder(), `${PID}-${at}.json`), JSON.stringify({ note }));
  }
}

test("the same request has the same key, and different requests have different keys", () => {
  expect(attemptKey("handoff", "pi", 1)).toBe(KEY);
  expect(KEY).toMatch(/^[0-9a-f]{64}$/u);
  const others = [attemptKey("handoff", "pi"), attemptKey("handoff", "pi", "1"), attemptKey("handoff,pi", 1)];
  expect(new Set([KEY, ...others]).size).toBe(4);
});

test("a session that was already placed for the same request is completed and returned", async () => {
  const index = join(scratch, "index.jsonl");
  const half = `${placed.path}.new-${PID}`;
  writeFileSync(half, "{");
  leave({ ...placed, besides: [{ how: "append", path: index, text: "a line\n" }] });
  const { placed: found, unplaced } = await takeFirstAttempt(KEY, places);
  expect([found?.sessionId, found?.location, unplaced]).toEqual([placed.sessionId, placed.location, []]);
  expect(readFileSync(index, "utf8")).toBe("a line\n");
  expect([existsSync(half), readdirSync(folder())]).toEqual([false, []]);
});

test("sessions that were not placed are reported, and their notes are removed", async () => {
  const missing = join(scratch, "missing.jsonl");
  const index = join(scratch, "index.jsonl");
  const besides = [{ how: "append", path: index, text: "a line\n" }];
  const none = { ...placed, sessionId: "none", location: missing, path: missing, besides };
  const strange = join(scratch, "strange.jsonl");
  writeFileSync(strange, "no session");
  const other = { ...placed, sessionId: "other" };
  leave(none, { ...placed, sessionId: "strange", location: strange, path: strange }, other);
  const found = await takeFirstAttempt(KEY, places);
  expect(found.placed).toBe(null);
  expect(found.unplaced.toSorted()).toEqual(["none", "other", "strange"]);
  expect([existsSync(index), readdirSync(folder())]).toEqual([false, []]);
});

test("notes of other requests and other edits stay", async () => {
  leave({ ...placed, key: null }, { ...placed, key: "other" }, { how: "trash", trashId: "1" });
  expect(await takeFirstAttempt(KEY, places)).toEqual({ placed: null, unplaced: [] });
  expect(readdirSync(folder())).toHaveLength(3);
});
