/** Snapshots of the fold: plain JSON with a hash, and the way back. They have ids and cursors, but no payloads. */

import { canonicalJson } from "../../model/index.ts";
import { sha256 } from "../kit/index.ts";
import type { LiveFold, OpenRequest, PendingAudio } from "./fold.ts";
import type { NoteEntry } from "./note-entries.ts";
import type { PendingEvidence } from "./pending.ts";

export const SNAPSHOT_NAME = "live";
const VERSION = 5;

export interface HashedSnapshot {
  readonly version: number;
  /** SHA-256 over the canonical JSON of `fold`. */
  readonly hash: string;
  readonly fold: Readonly<Record<string, unknown>>;
}

export function seal(fold: LiveFold): HashedSnapshot {
  const { pending, notes, requests, audio, ...rest } = fold;
  const plain = JSON.parse(
    JSON.stringify({
      ...rest,
      pending: [...pending.values()],
      notes: [...notes.values()],
      requests: [...requests.values()],
      audio: [...audio.values()],
    }),
  ) as Readonly<Record<string, unknown>>;
  return { version: VERSION, hash: sha256(canonicalJson(plain)), fold: plain };
}

/** `null` if the hash does not match the content; `"other version"` for a snapshot that must be made again. */
export function unseal(data: unknown): LiveFold | null | "other version" {
  const { version, hash, fold } = (data ?? {}) as Partial<HashedSnapshot>;
  if (typeof version === "number" && version !== VERSION) return "other version";
  if (typeof fold !== "object" || fold === null || hash !== sha256(canonicalJson(fold))) return null;
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

/** Changes whenever the notes do. */
export function contextHash({ notes }: Pick<LiveFold, "notes">): string {
  const rows = [...notes.values()].map(({ noteId, hash, status }) => [noteId, hash, status]);
  return sha256(canonicalJson(rows.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1))));
}
