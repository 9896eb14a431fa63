/** Snapshots of a long session: made in turns, as the fold is when they begin. */

import { canonicalJson } from "@continuo/core/model";
import { expect, test } from "vitest";
import { sha256 } from "../../packages/live/src/kit/index.ts";
import { emptyFold, type LiveFold } from "../../packages/live/src/state/fold.ts";
import type { NoteEntry } from "../../packages/live/src/state/note-entries.ts";
import { seal, unseal } from "../../packages/live/src/state/snapshot.ts";

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

test("a snapshot has the hash of its canonical JSON, and what it was made of comes back", async () => {
  for (const fold of [longFold(), emptyFold("chain")]) {
    const snapshot = await seal(fold);
    expect(snapshot.hash).toBe(sha256(canonicalJson(snapshot.fold)));
    expect(await unseal(snapshot)).toEqual(fold);
    expect(await unseal({ ...snapshot, fold: { ...snapshot.fold, title: "another" } })).toBeNull();
  }
});

test("a snapshot of many notes is made and read in turns", async () => {
  const fold = longFold();
  let snapshot: unknown;
  expect(await turnsOf(async () => (snapshot = await seal(fold)))).toBeGreaterThanOrEqual(6);
  expect(await turnsOf(() => unseal(snapshot))).toBeGreaterThanOrEqual(3);
});

test("what is added while a snapshot is made is no part of it", async () => {
  const fold = longFold();
  const making = seal(fold);
  fold.notes.set("late", noteAt(NOTES));
  fold.sequence = 7;
  expect(await unseal(await making)).toEqual(longFold());
});
