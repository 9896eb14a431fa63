/** Marks notes that depend on damaged events: by the evidence that they name, or by the decision on that evidence. */

import type { Store } from "@continuo/core/model";
import { type Damage, isAmong, isFields, LIMITS, type Note } from "../kit/index.ts";
import type { Follower } from "../state/index.ts";

/** Returns the notes, with `damaged` where it applies. Errors: those of the store. */
export async function markDamaged(
  store: Store,
  { sessionId, damages, fold }: Follower,
  notes: readonly Note[],
): Promise<readonly Note[]> {
  const all = [...damages, ...fold.quarantined];
  if (all.length === 0) return notes;
  const decided = await decidedFrom(store, sessionId, all);
  return notes.map((note) => {
    const evidence = new Set(note.evidence);
    const ids = new Set([note.noteId, ...note.lineage]);
    const damaged = all
      .filter(
        ({ eventId, noteId, sequence }) =>
          (eventId !== null && evidence.has(eventId)) ||
          (noteId !== null && ids.has(noteId)) ||
          (decided.get(sequence) ?? []).some((id) => ids.has(id)),
      )
      .map(({ sequence }) => sequence);
    return damaged.length === 0 ? note : { ...note, damaged };
  });
}

/** The notes of the decisions on events whose id is not known. */
async function decidedFrom(
  store: Store,
  sessionId: string,
  damages: readonly Damage[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const nameless = damages.filter(({ eventId }) => eventId === null);
  const decided = new Map<number, readonly string[]>();
  if (nameless.length === 0) return decided;
  const types = ["decision_made"];
  let after: number | null = Math.min(...nameless.map(({ sequence }) => sequence)) - 1;
  for (let page = 0; after !== null && page < LIMITS.decisionPages; page++) {
    const read: Awaited<ReturnType<Store["read"]>> = await store.read(sessionId, { after, types });
    for (const { data } of read.events) {
      const { sequences, decisions } = isFields(data) ? data : {};
      if (!Array.isArray(sequences) || !Array.isArray(decisions)) continue;
      const noteIds = decisions.flatMap((one) =>
        isFields(one) && typeof one.noteId === "string" ? [one.noteId] : [],
      );
      for (const damage of nameless) {
        if (!sequences.some((sequence) => isAmong([damage], sequence as number))) continue;
        decided.set(damage.sequence, [...(decided.get(damage.sequence) ?? []), ...noteIds]);
      }
    }
    after = read.nextAfter;
  }
  return decided;
}
