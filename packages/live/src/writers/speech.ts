/** The speech so far, for the writer without a model: the open sentence of each speaker, and the open thought. */

import { present } from "@continuo/core/model";
import { stopOf } from "../evidence/index.ts";
import { breathing, type EvidenceItem, LIMITS, type NoteRequest } from "../kit/index.ts";
import {
  backSince,
  type EarlierWords,
  EMPTY_JOIN_STATE,
  earlierWords,
  endIfWhole,
  endSentence,
  type JoinResult,
  type JoinState,
  joinHeard,
  openSentence,
  type Piece,
  type Sentence,
} from "../sentences/index.ts";
import {
  addSentence,
  endAtPause,
  endBefore,
  endIfRoom,
  endThought,
  NO_THOUGHT,
  THOUGHT_LIMITS,
  type ThoughtNote,
  type ThoughtState,
  type Thoughts,
} from "../thoughts/index.ts";

/** Plain JSON: the writer's memory. */
export interface SpeechState extends VideoSpeech {
  readonly type: "thoughts.1";
  /** The speech of other videos whose tabs joined the session, by video id. The video that was heard last is last. */
  readonly videos?: Readonly<Record<string, VideoSpeech>>;
}

/** The speech of one video. */
interface VideoSpeech {
  /** The open sentence of each speaker. */
  readonly streams: Readonly<Record<string, JoinState>>;
  readonly thought: ThoughtState;
  /** The video was paused or ended there: a transcript of earlier speech may still arrive. */
  readonly stopped?: { readonly mediaTimeMs: number; readonly atMs: number } | null;
}

export const EMPTY_SPEECH: SpeechState = { type: "thoughts.1", streams: {}, thought: NO_THOUGHT };

/** A note, and its video if that is not the video of the session. */
export interface SpeechNote extends ThoughtNote {
  readonly videoId?: string;
}

export interface SpeechResult {
  readonly hearing: SpeechState;
  readonly notes: readonly SpeechNote[];
}

interface SpeechStep {
  readonly hearing: VideoSpeech;
  readonly notes: readonly ThoughtNote[];
}

/** Adds the evidence of a batch. Errors: those of the store. */
export async function foldSpeech(before: SpeechState, request: NoteRequest): Promise<SpeechResult> {
  const lookBack = earlierOf(request);
  const breathe = breathing();
  let state = before;
  const notes: SpeechNote[] = [];
  const take = (videoId: string | undefined, { hearing, notes: ended }: SpeechStep): void => {
    state = withHearing(state, videoId, hearing);
    notes.push(...ended.map((note) => (videoId === undefined ? note : { ...note, videoId })));
  };
  for (const item of request.evidence) {
    const { videoId } = item;
    const before = hearingOf(state, videoId);
    if (item.type === "playback_changed") {
      take(videoId, stopHearing(before, item));
      continue;
    }
    if (item.type !== "transcript_added") {
      take(videoId, pass(before, item));
      continue;
    }
    const speaker = speakerOf(before, item);
    for (const piece of piecesOf(item)) {
      take(videoId, await hearPiece(hearingOf(state, videoId), { piece, speaker, videoId }, lookBack));
      await breathe();
    }
    take(videoId, afterStop(hearingOf(state, videoId), item));
    const [longest = ""] = Object.keys(state.videos ?? {});
    // Beyond the limit, the speech of the video that was not heard for the longest time ends.
    if (Object.keys(state.videos ?? {}).length > LIMITS.joinedVideos) {
      take(longest, endHearing(hearingOf(state, longest)));
      state = withoutVideo(state, longest);
    }
  }
  return { hearing: state, notes };
}

/** True if a sentence or a thought is open. */
export function isOpenSpeech({ videos, ...own }: SpeechState): boolean {
  return [own, ...Object.values(videos ?? {})].some(
    ({ streams, thought }) =>
      thought.sentences.length > 0 || Object.values(streams).some(({ words }) => words.length > 0),
  );
}

function hearingOf(state: SpeechState, videoId: string | undefined): VideoSpeech {
  return videoId === undefined ? state : (state.videos?.[videoId] ?? EMPTY_SPEECH);
}

