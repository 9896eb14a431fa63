import type { NewEvent } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { LIMITS } from "../kit/index.ts";
import { addToPending, depthOf } from "./fold.ts";
import { type EvidenceQueue, hasRoom, refill } from "./pending-evidence.ts";

test("evidence for which a fold has no room is counted, and is read when there is room: the result equals a fold without limits", async () => {
  await using store = await openStore("memory:");
  const { logId } = await store.createLog();
  const fold: EvidenceQueue & { sequence: number } = { pending: new Map(), pendingRest: null, sequence: 0 };
  const waiting = new Set<number>();
  const append = async (events: readonly NewEvent[]): Promise<readonly number[]> => {
    const stored = await store.append(logId, events);
    for (const event of stored) {
      addToPending(fold, event);
      fold.sequence = event.sequence;
    }
    return stored.map(({ sequence }) => sequence);
  };
  const decide = async (sequences: readonly number[]): Promise<void> => {
    for (const sequence of sequences) waiting.delete(sequence);
    await append([{ type: "decision_made", data: { decisionId: String(sequences[0]), sequences } }]);
  };
  const most = LIMITS.pendingInMemory;
  for (let n = 0; n < most + 1_500; n += 500) {
    const batch = Array.from(
      { length: 500 },
      (_, m): NewEvent => ({
        type: "transcript_added",
        data: { text: "words", mediaTimeMs: n + m },
      }),
    );
    for (const sequence of await append(batch)) waiting.add(sequence);
  }
  expect([depthOf(fold), fold.pending.size, hasRoom(fold)]).toEqual([most + 1_500, most, false]);
  const all = [...waiting];
  // Another server has these events in memory; this one only counts them.
  await decide(all.slice(most + 100, most + 300));
  expect(depthOf(fold)).toBe(waiting.size);
  await decide(all.slice(0, most - 100));
  expect([depthOf(fold), fold.pending.size, hasRoom(fold)]).toEqual([waiting.size, 100, true]);
  await refill(store, logId, fold, addToPending);
  expect([...fold.pending.keys()]).toEqual([...waiting]);
  expect([fold.pendingRest, depthOf(fold)]).toEqual([null, waiting.size]);
});
