/** Speech so far, for the writer without a model: the open sentence of each speaker, and the open thought. */

import { breathing, type EvidenceItem, LIMITS, type NoteRequest } from "../kit/index.ts";
import {
  backSince,
  type EarlierWords,
  EMPTY_JOIN_STATE,
  earlierWords,
  endSentence,
  type JoinState,
  joinHeard,
  type Piece,
  type Sentence,
} from "../sentences/index.ts";
import {
  addSentence,
  endThought,
  NO_THOUGHT,
  type ThoughtNote,
  type ThoughtState,
} from "../thoughts/index.ts";

/** Plain JSON: the writer's memory. */
export interface SpeechState {
  readonly type: "thoughts.1";
  /** The open sentence of each speaker. */
  readonly streams: Readonly<Record<string, JoinState>>;
  readonly thought: ThoughtState;
}

export const EMPTY_SPEECH: SpeechState = { type: "thoughts.1", streams: {}, thought: NO_THOUGHT };

export interface SpeechResult {
  readonly hearing: SpeechState;
  readonly notes: readonly ThoughtNote[];
}

/** Adds the evidence of a batch. Errors: the store's. */
export async function foldSpeech(before: SpeechState, request: NoteRequest): Promise<SpeechResult> {
  const lookBack = earlierOf(request);
  const breathe = breathing();
  let hearing = before;
  const notes: ThoughtNote[] = [];
  for (const item of request.evidence) {
    if (item.type !== "transcript_added") {
      const step = pass(hearing, item);
      hearing = step.hearing;
      notes.push(...step.notes);
      continue;
    }
    for (const piece of piecesOf(item)) {
      const step = await hearPiece(hearing, { piece, speaker: speakerOf(hearing, item) }, lookBack);
      hearing = step.hearing;
      notes.push(...step.notes);
      await breathe();
    }
  }
  return { hearing, notes };
}

type LookBack = (piece: Piece, before: number) => Promise<EarlierWords>;

async function hearPiece(
  hearing: SpeechState,
  { piece, speaker }: { readonly piece: Piece; readonly speaker: string },
  lookBack: LookBack,
): Promise<SpeechResult> {
  const before = hearing.streams[speaker] ?? EMPTY_JOIN_STATE;
  const since = backSince(before, piece);
  const joined = joinHeard(before, piece, since === null ? null : await lookBack(piece, since));
  return addSentences(withStream(hearing, speaker, joined.state), speaker, joined.sentences);
}

function addSentences(hearing: SpeechState, speaker: string, sentences: readonly Sentence[]): SpeechResult {
  let { thought } = hearing;
  const notes: ThoughtNote[] = [];
  for (const sentence of sentences) {
    const added = addSentence(thought, speaker === "" ? sentence : { ...sentence, speaker });
    thought = added.state;
    notes.push(...added.notes);
  }
  return { hearing: { ...hearing, thought }, notes };
}

/** Ends the sentences and the thought that are open. */
export function endSpeech(before: SpeechState): SpeechResult {
  let hearing = before;
  const notes: ThoughtNote[] = [];
  for (const [speaker, state] of Object.entries(before.streams)) {
    const ended = endSentence(state);
    const step = addSentences(withStream(hearing, speaker, ended.state), speaker, ended.sentences);
    hearing = step.hearing;
    notes.push(...step.notes);
  }
  const last = endThought(hearing.thought);
  return { hearing: { ...hearing, thought: last.state }, notes: [...notes, ...last.notes] };
}

/** Frames and remarks that come long after the last words end the thought: nothing was said in between. */
function pass(hearing: SpeechState, { startMs }: EvidenceItem): SpeechResult {
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

/** Long texts in parts, each with its share of the time, so that none holds up the event loop. */
export function piecesOf(item: EvidenceItem): readonly Piece[] {
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

/** Up to the last space within the bound, or as much as the bound allows where there is none. */
const PARTS = new RegExp(`[^]{1,${LIMITS.heardChars}}(?:\\s|$)|[^]{1,${LIMITS.heardChars}}`, "gu");

/** Beyond the bound, speakers share a stream. */
function speakerOf({ streams }: SpeechState, { event }: EvidenceItem): string {
  const { speaker } = event.data as { readonly speaker?: unknown };
  const name = typeof speaker === "string" ? `@${speaker}` : "";
  return name in streams || Object.keys(streams).length < LIMITS.speakers ? name : "";
}

function withStream(hearing: SpeechState, speaker: string, state: JoinState): SpeechState {
  return { ...hearing, streams: { ...hearing.streams, [speaker]: state } };
}

/** The words that were heard around the time of a piece before the person seeked back; each window is read once. */
function earlierOf({ context }: NoteRequest): LookBack {
  let read: { readonly atMs: number; readonly items: readonly EvidenceItem[] } | null = null;
  return async ({ startMs }, before) => {
    if (read === null || Math.abs(startMs - read.atMs) > LIMITS.heardAgainMs / 2) {
      const items: EvidenceItem[] = [];
      const window = { primaryWindowMs: LIMITS.heardAgainMs, secondaryWindowMs: LIMITS.heardAgainMs };
      for await (const item of context(startMs, { ...window, tokenBudget: LIMITS.heardAgainTokens })) {
        if (item.type === "transcript_added") items.push(item);
      }
      read = { atMs: startMs, items };
    }
    return earlierWords(read.items.filter(({ sequence }) => sequence < before).map(pieceOf));
  };
}
