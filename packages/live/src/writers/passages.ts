/**
 * Brings evidence into the form in which a model receives it: joins pieces of captions to sentences, and leaves
 * everything else unchanged. The times of a model's drafts are checked against these passages.
 */

import { present } from "@continuo/core/model";
import { type EvidenceItem, isFields, type Span } from "../kit/index.ts";
import {
  backSince,
  type EarlierWords,
  EMPTY_JOIN_STATE,
  earlierWords,
  endSentence,
  isClosed,
  type JoinState,
  joinHeard,
  type Piece,
  type Sentence,
} from "../sentences/index.ts";
import { pieceOf } from "./speech.ts";

/** One sentence of a speaker, or one piece of other evidence. */
export interface Passage extends Span {
  readonly type: string;
  readonly text: string;
  readonly speaker?: string;
  /** The video in which its span lies, if that is not the video of the session. */
  readonly videoId?: string;
  /** Set for the last sentence of a speaker if no punctuation mark ends it: it may continue. */
  readonly isOpen?: true;
  /** The pieces of the passage, in the order of the log. */
  readonly items: readonly EvidenceItem[];
}

/** The pieces of one speaker so far, and the number of them that are already joined. */
interface Stream {
  state: JoinState;
  readonly pieces: Piece[];
  /** The words before the newest stretch after a seek back, keyed by the beginning of that stretch. */
  earlier: { readonly before: number; readonly words: EarlierWords } | null;
}

/**
 * Returns the passages in the order of the log. Pieces with a pause or a seek between them are never joined. Words that
 * are heard a second time after a seek back are here only once, because the seek may end in the middle of a sentence.
 */
export function passagesOf(items: readonly EvidenceItem[]): readonly Passage[] {
  const sorted = [...new Map(items.map((item) => [item.sequence, item])).values()].toSorted(
    (a, b) => a.sequence - b.sequence,
  );
  const bySequence = new Map(sorted.map((item) => [item.sequence, item]));
  const streams = new Map<string, Stream>();
  const passages: Passage[] = [];
  const add = (sentences: readonly Sentence[], standing: "ended" | "last" = "ended"): void => {
    for (const { text, startMs, endMs, pieces, kind } of sentences) {
      if (kind === "sound") continue;
      const own = pieces.flatMap((sequence) => bySequence.get(sequence) ?? []);
      const [first] = own;
      if (first === undefined) continue;
      // Some captions have no end time. A sentence ends at the time of its last piece, not at an estimated time.
      const saidMs = Math.max(startMs, Math.min(endMs, ...own.slice(-1).map((item) => item.endMs)));
      passages.push({
        type: "transcript_added",
        text,
        startMs,
        endMs: saidMs,
        ...sourceOf(first),
        ...present({ isOpen: standing === "last" && !isClosed(text) ? (true as const) : undefined }),
        items: own,
      });
    }
  };
  for (const item of sorted) {
    if (item.type === "playback_changed") continue;
    if (item.type !== "transcript_added") {
      const { type, text, startMs, endMs } = item;
      passages.push({ type, text, startMs, endMs, ...sourceOf(item), items: [item] });
      continue;
    }
    const source = JSON.stringify(sourceOf(item));
    const stream = streams.get(source) ?? { state: EMPTY_JOIN_STATE, pieces: [], earlier: null };
    streams.set(source, stream);
    const piece = pieceOf(item);
    const joined = joinHeard(stream.state, piece, earlierIn(stream, piece));
    stream.state = joined.state;
    stream.pieces.push(piece);
    add(joined.sentences);
  }
  for (const { state } of streams.values()) add(endSentence(state).sentences, "last");
  return passages.toSorted((a, b) => firstOf(a) - firstOf(b));
}

/** Returns `null` for a piece that cannot be a repetition. */
function earlierIn(stream: Stream, piece: Piece): EarlierWords | null {
  const before = backSince(stream.state, piece);
  if (before === null) return null;
  if (stream.earlier?.before !== before) {
    const words = earlierWords(stream.pieces.filter(({ sequence }) => sequence < before));
    stream.earlier = { before, words };
  }
  return stream.earlier.words;
}

/** A draft may begin at most this long before its passages. */
const EARLY_MS = 1_000;

/**
 * Returns the beginning of a draft that is based on these passages. It is the beginning of the passage in which the
 * model placed the draft, or else of the first passage, because a model may invent a time.
 */
export function startIn(passages: readonly Passage[], startMs: number | null): number {
  const within = passages.find(
    (one) =>
      startMs !== null && one.startMs - EARLY_MS <= startMs && startMs <= Math.max(one.startMs, one.endMs),
  );
  return within?.startMs ?? Math.min(...passages.map((one) => one.startMs));
}

/** Words of several speakers, or of several videos, are never one sentence. */
function sourceOf({ event, videoId }: EvidenceItem): Pick<Passage, "speaker" | "videoId"> {
  const { speaker } = isFields(event.data) ? event.data : {};
  return present({ speaker: typeof speaker === "string" && speaker !== "" ? speaker : undefined, videoId });
}

function firstOf({ items }: Passage): number {
  return items[0]?.sequence ?? 0;
}
