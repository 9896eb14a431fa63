/**
 * Decisions on drafts. A draft updates the note with the same content at the same place, merges several such notes, or
 * becomes a new note. If a draft is below the confidence limit, a person is asked about it, or it is written as unsure.
 * Pure.
 */

import {
  cosineOf,
  type Decision,
  type Draft,
  LIMITS,
  NOTE_RULES,
  type NoteRules,
  overlapOf,
} from "../kit/index.ts";
import { contentAfter, FULL, type NoteContent, noteHash } from "../notes/index.ts";
import { confidenceOf } from "./agreement.ts";

export interface ComparedDraft {
  readonly draft: Draft;
  readonly vector: readonly number[];
}

export interface ComparedNote {
  readonly note: NoteContent;
  readonly hash: string;
  readonly vector: readonly number[];
  /** `person`: a person edited or accepted it, and the agent never changes it. */
  readonly by: "agent" | "person";
  /** The number of changes by the agent in the last hour. */
  readonly revisions: number;
  /**
   * True if a stand-in wrote this note, and the session's own writer has now received the same evidence: a draft at the
   * same place then replaces the note.
   */
  readonly isStandIn?: boolean;
}

export interface Rule extends Pick<NoteRules, "overlap" | "confidence"> {
  /** The cosine from which two texts count as the same; it depends on the embedder. */
  readonly threshold: number;
  readonly newId: () => string;
  /** True if a person may be asked about an unsure draft; otherwise it is written as unsure. */
  readonly mayAsk: (draft: Draft) => boolean;
  /** True if there is room for one more note. */
  readonly mayWrite: () => boolean;
}

export interface DraftDecision {
  readonly draft: Draft;
  readonly decision: Decision;
  /** The notes that the decision changes, as they were before. */
  readonly bases: readonly NoteContent[];
}

/** Decides the drafts in their order. Each decision takes the earlier ones into account. */
export function decideDrafts(
  drafts: readonly ComparedDraft[],
  notes: readonly ComparedNote[],
  rule: Rule,
): readonly DraftDecision[] {
  let known = notes;
  return drafts.map((compared) => {
    const decided = decideDraft(compared, known, rule);
    known = after(known, compared, decided);
    return decided;
  });
}

export function isUnsure(
  { confidence }: Pick<Draft, "confidence">,
  rules: Pick<NoteRules, "confidence"> = NOTE_RULES,
): boolean {
  return confidence < rules.confidence;
}

interface Match {
  readonly compared: ComparedNote;
  readonly overlap: number;
  readonly cosine: number;
}

function decideDraft(
  { draft, vector }: ComparedDraft,
  notes: readonly ComparedNote[],
  rule: Rule,
): DraftDecision {
  const { draftId } = draft;
  const matches = notes.flatMap((compared) => matchOf({ draft, vector }, compared, rule));
  const best = matches.toSorted((a, b) => b.cosine - a.cosine)[0];
  const place = best === undefined ? {} : { overlap: round(best.overlap), cosine: round(best.cosine) };
  const free = matches.filter(({ compared }) => isFree(compared)).map(({ compared }) => compared);
  const keep = (reason: string): DraftDecision => ({
    draft,
    decision: { draftId, action: "keep", reason, ...place, ...idOf(best) },
    bases: [],
  });
  if (best !== undefined && free.length === 0) {
    return keep(
      best.compared.by === "person"
        ? "a person edited or removed the note"
        : "the note was revised 3 times in an hour",
    );
  }
  if (isUnsure(draft, rule) && rule.mayAsk(draft)) {
    return { draft, decision: { draftId, action: "ask", requestId: rule.newId(), ...place }, bases: [] };
  }
  // An unsure draft never changes a note.
  if (best !== undefined && isUnsure(draft, rule)) return keep("a note says the same with more confidence");
  const bases = free.map(({ note }) => note);
  const hashes = free.map(({ hash }) => hash);
  // A replay derives the status of the note from the rule of the decision.
  const seen = {
    ...place,
    ...(rule.confidence === NOTE_RULES.confidence ? {} : { unsureBelow: rule.confidence }),
  };
  const [one, another] = bases;
  if (one === undefined) {
    if (!rule.mayWrite()) return keep(FULL);
    return { draft, decision: { draftId, action: "write", noteId: rule.newId(), ...seen }, bases };
  }
  // The draft is stored with this confidence, so that every replay makes the same note from it.
  const weighed = { ...draft, confidence: confidenceOf(draft, bases) };
  if (another === undefined) {
    return {
      draft: weighed,
      decision: { draftId, action: "update", noteId: one.noteId, hashes, ...seen },
      bases,
    };
  }
  const sources = bases.map(({ noteId }) => noteId);
  return {
    draft: weighed,
    decision: { draftId, action: "merge", noteId: rule.newId(), sources, hashes, ...seen },
    bases,
  };
}

function matchOf(
  { draft, vector }: ComparedDraft,
  compared: ComparedNote,
  { threshold, overlap: least }: Rule,
): readonly Match[] {
  // The same time in another video is another place.
  if (draft.videoId !== compared.note.videoId) return [];
  const overlap = overlapOf(draft, compared.note);
  if (overlap < least) return [];
  const own = cosineOf(vector, compared.vector);
  const isSame = compared.isStandIn === true || isContinued(compared, draft);
  const cosine = isSame ? Math.max(own, threshold) : own;
  return cosine >= threshold ? [{ compared, overlap, cosine }] : [];
}

/** True if the draft contains the whole text of the note, even if the draft has much more text before or after. */
function isContinued(compared: ComparedNote, draft: Draft): boolean {
  const text = compared.note.text.trim();
  return isFree(compared) && text.length >= LIMITS.continuedChars && draft.text.includes(text);
}

function isFree({ by, revisions }: ComparedNote): boolean {
  return by === "agent" && revisions < LIMITS.revisionsPerHour;
}

function idOf(match: Match | undefined): { readonly noteId?: string } {
  return match === undefined ? {} : { noteId: match.compared.note.noteId };
}

function after(
  notes: readonly ComparedNote[],
  { vector }: ComparedDraft,
  { draft, decision, bases }: DraftDecision,
): readonly ComparedNote[] {
  const note = contentAfter(decision, draft, bases);
  if (note === null) return notes;
  const gone = new Set(bases.map(({ noteId }) => noteId));
  const changed = notes.filter((one) => gone.has(one.note.noteId)).map(({ revisions }) => revisions + 1);
  const revisions = Math.max(0, ...changed);
  const next: ComparedNote = { note, hash: noteHash(note), vector, by: "agent", revisions };
  return [...notes.filter((one) => !gone.has(one.note.noteId)), next];
}

/** Rounds a number to the four decimal places that are recorded. */
function round(number: number): number {
  return Math.round(number * 10_000) / 10_000;
}
