/**
 * Asks the note writer again about every batch, and measures how many of its notes are similar to the recorded ones.
 */

import { cancellable, type StoredEvent } from "@continuo/core/model";
import { idsOf, isUnsure, runTurn } from "../batches/index.ts";
import { fetchContextWindow, readSequences, toItem } from "../evidence/index.ts";
import {
  cosineOf,
  type Draft,
  type EvidenceItem,
  eventsAround,
  isFields,
  LIMITS,
  type Note,
  type NoteRequest,
  type NoteWriter,
  overlapOf,
  type SessionOwnerSettings,
} from "../kit/index.ts";
import { newestEntries, noteOf, readNotes } from "../notes/index.ts";
import { addEvent, emptyFold, type LiveFold } from "../state/index.ts";
import type { Disagreement, ReplayReport } from "./replay.ts";
import { decisionOfPage, newestModelPage, type PageReplay, replayPage } from "./replay-page.ts";

export interface ReplayCall {
  /** The context that the writer gets; `all` by default. */
  readonly context?: ReplayOptions["context"];
  readonly signal?: AbortSignal;
}

export interface ReplayOptions
  extends Pick<SessionOwnerSettings, "store" | "runStore" | "embedder" | "rules"> {
  readonly sessionId: string;
  readonly writer: NoteWriter;
  /** `none`: the writer gets only the evidence of each batch, without its memory, earlier notes and other evidence. */
  readonly context: "all" | "none";
  readonly signal: AbortSignal;
}

/**
 * Changes nothing in the session, because its runs are in a secondary session. Errors: `agent_failed`, and those of the
 * store.
 */
export async function replayWithModel(options: ReplayOptions): Promise<ReplayReport> {
  return await cancellable(options.signal, () => replayDecisions(options));
}

async function replayDecisions(options: ReplayOptions): Promise<ReplayReport> {
  const { store, sessionId } = options;
  const fold = emptyFold("");
  const originals: Note[] = [];
  const drafts: (Draft & { readonly sequence: number })[] = [];
  // Without context there is no page, because a page is made from the whole session.
  const recorded = options.context === "none" ? null : await newestModelPage(store, sessionId);
  let page: PageReplay | null = null;
  for await (const event of eventsAround(store, sessionId)) {
    if (event.type === "decision_made") {
      const made = await draftsOf(event, fold, options);
      drafts.push(...made.map((draft) => ({ ...draft, sequence: event.sequence })));
      if (recorded !== null && decisionOfPage(event) === decisionOfPage(recorded))
        page = await replayPage({ ...options, fold, recorded });
    }
    addEvent(fold, event);
    const note = /^note_(written|updated|merged)$/u.test(event.type) ? noteOf(event) : null;
    if (note !== null) originals.push(note);
  }
  return { ...(await compare(drafts, originals, options)), page };
}

async function draftsOf(
  decision: StoredEvent,
  fold: LiveFold,
  options: ReplayOptions,
): Promise<readonly Draft[]> {
  const { store, runStore, sessionId, writer, rules, context, signal } = options;
  const { batchId, sequences, isEnd } = isFields(decision.data) ? decision.data : {};
  if (typeof batchId !== "string" || !Array.isArray(sequences)) return [];
  if (sequences.length === 0 && isEnd !== true) return [];
  const evidence = (await readSequences(store, sessionId, sequences as readonly number[])).map(toItem);
  const request: NoteRequest = {
    sessionId,
    batchId,
    videoId: fold.videoId,
    title: fold.title,
    evidence,
    notes:
      context === "none" ? [] : await readNotes(store, sessionId, newestEntries(fold, LIMITS.newestNotes)),
    inherited: [],
    memory: context === "none" ? null : fold.memory,
    unsure: [],
    unsureBelow: rules.confidence,
    answered: [],
    isEnd: isEnd === true,
    idsOf: (named) => idsOf(store, sessionId, named),
    context: (timestampMs, window) =>
      context === "none"
        ? nothing()
        : before(decision.sequence, fetchContextWindow(store, sessionId, timestampMs, window)),
  };
  let drafts: readonly Draft[] = [];
  await runTurn({
    store: runStore,
    sessionId,
    beside: "replay",
    name: writer.name,
    input: `Write the notes of the decision ${decision.sequence} again.`,
    signal,
    turn: async (turn, turnSignal) => {
      const { drafts: made, usage } = await writer.write(request, { signal: turnSignal, turn });
      drafts = made;
      return usage === undefined ? {} : { usage };
    },
  });
  return drafts.filter((draft) => !isUnsure(draft, rules));
}

async function* nothing(): AsyncGenerator<EvidenceItem, void, void> {
  // No other evidence.
}

/** Later evidence is left out, because the writer did not have it at that time. */
async function* before(
  sequence: number,
  items: AsyncIterable<EvidenceItem>,
): AsyncGenerator<EvidenceItem, void, void> {
  for await (const item of items) if (item.sequence < sequence) yield item;
}

async function compare(
  drafts: readonly (Draft & { readonly sequence: number })[],
  originals: readonly Note[],
  { embedder, rules, signal }: ReplayOptions,
): Promise<ReplayReport> {
  const threshold = rules.similarity ?? embedder.threshold;
  const disagreements: Disagreement[] = [];
  let agreed = 0;
  for (const draft of drafts) {
    const near = originals.filter((note) => overlapOf(draft, note) >= rules.overlap);
    const [vector = [], ...others] = await embedder.embed([draft.text, ...near.map(({ text }) => text)], {
      signal,
    });
    if (others.some((other) => cosineOf(vector, other) >= threshold)) agreed++;
    else if (disagreements.length < LIMITS.shownDisagreements) {
      disagreements.push({
        sequence: draft.sequence,
        reason: "no recorded note is like the note of this batch",
      });
    }
  }
  const compared = drafts.length;
  const nothing = originals.length === 0 ? 1 : 0;
  return {
    mode: "model",
    compared,
    agreed,
    agreement: compared === 0 ? nothing : agreed / compared,
    disagreements,
  };
}
