/** Snapshots of a long session: made in several turns, from the fold as it was at the beginning. */

import { canonicalJson } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { sha256 } from "../../packages/live/src/kit/index.ts";
import { emptyFold, type LiveFold } from "../../packages/live/src/state/fold.ts";
import { Follower } from "../../packages/live/src/state/follower.ts";
import type { NoteEntry } from "../../packages/live/src/state/note-entries.ts";
import { restore } from "../../packages/live/src/state/restore.ts";
import { contextHash, seal, unseal } from "../../packages/live/src/state/snapshot.ts";

const NOTES = 1_000;

function noteAt(n: number): NoteEntry {
  const place = { sequence: n, startMs: n, endMs: n + 1, hash: `h${n}` };
  return { noteId: `note ${n}`, ...place, status: "draft", by: "agent", revisedAtMs: [] } as NoteEntry;
}

function longFold(): LiveFold {
  const fold = emptyFold("chain");
  for (let n = 0; n < NOTES; n++) fold.notes.set(`note ${n}`, noteAt(n));
  return fold;
}

/** Turns of the event loop. */
async function turnsOf(run: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let turn = setImmediate(function next() {
    turns++;
    turn = setImmediate(next);
  });
  await run();
  clearImmediate(turn);
  return turns;
}

test("a snapshot has the hash of its canonical JSON, and restoring it gives the same fold", async () => {
  for (const fold of [longFold(), emptyFold("chain")]) {
    const snapshot = await seal(fold);
    expect(snapshot.hash).toBe(sha256(canonicalJson(snapshot.fold)));
    expect(await unseal(snapshot)).toEqual(fold);
    expect(await unseal({ ...snapshot, fold: { ...snapshot.fold, title: "another" } })).toBeNull();
  }
});

test("a snapshot of many notes is made and read in several turns", async () => {
  const fold = longFold();
  let snapshot: unknown;
  expect(await turnsOf(async () => (snapshot = await seal(fold)))).toBeGreaterThanOrEqual(7);
  expect(await turnsOf(() => unseal(snapshot))).toBeGreaterThanOrEqual(3);
});

test("the hash of the notes is that of their canonical JSON, sorted by id, in whatever order they are", () => {
  const fold = longFold();
  const rows = [...fold.notes.values()].map(({ noteId, hash, status }) => [noteId, hash, status]);
  rows.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  expect(contextHash(fold)).toBe(sha256(canonicalJson(rows)));
});

test("a session without a snapshot is restored with 128 events in each turn", async () => {
  await using store = await openStore("memory:");
  await store.createLog({ logId: "talk" });
  await store.append(
    "talk",
    Array.from({ length: 1_280 }, (_, n) => ({ type: "note", data: { n } })),
  );
  const turns = await turnsOf(async () => {
    const { fold, fault } = await restore(store, "talk");
    expect([fold.sequence, fault]).toEqual([1_280, null]);
  });
  expect(turns).toBeGreaterThanOrEqual(9);
});

test("reading the last page of a restore and opening the session are two turns", async () => {
  await using store = await openStore("memory:");
  await store.createLog({ logId: "talk" });
  await store.append("talk", [{ type: "note", data: {} }]);
  const open = (): Promise<Follower> => Follower.open({ store, sessionId: "talk", report: () => undefined });
  (await open()).close();
  expect(await turnsOf(async () => (await open()).close())).toBeGreaterThanOrEqual(1);
});

test("a snapshot does not contain events that are added while it is made", async () => {
  const fold = longFold();
  const making = seal(fold);
  fold.notes.set("late", noteAt(NOTES));
  fold.sequence = 7;
  expect(await unseal(await making)).toEqual(longFold());
});
