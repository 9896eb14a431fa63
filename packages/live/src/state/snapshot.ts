/** Converts the fold to snapshots and back. A snapshot is plain JSON with a hash: ids and cursors, but no payloads. */

import { createHash } from "node:crypto";
import { setImmediate as otherWork } from "node:timers/promises";
import { canonicalJson } from "@continuo/core/model";
import { sha256 } from "../kit/index.ts";
import type { LiveFold, OpenRequest, PendingAudio } from "./fold.ts";
import type { NoteEntry } from "./note-entries.ts";
import type { PendingEvidence } from "./pending-evidence.ts";

export const SNAPSHOT_NAME = "live";
const VERSION = 11;

export interface HashedSnapshot {
  readonly version: number;
  /** SHA-256 over the canonical JSON of `fold`. */
  readonly hash: string;
  readonly fold: Readonly<Record<string, unknown>>;
}

/** The number of entries that are converted to text in one turn of the event loop. */
const TURN_ENTRIES = 256;
const LISTS = ["pending", "notes", "requests", "audio"] as const;

/** Copies the present fold to a snapshot; later additions do not change the snapshot. */
export async function seal(fold: LiveFold): Promise<HashedSnapshot> {
  const { pending, notes, requests, audio, ...rest } = fold;
  // An entry is never changed, only replaced by another one, so copies of the lists are enough.
  const lists = {
    pending: [...pending.values()],
    notes: [...notes.values()],
    requests: [...requests.values()],
    audio: [...audio.values()],
  };
  const plain: Record<string, unknown> = toPlain(rest);
  await otherWork();
  for (const name of LISTS) {
    const list: unknown[] = [];
    for await (const part of inTurns<object>(lists[name])) list.push(...toPlain(part));
    plain[name] = list;
  }
  return { version: VERSION, hash: await hashOf(plain), fold: plain };
}

function toPlain<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

async function* inTurns<T>(list: readonly T[]): AsyncGenerator<readonly T[], void, void> {
  for (let at = 0; at < list.length; at += TURN_ENTRIES) {
    if (at > 0) await otherWork();
    yield list.slice(at, at + TURN_ENTRIES);
  }
}

/** SHA-256 over the canonical JSON of a fold, which is computed part by part from its lists. */
async function hashOf(plain: Readonly<Record<string, unknown>>): Promise<string> {
  const hash = createHash("sha256");
  // Canonical JSON has its keys in this order.
  for (const [n, key] of Object.keys(plain).toSorted().entries()) {
    hash.update(`${n === 0 ? "{" : ","}${JSON.stringify(key)}:`);
    const value = plain[key];
    if (!Array.isArray(value)) {
      hash.update(canonicalJson(value));
      continue;
    }
    let before = "[";
    for await (const part of inTurns(value)) {
      hash.update(before + canonicalJson(part).slice(1, -1));
      before = ",";
    }
    hash.update(value.length === 0 ? "[]" : "]");
  }
  return hash.update("}").digest("hex");
}

/** Returns `null` if the hash does not match the content, and `"other version"` if the snapshot must be made again. */
export async function unseal(data: unknown): Promise<LiveFold | null | "other version"> {
  const { version, hash, fold } = (data ?? {}) as Partial<HashedSnapshot>;
  if (typeof version === "number" && version !== VERSION) return "other version";
  if (typeof fold !== "object" || fold === null || hash !== (await hashOf(fold))) return null;
  const plain = fold as unknown as LiveFold & {
    readonly pending: readonly PendingEvidence[];
    readonly notes: readonly NoteEntry[];
    readonly requests: readonly OpenRequest[];
    readonly audio: readonly PendingAudio[];
  };
  return {
    ...plain,
    pending: new Map(plain.pending.map((one) => [one.sequence, one])),
    notes: new Map(plain.notes.map((one) => [one.noteId, one])),
    requests: new Map(plain.requests.map((one) => [one.requestId, one])),
    audio: new Map(plain.audio.map((one) => [one.sequence, one])),
  };
}

/** Returns a hash that changes whenever the notes change. */
export function contextHash({ notes }: Pick<LiveFold, "notes">): string {
  // Texts are sorted without a comparison function, which would be called often for thousands of notes.
  const entries = [...notes.keys()].sort().map((noteId) => notes.get(noteId));
  const rows = entries.map((entry) => [entry?.noteId, entry?.hash, entry?.status]);
  // For lists of texts, `JSON.stringify` already writes canonical JSON.
  return sha256(JSON.stringify(rows));
}
