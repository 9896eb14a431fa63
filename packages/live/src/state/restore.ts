/**
 * Restores a session from its newest snapshot and the events after it, or only from the log, and verifies both.
 * Damaged events are left out, and everything else is folded.
 */

import { type CallOptions, CHAIN_START, present, type Store, type StoredEvent } from "@continuo/core/model";
import {
  type ChainPlace,
  type Damage,
  damageIn,
  damagesOf,
  eventsAround,
  isAmong,
  missing,
  readAround,
} from "../kit/index.ts";
import { readRepairs, withoutRepaired } from "./ended-repairs.ts";
import { addEvent, emptyFold, type LiveFold } from "./fold.ts";
import { SNAPSHOT_NAME, unseal } from "./snapshot.ts";
import { isFinal } from "./state-machine.ts";

export interface RestoreResult {
  readonly fold: LiveFold;
  /** Why the session cannot be trusted; `null` if everything was verified, or put aside by a repair. */
  readonly fault: string | null;
  /** The damage that was found and that no repair has put aside. */
  readonly damages: readonly Damage[];
  /** The sequence of the snapshot that it began with; 0 without one. */
  readonly fromSequence: number;
}

export interface RestoreOptions extends CallOptions {
  /** `none` restores from the log without a snapshot. */
  readonly snapshots?: "newest" | "none";
  /** Uses only a snapshot before this sequence, because the event there is known to be damaged. */
  readonly before?: number;
}

/** Errors: those of the store, if the log cannot be read at all. */
export async function restore(
  store: Store,
  sessionId: string,
  { snapshots = "newest", before, ...call }: RestoreOptions = {},
): Promise<RestoreResult> {
  const atSequence = before === undefined ? undefined : before - 1;
  const place = present({ ...call, atSequence });
  const start = snapshots === "none" ? { fold: fresh() } : await snapshotFold(store, sessionId, place);
  const restored = await foldFrom(store, sessionId, { ...start, call });
  // A snapshot that was made before the damage was found includes the damaged events.
  const isBefore = restored.fold.damaged.every(({ sequence }) => sequence > restored.fromSequence);
  if (isBefore || restored.fromSequence === 0) return restored;
  const first = Math.min(...restored.fold.damaged.map(({ sequence }) => sequence));
  const older = await snapshotFold(store, sessionId, { ...call, atSequence: first - 1 });
  return foldFrom(store, sessionId, { ...older, call });
}

interface Start {
  readonly fold: LiveFold;
  /** Why no snapshot could be used. */
  readonly fault?: string;
}

async function foldFrom(
  store: Store,
  sessionId: string,
  { fold, fault, call }: Start & { readonly call: CallOptions },
): Promise<RestoreResult> {
  const fromSequence = fold.sequence;
  let damages: readonly Damage[] = [];
  for await (const event of eventsAround(store, sessionId, { after: fromSequence, ...call })) {
    const found = addChecked(fold, event);
    damages = leftAfter([...damages, ...found], event);
    if (event.sequence === 1 && found.length > 0) await addRow(store, sessionId, { fold, event });
  }
  if (isFinal(fold.state)) {
    const repairs = await readRepairs(store, sessionId);
    fold.quarantined = [...fold.quarantined, ...repairs];
    damages = withoutRepaired(damages, repairs);
  }
  return { fold, fault: fault ?? damages[0]?.reason ?? null, damages, fromSequence };
}

/** Folds the next event, or leaves it out. Returns the damage. */
export function addChecked(fold: LiveFold, event: StoredEvent): readonly Damage[] {
  const found = damagesOf(fold, event);
  if (isAmong(found, event.sequence)) {
    fold.sequence = event.sequence;
    fold.chainHash = event.chainHash;
  } else addEvent(fold, event);
  return found;
}

/** The damage that is left after an event: the record of a quarantine ends the damage that it names. */
export function leftAfter(damages: readonly Damage[], { type, data }: StoredEvent): readonly Damage[] {
  const aside = type === "event_quarantined" ? damageIn(data) : null;
  return aside === null
    ? damages
    : damages.filter(({ sequence }) => sequence < aside.sequence || sequence > aside.through);
}

/** Returns each event that is missing or has a wrong hash, also at the end, without those that a repair put aside. */
export async function inspectLog(
  store: Store,
  sessionId: string,
  call: CallOptions = {},
): Promise<readonly Damage[]> {
  const latest = await store.latestSequence(sessionId);
  let place: ChainPlace = { sequence: 0, chainHash: CHAIN_START };
  let damages: readonly Damage[] = [];
  for await (const event of eventsAround(store, sessionId, call)) {
    damages = leftAfter([...damages, ...damagesOf(place, event)], event);
    place = event;
  }
  const all = place.sequence < latest ? [...damages, missing(place.sequence + 1, latest)] : damages;
  return all.length === 0 ? all : withoutRepaired(all, await readRepairs(store, sessionId));
}

/** The first event has the key and the video; if it is damaged, they are taken from the session's row. */
async function addRow(
  store: Store,
  sessionId: string,
  { fold, event }: { readonly fold: LiveFold; readonly event: StoredEvent },
): Promise<void> {
  const session = await store.getSession(sessionId);
  if (session === null) return;
  const { metadata, title, createdAt } = session;
  addEvent(fold, { ...event, type: "session_created", occurredAt: createdAt, data: { metadata, title } });
}

function fresh(): LiveFold {
  return emptyFold(CHAIN_START);
}

async function snapshotFold(
  store: Store,
  sessionId: string,
  place: CallOptions & { readonly atSequence?: number },
): Promise<Start> {
  const snapshot = await store.getLatestSnapshot({ logId: sessionId, name: SNAPSHOT_NAME, ...place });
  if (snapshot === null) return { fold: fresh() };
  const fold = await unseal(snapshot.data);
  if (fold === "other version") return { fold: fresh() };
  if (fold === null || fold.sequence !== snapshot.sequence) {
    return { fold: fresh(), fault: `the snapshot at ${snapshot.sequence} does not have its hash` };
  }
  const at = present({ after: snapshot.sequence - 1, limit: 1, signal: place.signal });
  const { events } = await readAround(store, sessionId, at);
  if (events[0]?.sequence === snapshot.sequence && events[0].chainHash === fold.chainHash) return { fold };
  return { fold: fresh(), fault: `the log at ${snapshot.sequence} does not have the hash of its snapshot` };
}
