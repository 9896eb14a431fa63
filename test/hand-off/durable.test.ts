/** An acknowledged edit survives a loss of power: every byte and every name is on disk when the call returns. */

import { appendFileSync, cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { listNativeSessions, openSessionAdapter, type Places } from "@continuo/agents";
import type { SessionInfo } from "@continuo/core/model";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { type Edit, runEdit } from "./edits.ts";
import { type Watch, watchWrites } from "./watch-writes.ts";

let home: string;
let places: Places;
let info: SessionInfo;
let watch: Watch;

beforeEach(async () => {
  home = scratchFolder("durable");
  places = { home, env: {} };
  mkdirSync(join(home, "project"));
  cpSync(join(import.meta.dirname, "../fixtures/claude/parallel-tools/home"), join(home, ".claude"), {
    recursive: true,
  });
  const [first] = await listNativeSessions({ agents: ["claude"], places });
  if (first === undefined) throw new Error("no session");
  info = first;
});
afterEach(() => {
  watch.stop();
});

const EDITS: readonly Edit[] = [
  "fork",
  "rename",
  "repair",
  "delete",
  "hand-off to codex",
  "hand-off to gemini",
  "hand-off to pi",
];

test.each(EDITS)("%s leaves no data that a loss of power would remove", async (edit) => {
  if (edit === "repair") appendFileSync(info.location, '{"torn');
  watch = watchWrites(home);
  await runEdit(edit, `claude:${info.sessionId}`, places);
  expect(watch.unsynced()).toEqual([]);
  if (edit !== "rename") expect(watch.moves.length).toBeGreaterThan(1);
});

test("restore leaves no data that a loss of power would remove", async () => {
  await runEdit("delete", info.sessionId, places);
  watch = watchWrites(home);
  await runEdit("restore", info.sessionId, places);
  expect(watch.unsynced()).toEqual([]);
  expect(watch.moves.map(([, to]) => to)).toContain(info.location);
});

test("an append leaves no data that a loss of power would remove", async () => {
  watch = watchWrites(home);
  await using adapter = openSessionAdapter({ format: "ccsdk", sessionFile: info.location, places });
  await adapter.appendUserMessage("Go on.");
  expect(watch.unsynced()).toEqual([]);
});

test("the note and the manifest of a deletion are on disk before the first file moves", async () => {
  watch = watchWrites(home);
  await runEdit("delete", info.sessionId, places);
  const order = watch.moves.map(([from, to]) => {
    if (to.includes("/unfinished/")) return "note";
    if (to.endsWith("/manifest.json")) return "manifest";
    return from === info.location ? "session" : "other";
  });
  expect(order.slice(0, 3)).toEqual(["note", "manifest", "session"]);
});
