/** Events of a log of notes, as a fold receives them. */

import type { StoredEvent } from "@continuo/core/model";

export function eventOf(sequence: number, type: string, data: object): StoredEvent {
  return {
    id: `event-${sequence}`,
    logId: "s",
    sequence,
    type,
    data,
    actor: { kind: "system" },
    occurredAt: "2026-01-01T00:00:00.000Z",
    recordedAt: "2026-01-01T00:00:00.000Z",
    retention: "critical",
    payloadHash: "a".repeat(64),
    chainHash: "b".repeat(64),
  } as unknown as StoredEvent;
}

export function idOf(n: number): string {
  return `01890000-0000-7000-8000-${String(n).padStart(12, "0")}`;
}

export function written(sequence: number, n: number): StoredEvent {
  const hash = String(n).padStart(64, "0");
  return eventOf(sequence, "note_written", { noteId: idOf(n), mediaTimeMs: n, endMs: n + 5, hash });
}
