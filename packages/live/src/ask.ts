/** A person's question about the video, answered from the notes and the evidence. */

import { ContinuoError, cancellable, type NewEvent } from "@continuo/core/model";
import type { LiveAnswer } from "@continuo/core/wire";
import { runTurn } from "./batches/index.ts";
import { fetchContextWindow } from "./evidence/index.ts";
import {
  type AskRequest,
  type AskResult,
  cosineOf,
  type EvidenceItem,
  isFields,
  LIMITS,
  type Note,
  type NoteWriter,
  type SessionOwnerSettings,
} from "./kit/index.ts";
import { newestEntries, readNotes } from "./notes/index.ts";
import { contentWords, functionWords } from "./sentences/index.ts";
import { budgetOf, budgetState, type Follower, isFinal } from "./state/index.ts";
import { lexicalEmbedder, measureCall, passagesOf } from "./writers/index.ts";

export interface Question {
  readonly question: string;
  readonly mediaTimeMs: number | null;
}

/** Errors: `invalid`, `too_large`. */
export function parseQuestion(body: unknown): Question {
  const { question, mediaTimeMs = null } = isFields(body) ? body : {};
  if (typeof question !== "string" || question.trim() === "") {
    throw new ContinuoError("invalid", "question must be a text that is not empty");
  }
  if (question.length > LIMITS.questionChars) {
    throw new ContinuoError("too_large", "the question is too long", {
      details: { limit: LIMITS.questionChars },
    });
  }
  if (mediaTimeMs !== null && !(Number.isSafeInteger(mediaTimeMs) && Number(mediaTimeMs) >= 0)) {
    throw new ContinuoError("invalid", "mediaTimeMs must be a whole number from 0");
  }
  return { question, mediaTimeMs: mediaTimeMs as number | null };
}

export interface QuestionOptions
  extends Pick<SessionOwnerSettings, "store" | "runStore" | "writerOf" | "budget"> {
  readonly follower: Follower;
  readonly signal: AbortSignal;
}

export type Answer = AskResult & Pick<LiveAnswer, "by">;

/**
 * Returns the answer, and the event that records its cost; `null` if no cost is recorded. Errors: `agent_failed`, and
 * those of the store.
 */
export async function answerQuestion(
  question: Question,
  options: QuestionOptions,
): Promise<{ readonly answer: Answer; readonly event: NewEvent | null }> {
  const { fold } = options.follower;
  const isSpent = budgetState(fold.cost, budgetOf(fold, options.budget)) === "spent";
  const writer = isSpent ? null : options.writerOf(fold.noteWriter);
  const result = await cancellable(options.signal, () => askSession(question, { ...options, writer }));
  const isByModel = result.model !== undefined;
  return {
    answer: { ...result, by: isByModel ? "model" : "quote" },
    event: isByModel && !isFinal(fold.state) ? askedEvent(result) : null,
  };
}

interface AskOptions extends Pick<SessionOwnerSettings, "store" | "runStore"> {
  readonly follower: Follower;
  /** `null` means that no model is called. */
  readonly writer: NoteWriter | null;
  readonly signal: AbortSignal;
}

/**
 * Questions have runs of their own, so that notes do not wait for them. Errors: `agent_failed`, and those of the store.
 */
async function askSession(question: Question, options: AskOptions): Promise<AskResult> {
  const { runStore, follower, writer, signal } = options;
  const request = await askRequest(question, options);
  const answer = writer?.answer?.bind(writer);
  if (writer === null || answer === undefined) return quoted(request);
  let result: AskResult | undefined;
  await runTurn({
    store: runStore,
    sessionId: follower.sessionId,
    beside: "questions",
    name: writer.name,
    input: question.question,
    signal,
    turn: async (turn, turnSignal) => {
      result = await measureCall(writer.name, () => answer(request, { signal: turnSignal, turn }));
      return {
        ...(result?.usage === undefined ? {} : { usage: result.usage }),
        costUsd: result?.costUsd ?? 0,
      };
    },
  });
  if (result !== undefined) return result;
  throw new ContinuoError("agent_failed", `${writer.name} gave no answer`);
}

/**
 * The cost of the answer as an event. Its actor is `agent`, because the fold does not count telemetry of clients as
 * cost.
 */
function askedEvent({ usage, costUsd = 0 }: AskResult): NewEvent {
  const value = {
    modelCalls: 1,
    inputTokens: usage?.inputTokens ?? 0,
    outputTokens: usage?.outputTokens ?? 0,
    costUsd,
  };
  return { type: "telemetry_reported", data: { name: "ask", value }, actor: { kind: "agent" } };
}

async function askRequest(
  { question, mediaTimeMs }: Question,
  { store, follower, signal }: AskOptions,
): Promise<AskRequest> {
  const { sessionId, fold } = follower;
  const { videoId, title, memory } = fold;
  const known = await readNotes(store, sessionId, newestEntries(fold, LIMITS.askCandidates));
  const notes = (await byLikeness(question, known)).slice(0, LIMITS.askNotes);
  const times = [mediaTimeMs, ...notes.slice(0, 2).map(middleOf)].filter((time) => time !== null);
  const evidence = new Map<number, EvidenceItem>();
  const tokenBudget = LIMITS.askTokens / Math.max(1, times.length);
  for (const time of times) {
    for await (const item of fetchContextWindow(store, sessionId, time, { tokenBudget, signal })) {
      evidence.set(item.sequence, item);
    }
  }
  return {
    sessionId,
    videoId,
    title,
    question,
    mediaTimeMs,
    notes,
    evidence: [...evidence.values()],
    memory,
  };
}

/**
 * Without a model, the answer is the note or the sentence that is most similar to the question, among those that share
 * a word with the question.
 */
async function quoted({ question, notes, evidence }: AskRequest): Promise<AskResult> {
  const spoken = passagesOf(evidence).filter(({ text }) => text !== "");
  const known = [...notes, ...spoken];
  if (known.length === 0) return nothing("Nothing was noted yet.");
  // Long texts can have similar vectors by chance.
  const [best] = await byLikeness(
    question,
    known.filter(({ text }) => shareWord(question, text)),
  );
  if (best === undefined) return nothing("Nothing that was said or noted is like the question.");
  const { text } = best;
  if ("noteId" in best) return { text, evidence: best.evidence, noteIds: [best.noteId] };
  return { text, evidence: best.items.map(({ id }) => id), noteIds: [] };
}

/** True if a word of the question, or another form of it, is in the text. */
function shareWord(question: string, text: string): boolean {
  const [words, others] = [question, text].map(
    (said) =>
      new Set(
        contentWords(said)
          .filter((word) => !functionWords.has(word))
          .map((word) => word.slice(0, LIMITS.sameWordLetters)),
      ),
  );
  return [...(words ?? [])].some((word) => others?.has(word));
}

const nothing = (text: string): AskResult => ({ text, evidence: [], noteIds: [] });

async function byLikeness<Text extends { readonly text: string }>(
  question: string,
  texts: readonly Text[],
): Promise<readonly Text[]> {
  const [asked = [], ...vectors] = await lexicalEmbedder().embed(
    [question, ...texts.map(({ text }) => text)],
    {},
  );
  const scored = texts.map((text, n) => ({ text, cosine: cosineOf(asked, vectors[n] ?? []) }));
  return scored.toSorted((a, b) => b.cosine - a.cosine).map(({ text }) => text);
}

function middleOf({ startMs, endMs }: Note): number {
  return Math.round((startMs + endMs) / 2);
}
