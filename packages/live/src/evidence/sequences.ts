/** Events of a session by their sequences, and evidence as a note writer receives it. */

import type { Store, StoredEvent } from "@continuo/core/model";
import type { PlaybackInput } from "@continuo/core/wire";
import { type EvidenceItem, isFields, LIMITS } from "../kit/index.ts";

/** Reads the events of these sequences in as few pages as possible. Errors: those of the store. */
export async function readSequences(
  store: Store,
  sessionId: string,
  sequences: readonly number[],
): Promise<readonly StoredEvent[]> {
  const wanted = new Set(sequences);
  const found: StoredEvent[] = [];
  let next: number | undefined = sequences[0];
  while (next !== undefined) {
    const before: number = endOfGroup(sequences, next) + 1;
    const page: Awaited<ReturnType<Store["read"]>> = await store.read(sessionId, { after: next - 1, before });
    const last = page.events.at(-1)?.sequence ?? before;
    found.push(...page.events.filter(({ sequence }) => wanted.has(sequence)));
    next = sequences.find((sequence) => sequence > last);
  }
  return found;
}

/** The last of the sequences that lie close to the given one. */
function endOfGroup(sequences: readonly number[], from: number): number {
  let end = from;
  for (const sequence of sequences) {
    if (sequence <= end) continue;
    if (sequence - end > LIMITS.readGap || sequence - from > LIMITS.restorePage) break;
    end = sequence;
  }
  return end;
}

export function toItem(event: StoredEvent): EvidenceItem {
  const data = isFields(event.data) ? event.data : {};
  const startMs = typeof data.mediaTimeMs === "number" ? data.mediaTimeMs : 0;
  const { id, sequence, type, retention } = event;
  return {
    id,
    sequence,
    type,
    retention,
    startMs,
    endMs: typeof data.endMs === "number" ? data.endMs : startMs,
    text: textIn(data),
    ...(typeof data.lang === "string" ? { lang: data.lang } : {}),
    ...(typeof data.videoId === "string" ? { videoId: data.videoId } : {}),
    event,
  };
}

/** Why the playing of the video stopped, for `playback_changed`. */
export function stopOf({ event }: EvidenceItem): PlaybackInput["state"] {
  const { state } = isFields(event.data) ? event.data : {};
  return state === "moved" || state === "ended" ? state : "paused";
}

function textIn({ text, description, content }: Readonly<Record<string, unknown>>): string {
  return [text, description, content].find((one) => typeof one === "string") ?? "";
}

/** `3-7, 9` */
export function rangesOf(sequences: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const sequence of sequences) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === sequence - 1) last[1] = sequence;
    else ranges.push([sequence, sequence]);
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(", ");
}
