/** The transcript, made from a draft, and its continuation. */

import type { Message, ToolDefinition, Usage } from "../../model/index.ts";
import {
  type BudgetOptions,
  isLimited,
  type OmittedMessages,
  planWithinBudget,
  type StrategyOptions,
} from "../context/index.ts";
import type { EventLike } from "../events/index.ts";
import {
  createDraft,
  type Facts,
  type FoldState,
  finishFold,
  foldEvent,
  type Layers,
  type LeftOutReason,
  type LooseState,
  layersOf,
  type TranscriptDraft,
  usageOf,
} from "../fold/index.ts";

/** Messages folded from a log. Plain JSON: it may be stored, and continued by another program. */
export interface Transcript {
  readonly sessionId: string;
  readonly messages: readonly Message[];
  /** The highest sequence of the events that were read, before any budget; 0 if no event has a sequence. */
  readonly lastSequence: number;
  /** The time of the last event. */
  readonly lastTimestamp: string | null;
  readonly metadata: TranscriptMetadata;
}

export interface TranscriptMetadata {
  /** Events that were read. */
  readonly events: number;
  /** The numbers of events that had no effect on the transcript, by reason. */
  readonly leftOut: Readonly<Record<LeftOutReason, number>>;
  /** Set if older events were not read: their number, and the sequence of the newest of them. */
  readonly older?: { readonly events: number; readonly lastSequence: number };
  /** Results whose call was not read. They are in no message. */
  readonly resultsWithoutCall: number;
  /** Calls that have no result yet. */
  readonly openCalls: readonly string[];
  readonly usage?: Usage;
  /** The tools that the log records as offered to a model, each once: the newest 256. */
  readonly tools?: readonly ToolDefinition[];
  /** Messages that a budget left out, and events that were not read. */
  readonly omitted?: OmittedMessages;
  /** The state from which the next update starts. */
  readonly fold: FoldState;
  /**
   * `session`, `lastRun`, `turns`, `stopReason`, `mode`, `model`, `approvals`, `resumption`, `handedOver`, `liveState`,
   * `closed`.
   */
  readonly [state: string]: unknown;
}

export interface ViewOptions extends BudgetOptions, StrategyOptions {}

/** A fold that can continue: a draft of the entries with a sequence, and the entries without one. */
export interface Fold {
  readonly sessionId: string;
  /** Events up to here are not read, except for the session's instructions. */
  readonly after: number;
  /** The number of instructions that were read from before that place. */
  readonly instructions: number;
  readonly draft: TranscriptDraft;
  readonly loose: readonly EventLike[];
}

/** Positions in the messages of a transcript: kept next to it, and computed again if they are missing. */
const LAYERS = new WeakMap<readonly Message[], Layers>();

export function beginFold(sessionId: string, after: number, instructions = 0): Fold {
  return { sessionId, after, instructions, draft: createDraft({ messages: [], layers: [] }), loose: [] };
}

/** `null` for a value that is not a transcript of this version, or whose number of messages changed. */
export function resumeFold(transcript: Transcript): Fold | null {
  const state = transcript.metadata.fold as FoldState | undefined;
  if (state?.version !== 1) return null;
  const all = state.messages ?? transcript.messages;
  if (all.length !== state.count) return null;
  const messages = state.loose === undefined ? all : withoutLoose(all, state.loose);
  const layers = LAYERS.get(all) ?? layersOf(messages);
  const { facts, open, waiting } = state;
  return {
    sessionId: state.sessionId,
    after: state.after,
    instructions: state.instructions ?? 0,
    draft: createDraft({ messages, layers, facts, open, waiting }),
    loose: state.loose?.events ?? [],
  };
}

function withoutLoose(all: readonly Message[], { count, changed }: LooseState): Message[] {
  const messages = all.slice(0, count);
  for (const [position, message] of changed) messages[position] = message;
  return messages;
}

/** Ends the fold. The draft belongs to the transcript from now on. */
export function toTranscript(
  { sessionId, after, instructions, draft, loose }: Fold,
  options: ViewOptions,
): Transcript {
  finishFold(draft);
  const layers = draft.lookup.layers();
  const facts: Facts = draft.facts;
  const [open, waiting] = [[...draft.open], [...draft.waiting.values()]];
  const sequenced = draft.messages.toArray();
  const last = loose.length === 0 ? draft : foldLoose({ draft, messages: sequenced, loose, layers });
  const looseState =
    last === draft
      ? {}
      : { loose: { events: loose, count: sequenced.length, changed: last.messages.replaced() } };
  const messages = last === draft ? sequenced : last.messages.toArray();
  LAYERS.set(messages, layers);
  const fold: FoldState = {
    version: 1,
    sessionId,
    after,
    ...(instructions === 0 ? {} : { instructions }),
    count: messages.length,
    facts,
    open,
    waiting,
    ...looseState,
  };
  return withView({ sessionId, messages, fold, last }, options);
}

interface DraftAtSequence {
  readonly draft: TranscriptDraft;
  readonly messages: readonly Message[];
  readonly loose: readonly EventLike[];
  readonly layers: Layers;
}

function foldLoose({ draft, messages, loose, layers }: DraftAtSequence): TranscriptDraft {
  const last = createDraft({
    messages,
    layers,
    facts: draft.facts,
    open: [...draft.open],
    waiting: [...draft.waiting.values()],
  });
  for (const event of loose) foldEvent(last, event);
  finishFold(last);
  return last;
}

interface TranscriptFold {
  readonly sessionId: string;
  readonly messages: readonly Message[];
  readonly fold: FoldState;
  readonly last: TranscriptDraft;
}

/** A budget is applied in a separate step to the whole fold. */
function withView({ sessionId, messages, fold, last }: TranscriptFold, options: ViewOptions): Transcript {
  const { facts } = last;
  const older = fold.after - (fold.instructions ?? 0);
  const usage = usageOf(facts.usage);
  const metadata: TranscriptMetadata = {
    // The fold has checked the tools.
    ...(facts.state as Pick<TranscriptMetadata, "tools">),
    events: facts.events,
    leftOut: facts.leftOut,
    resultsWithoutCall: last.waiting.size,
    openCalls: [...last.open.keys()],
    ...(fold.after === 0 ? {} : { older: { events: older, lastSequence: fold.after } }),
    ...(usage === undefined ? {} : { usage }),
    fold,
  };
  const read = { sessionId, lastSequence: facts.lastSequence, lastTimestamp: facts.lastTimestamp };
  if (!isLimited(options)) return { ...read, messages, metadata };
  const plan = planWithinBudget(messages, options);
  return {
    ...read,
    messages: plan.messages,
    metadata: { ...metadata, omitted: withOlder(plan.omitted, metadata.older), fold: { ...fold, messages } },
  };
}

function withOlder(omitted: OmittedMessages, older: TranscriptMetadata["older"]): OmittedMessages {
  if (older === undefined) return omitted;
  return {
    ...omitted,
    events: omitted.events + older.events,
    firstSequence: 1,
    lastSequence: omitted.lastSequence ?? older.lastSequence,
  };
}