function withHearing(
  state: SpeechState,
  videoId: string | undefined,
  { streams, thought, stopped }: VideoSpeech,
): SpeechState {
  const hearing = { streams, thought, ...present({ stopped }) };
  if (videoId === undefined) return { ...state, ...hearing };
  const { videos = {} } = withoutVideo(state, videoId);
  return { ...state, videos: { ...videos, [videoId]: hearing } };
}

function withoutVideo(state: SpeechState, videoId: string): SpeechState {
  const { [videoId]: _, ...videos } = state.videos ?? {};
  return { ...state, videos };
}

interface PieceOfSpeaker {
  readonly piece: Piece;
  readonly speaker: string;
  readonly videoId: string | undefined;
}

type FindEarlierWords = (heard: Omit<PieceOfSpeaker, "speaker">, before: number) => Promise<EarlierWords>;

async function hearPiece(
  hearing: VideoSpeech,
  { piece, speaker, videoId }: PieceOfSpeaker,
  lookBack: FindEarlierWords,
): Promise<SpeechStep> {
  const before = hearing.streams[speaker] ?? EMPTY_JOIN_STATE;
  const since = backSince(before, piece);
  const joined = joinHeard(before, piece, since === null ? null : await lookBack({ piece, videoId }, since));
  const added = addSentences(withStream(hearing, speaker, joined.state), speaker, joined.sentences);
  const next = openSentence(joined.state);
  // Another speaker may still continue a sentence of the thought.
  if (next === null || isSaidByOthers(added.hearing, speaker)) return added;
  const isFirst = joined.sentences.length > 0;
  const isLonger =
    !isFirst &&
    lengthOf(next) >= THOUGHT_LIMITS.longAheadMs &&
    lengthOf(openSentence(before)) < THOUGHT_LIMITS.longAheadMs;
  if (!isFirst && !isLonger) return added;
  const { thought } = added.hearing;
  const ended = isFirst ? endAtPause(thought, next.startMs) : endBefore(thought, next);
  return { hearing: { ...added.hearing, thought: ended.state }, notes: [...added.notes, ...ended.notes] };
}

function lengthOf(sentence: Sentence | null): number {
  return sentence === null ? 0 : sentence.endMs - sentence.startMs;
}

function isSaidByOthers({ streams }: VideoSpeech, speaker: string): boolean {
  return Object.entries(streams).some(([name, { words }]) => name !== speaker && words.length > 0);
}

function addSentences(hearing: VideoSpeech, speaker: string, sentences: readonly Sentence[]): SpeechStep {
  let { thought } = hearing;
  const notes: ThoughtNote[] = [];
  for (const sentence of sentences) {
    const added = addSentence(thought, speaker === "" ? sentence : { ...sentence, speaker });
    thought = added.state;
    notes.push(...added.notes);
  }
  return { hearing: { ...hearing, thought }, notes };
}

/** Ends the sentences and the thoughts that are open. */
export function endSpeech(before: SpeechState): SpeechResult {
  const own = endHearing(before);
  let state = withHearing(before, undefined, own.hearing);
  const notes: SpeechNote[] = [...own.notes];
  for (const [videoId, hearing] of Object.entries(before.videos ?? {})) {
    const ended = endHearing(hearing);
    state = withHearing(state, videoId, ended.hearing);
    notes.push(...ended.notes.map((note) => ({ ...note, videoId })));
  }
  return { hearing: state, notes };
}

function endHearing(before: VideoSpeech): SpeechStep {
  return endWith(before, endSentence, endThought);
}

/**
 * The video was paused, moved to another place or ended: the thought ends. A sentence that a pause of the video cut
 * continues when the video plays again, even if the person went back a few seconds before.
 */
function stopHearing(before: VideoSpeech, item: EvidenceItem): SpeechStep {
  const state = stopOf(item);
  const stopped =
    state === "moved" ? null : { mediaTimeMs: item.startMs, atMs: Date.parse(item.event.occurredAt) };
  return endWith({ ...before, stopped }, state === "ended" ? endSentence : endIfWhole, endIfRoom);
}

