/** A pass of a model over the page: its input, its call, and the events that revise notes. */

import { ContinuoError, type NewEvent, present, type Store, type StoredEvent } from "@continuo/core/model";
import { pageItemsOf } from "@continuo/core/wire";
import { draftEvent, runTurn } from "../batches/index.ts";
import { toItem } from "../evidence/index.ts";
import {
  type Decision,
  type EvidenceItem,
  LIMITS,
  type Note,
  type NoteRevision,
  type NoteWriter,
  type PageDraftItem,
  type PageRequest,
  type PageResult,
} from "../kit/index.ts";
import { noteEventsOf, readNotes } from "../notes/index.ts";
import type { LiveFold, NoteEntry } from "../state/index.ts";
import { measureCall } from "../writers/index.ts";
import type { SpeechLog } from "./extract-page.ts";
import type { PreviousPage } from "./read-page.ts";

export interface ModelPass {
  readonly store: Store;
  readonly runStore: Store;
  readonly sessionId: string;
  readonly fold: LiveFold;
  readonly writer: NoteWriter;
  readonly before: PreviousPage;
  readonly speech: SpeechLog;
  readonly outline: readonly PageDraftItem[];
  readonly signal: AbortSignal;
  /** The secondary session that keeps its run; `page` by default. */
  readonly beside?: "page" | "replay";
}

/** Asks the writer once. Errors: `agent_failed`, also for a page without chapters; those of the store. */
export async function writeWithModel(pass: ModelPass): Promise<PageResult> {
  const { runStore, sessionId, writer, signal, beside = "page" } = pass;
  const writePage = writer.writePage?.bind(writer);
  const request = await pageRequest(pass);
  let result: PageResult | undefined;
  await runTurn({
    store: runStore,
    sessionId,
    beside,
    name: writer.name,
    input: "Write the page of the session.",
    signal,
    turn: async (turn, turnSignal) => {
      if (writePage === undefined) return {};
      result = await measureCall(writer.name, () => writePage(request, { signal: turnSignal, turn }));
      const { items, revisions, usage, costUsd } = result;
      return present({ value: { items, revisions }, usage, costUsd });
    },
  });
  if (result?.items.some(({ kind }) => kind === "chapter") === true) return result;
  throw new ContinuoError("agent_failed", `${writer.name} wrote no chapters`);
}

async function pageRequest(pass: ModelPass): Promise<PageRequest> {
  const { store, sessionId, fold, before, outline } = pass;
  const notes = await readNotes(store, sessionId, revisable(fold).slice(-LIMITS.pageNotes));
  const inOrder = notes.toSorted((a, b) => a.startMs - b.startMs);
  return {
    sessionId,
    videoId: fold.videoId,
    title: fold.title,
    items: pageItemsOf(before.written, before.changes),
    outline,
    notes: inOrder,
    evidence: evidenceOf(pass, inOrder),
  };
}

/** Everything that was said; if that is too much, what the outline and the notes cite. */
function evidenceOf({ speech, outline }: ModelPass, notes: readonly Note[]): readonly EvidenceItem[] {
  const all = [...speech.transcripts, ...speech.remarks]
    .toSorted((a, b) => a.sequence - b.sequence)
    .map((event: StoredEvent) => toItem(event));
  if (charsOf(all) <= LIMITS.pageChars) return all;
  const cited = new Set([...outline, ...notes].flatMap(({ evidence }) => evidence));
  let chars = 0;
  return all.filter(({ id, text }) => {
    if (!cited.has(id) || chars + text.length > LIMITS.pageChars) return false;
    chars += text.length;
    return true;
  });
}

function charsOf(items: readonly EvidenceItem[]): number {
  return items.reduce((sum, { text }) => sum + text.length, 0);
}

/** The notes that a pass may change: those of the agent that were not yet revised too often. */
function revisable({ notes }: LiveFold): readonly NoteEntry[] {
  return [...notes.values()].filter(
    ({ status, by, revisedAtMs }) =>
      (status === "written" || status === "unsure") &&
      by === "agent" &&
      revisedAtMs.length < LIMITS.revisionsPerHour,
  );
}

export interface PassDecision {
  readonly pass: number;
  readonly writer: string;
  readonly decisionId: string;
  readonly result: PageResult;
}

/**
 * The decision of a pass with its cost, and the notes that it revises. A note that a person changed in the meantime
 * stays as it is. Errors: those of the store.
 */
export async function revisionEvents(
  { store, sessionId, fold }: Pick<ModelPass, "store" | "sessionId" | "fold">,
  { pass, writer, decisionId, result }: PassDecision,
): Promise<readonly NewEvent[]> {
  const revisions = new Map(result.revisions.map((revision) => [revision.noteId, revision]));
  const entries = revisable(fold).filter(({ noteId }) => revisions.has(noteId));
  const revised = (await readNotes(store, sessionId, entries)).flatMap((note, n) => {
    const revision = revisions.get(note.noteId);
    if (revision === undefined || revision.text === note.text) return [];
    return [revisionOf(note, revision, `${decisionId}/${n + 1}`)];
  });
  const { usage, costUsd = 0, modelCalls = 1 } = result;
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
  const data = {
    decisionId,
    sequences: [],
    decisions: revised.map(({ decision }) => decision),
    pass: { number: pass, writer },
    cost: { modelCalls, inputTokens, outputTokens, costUsd },
  };
  return [
    ...revised.map(({ draft }) => draftEvent(draft, `page/${pass}`)),
    { type: "decision_made", data },
    ...revised.flatMap(({ decision, draft, note }) =>
      noteEventsOf(decision, { draft, bases: [note], decisionId }),
    ),
  ];
}

function revisionOf(note: Note, { text, confidence }: NoteRevision, draftId: string) {
  const { noteId, startMs, endMs, evidence, hash, by: _by, damaged: _damaged, ...content } = note;
  const decision: Decision = {
    draftId,
    action: "update",
    noteId,
    hashes: [hash],
    reason: "a pass over the page",
  };
  return {
    note: { noteId, startMs, endMs, evidence, ...content },
    draft: { draftId, text, startMs, endMs, confidence, evidence, ...present({ videoId: note.videoId }) },
    decision,
  };
}
