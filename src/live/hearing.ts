/** What was heard so far, for the writer without a model: the open sentence of each speaker, and the open thought. */

import { LIMITS } from "./limits.ts";
import {
  adjoin,
  type EarlierWords,
  earlierWords,
  endSentence,
  isBehind,
  isRepeat,
  type JoinState,
  NOTHING_JOINED,
  type Piece,
  passOver,
  type Sentence,
  stepBack,
} from "./sentences/index.ts";
import {
  addSentence,
  endThought,
  NO_THOUGHT,
  type ThoughtNote,
  type ThoughtState,
} from "./thoughts/index.ts";
import type { EvidenceItem, NoteRequest } from "./types.ts";

/** Plain JSON: the writer's memory. */
export interface Hearing {
  readonly type: "thoughts.1";
  /** By speaker. */
  readonly streams: Readonly<Record<string, JoinState>>;
  readonly thought: ThoughtState;
}

export const NOTHING_HEARD: Hearing = { type: "thoughts.1", streams: {}, thought: NO_THOUGHT };

export interface Heard {
  readonly hearing: Hearing;
  readonly notes: readonly ThoughtNote[];
}

/** Adds the evidence of a batch. Errors: the store's. */
export async function hear(before: Hearing, request: NoteRequest): Promise<Heard> {
  const lookBack = earlierOf(request);
  let hearing = before;
  const notes: ThoughtNote[] = [];
  for (const item of request.evidence) {
    const step =
      item.type === "transcript_added" ? await hearPiece(hearing, item, lookBack) : pass(hearing, item);
    hearing = step.hearing;
    notes.push(...step.notes);
  }
  return { hearing, notes };
}

type LookBack = (piece: Piece, before: number) => Promise<EarlierWords>;

async function hearPiece(hearing: Hearing, item: EvidenceItem, lookBack: LookBack): Promise<Heard> {
  const piece = pieceOf(item);
  const speaker = speakerOf(hearing, item);
  let state = hearing.streams[speaker] ?? NOTHING_JOINED;
  if (isBehind(state, piece)) {
    state = stepBack(state, piece);
    const earlier = await lookBack(piece, state.backAt ?? piece.sequence);
    if (isRepeat(piece, earlier)) {
      return { hearing: withStream(hearing, speaker, passOver(state, piece)), notes: [] };
    }
  }
  const joined = adjoin(state, piece);
  return addSentences(withStream(hearing, speaker, joined.state), speaker, joined.sentences);
}

function addSentences(hearing: Hearing, speaker: string, sentences: readonly Sentence[]): Heard {
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
export function endHearing(before: Hearing): Heard {
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
function pass(hearing: Hearing, { startMs }: EvidenceItem): Heard {
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

/** Beyond the bound, speakers share a stream. */
function speakerOf({ streams }: Hearing, { event }: EvidenceItem): string {
  const { speaker } = event.data as { readonly speaker?: unknown };
  const name = typeof speaker === "string" ? `@${speaker}` : "";
  return name in streams || Object.keys(streams).length < LIMITS.speakers ? name : "";
}

function withStream(hearing: Hearing, speaker: string, state: JoinState): Hearing {
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