/** Words that were said before the video stopped may be transcribed only later; they also end their thought. */
function afterStop(hearing: VideoSpeech, { startMs, event }: EvidenceItem): SpeechStep {
  const stopped = hearing.stopped ?? null;
  if (stopped === null) return { hearing, notes: [] };
  const isLate =
    startMs < stopped.mediaTimeMs && Date.parse(event.occurredAt) - stopped.atMs <= LIMITS.lateSpeechMs;
  return isLate
    ? endWith(hearing, endIfWhole, endIfRoom)
    : { hearing: { ...hearing, stopped: null }, notes: [] };
}

function endWith(
  before: VideoSpeech,
  endOpen: (state: JoinState) => JoinResult,
  endLast: (thought: ThoughtState) => Thoughts,
): SpeechStep {
  let hearing = before;
  const notes: ThoughtNote[] = [];
  for (const [speaker, state] of Object.entries(before.streams)) {
    const ended = endOpen(state);
    const step = addSentences(withStream(hearing, speaker, ended.state), speaker, ended.sentences);
    hearing = step.hearing;
    notes.push(...step.notes);
  }
  const last = endLast(hearing.thought);
  return { hearing: { ...hearing, thought: last.state }, notes: [...notes, ...last.notes] };
}

/** Frames and remarks that come long after the last words end the thought, because nothing was said in between. */
function pass(hearing: VideoSpeech, { startMs }: EvidenceItem): SpeechStep {
  const { thought, streams } = hearing;
  const last = thought.sentences.at(-1);
  const isOpen = Object.values(streams).some(({ words }) => words.length > 0);
  if (last === undefined || isOpen || startMs - last.endMs < LIMITS.silentMs) return { hearing, notes: [] };
  const ended = endThought(thought);
  return { hearing: { ...hearing, thought: ended.state }, notes: ended.notes };
}

export function pieceOf({ sequence, text, startMs, endMs, lang }: EvidenceItem): Piece {
  return { sequence, text, startMs, endMs, ...(lang === undefined ? {} : { lang }) };
}

/** Long texts are split into parts, each with its share of the time, so that none blocks the event loop. */
function piecesOf(item: EvidenceItem): readonly Piece[] {
  const piece = pieceOf(item);
  const { text, startMs, endMs } = piece;
  if (text.length <= LIMITS.heardChars) return [piece];
  const parts = text.match(PARTS) ?? [];
  let at = 0;
  return parts.map((part) => {
    const [from, to] = [at, at + part.length].map((place) =>
      Math.round(startMs + ((endMs - startMs) * place) / text.length),
    );
    at += part.length;
    return { ...piece, text: part, startMs: from ?? startMs, endMs: to ?? endMs };
  });
}

/** Up to the last space within the limit, or up to the limit if there is none. */
const PARTS = new RegExp(`[^]{1,${LIMITS.heardChars}}(?:\\s|$)|[^]{1,${LIMITS.heardChars}}`, "gu");

/** Beyond the limit, speakers share a stream. */
function speakerOf({ streams }: VideoSpeech, { event }: EvidenceItem): string {
  const { speaker } = event.data as { readonly speaker?: unknown };
  const name = typeof speaker === "string" ? `@${speaker}` : "";
  return name in streams || Object.keys(streams).length < LIMITS.speakers ? name : "";
}

function withStream(hearing: VideoSpeech, speaker: string, state: JoinState): VideoSpeech {
  return { ...hearing, streams: { ...hearing.streams, [speaker]: state } };
}

/** The words around the time of a piece that were heard before the person went back; each window is read once. */
function earlierOf({ context }: NoteRequest): FindEarlierWords {
  let read: { readonly atMs: number; readonly items: readonly EvidenceItem[] } | null = null;
  return async ({ piece: { startMs }, videoId }, before) => {
    if (read === null || Math.abs(startMs - read.atMs) > LIMITS.heardAgainMs / 2) {
      const items: EvidenceItem[] = [];
      const window = { primaryWindowMs: LIMITS.heardAgainMs, secondaryWindowMs: LIMITS.heardAgainMs };
      for await (const item of context(startMs, { ...window, tokenBudget: LIMITS.heardAgainTokens })) {
        if (item.type === "transcript_added") items.push(item);
      }
      read = { atMs: startMs, items };
    }
    const earlier = read.items.filter((item) => item.sequence < before && item.videoId === videoId);
    return earlierWords(earlier.map(pieceOf));
  };
}
