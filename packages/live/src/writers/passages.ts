/**
 * Evidence as a model is shown it: pieces of captions joined to sentences, and everything else as it is. The times of a
 * model's drafts are checked against them.
 */

import { type EvidenceItem, isFields, type Span } from "../kit/index.ts";
import {
  EMPTY_JOIN_STATE,
  endSentence,
  type JoinState,
  joinPiece,
  type Sentence,
} from "../sentences/index.ts";
import { pieceOf } from "./speech.ts";

/** One sentence of a speaker, or one piece of other evidence. */
export interface Passage extends Span {
  readonly type: string;
  readonly text: string;
  readonly speaker?: string;
  /** Its pieces, in the order of the log. */
  readonly items: readonly EvidenceItem[];
}

/** In the order of the log. Pieces that lie apart are never joined: a pause or a seek is between them. */
export function passagesOf(items: readonly EvidenceItem[]): readonly Passage[] {
  const sorted = [...new Map(items.map((item) => [item.sequence, item])).values()].toSorted(
    (a, b) => a.sequence - b.sequence,
  );
  const bySequence = new Map(sorted.map((item) => [item.sequence, item]));
  const streams = new Map<string, JoinState>();
  const passages: Passage[] = [];
  const add = (sentences: readonly Sentence[], speaker: string): void => {
    for (const { text, startMs, endMs, pieces, kind } of sentences) {
      if (kind === "sound") continue;
      const own = pieces.flatMap((sequence) => bySequence.get(sequence) ?? []);
      const named = speaker === "" ? {} : { speaker };
      // Captions without an end: a sentence ends at the time of its last piece, not at an estimate.
      const saidMs = Math.max(startMs, Math.min(endMs, ...own.slice(-1).map((item) => item.endMs)));
      passages.push({ type: "transcript_added", text, startMs, endMs: saidMs, ...named, items: own });
    }
  };
  for (const item of sorted) {
    const speaker = speakerOf(item);
    if (item.type !== "transcript_added") {
      const { type, text, startMs, endMs } = item;
      passages.push({ type, text, startMs, endMs, ...(speaker === "" ? {} : { speaker }), items: [item] });
      continue;
    }
    const joined = joinPiece(streams.get(speaker) ?? EMPTY_JOIN_STATE, pieceOf(item));
    streams.set(speaker, joined.state);
    add(joined.sentences, speaker);
  }
  for (const [speaker, state] of streams) add(endSentence(state).sentences, speaker);
  return passages.toSorted((a, b) => firstOf(a) - firstOf(b));
}

/** The distance before its passages at which a draft may begin. */
const EARLY_MS = 1_000;

/**
 * The begin of a draft that stands on these passages: that of the passage in which the model placed it, else that of
 * the first one, because a model may invent a time.
 */
export function startIn(passages: readonly Passage[], startMs: number | null): number {
  const within = passages.find(
    (one) =>
      startMs !== null && one.startMs - EARLY_MS <= startMs && startMs <= Math.max(one.startMs, one.endMs),
  );
  return within?.startMs ?? Math.min(...passages.map((one) => one.startMs));
}

function speakerOf({ event }: EvidenceItem): string {
  const { speaker } = isFields(event.data) ? event.data : {};
  return typeof speaker === "string" ? speaker : "";
}

function firstOf({ items }: Passage): number {
  return items[0]?.sequence ?? 0;
}
