/** Damage of a log: stored events that are not what was written, found by their hashes. Pure. */

import { canonicalJson, chainHash, payloadHash, type StoredEvent } from "@continuo/core/model";
import { isFields, sha256 } from "./values.ts";

/** One damaged event, or a run of events that are missing. */
export interface Damage {
  readonly sequence: number;
  /** The last sequence of a run of missing events; else the same as `sequence`. */
  readonly through: number;
  readonly reason: string;
  /** The type, the id and the note of the event, if its row can be read. They may be forged too. */
  readonly type: string | null;
  readonly eventId: string | null;
  readonly noteId: string | null;
}

/** Why the log cannot be trusted, and the last sequence that was checked. */
export interface DamageReport {
  readonly reason: string;
  readonly damages: readonly Damage[];
  readonly foundAt: number;
}

/** The end of the checked part of a log. `chainHash` is empty after an event whose hash is not known. */
export interface ChainPlace {
  readonly sequence: number;
  readonly chainHash: string;
}

/** The type of the placeholder for an event whose row cannot be read. */
export const UNREADABLE = "unreadable";

/** Returns the damage of an event that follows the place: missing events before it, and the event itself. */
export function damagesOf(place: ChainPlace, event: StoredEvent): readonly Damage[] {
  const first = place.sequence + 1;
  const isGap = event.sequence > first;
  const gap = isGap ? [missing(first, event.sequence - 1)] : [];
  const reason = reasonOf(isGap ? "" : place.chainHash, event);
  return reason === null ? gap : [...gap, damageOf(event, reason)];
}

export function missing(sequence: number, through: number): Damage {
  const reason = `the log has a gap after ${sequence - 1}`;
  return { sequence, through, reason, type: null, eventId: null, noteId: null };
}

/** True if the payload of an event is what was written, or cannot be checked: it was pruned, or it is bytes. */
export function hasItsPayload({ pruned, data, salt, payloadHash: hash }: StoredEvent): boolean {
  // A pruned payload no longer exists; its hash is still part of the chain.
  if (pruned !== undefined || data instanceof Uint8Array) return true;
  return payloadHash(sha256, canonicalJson(data), salt) === hash;
}

function reasonOf(chain: string, event: StoredEvent): string | null {
  const { sequence } = event;
  if (event.damaged !== undefined) return event.damaged;
  if (!hasItsPayload(event)) return payloadReason(sequence);
  const isChained = chain === "" || chainHash(sha256, chain, event) === event.chainHash;
  return isChained ? null : `the event ${sequence} does not have its hash`;
}

export function payloadReason(sequence: number): string {
  return `the payload of the event ${sequence} does not have its hash`;
}

function damageOf({ sequence, type, id, data }: StoredEvent, reason: string): Damage {
  const noteId = isFields(data) && typeof data.noteId === "string" ? data.noteId : null;
  const isKnown = type !== UNREADABLE;
  return {
    sequence,
    through: sequence,
    reason,
    type: isKnown ? type : null,
    eventId: isKnown ? id : null,
    noteId,
  };
}

/** True if the event of the sequence is part of the damage. */
export function isAmong(damages: Iterable<Damage>, sequence: number): boolean {
  for (const one of damages) if (one.sequence <= sequence && sequence <= one.through) return true;
  return false;
}

/** The damage in the data of an event; fields that are not damage are left out. */
export function damagesIn(value: unknown): readonly Damage[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.flatMap((one) => damageIn(one) ?? []);
}

export function damageIn(value: unknown): Damage | null {
  if (!isFields(value) || typeof value.sequence !== "number") return null;
  const { sequence, through, reason, type, eventId, noteId } = value;
  const textOf = (one: unknown): string | null => (typeof one === "string" ? one : null);
  return {
    sequence,
    through: typeof through === "number" ? through : sequence,
    reason: textOf(reason) ?? "unknown",
    type: textOf(type),
    eventId: textOf(eventId),
    noteId: textOf(noteId),
  };
}
