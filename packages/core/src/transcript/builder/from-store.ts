/** Reads a transcript from a session's log, page by page, and updates it. */

import {
  ContinuoError,
  cancellable,
  type EventPage,
  type KnownOptions,
  rethrowForSession,
} from "../../model/index.ts";
import { assertBudgetOptions, BUDGET_OPTIONS } from "../context/index.ts";
import { type EventLike, inOrder } from "../events/index.ts";
import { foldEvent } from "../fold/index.ts";
import { isReadFromEnd, PAGE_EVENTS, readNewest, type TranscriptSource } from "./read-newest.ts";
import {
  beginFold,
  type Fold,
  resumeFold,
  type Transcript,
  toTranscript,
  type ViewOptions,
} from "./transcript.ts";

export interface FromStoreOptions extends ViewOptions {
  /** Reads this many of the newest events; `metadata.older` is set if there are older ones. */
  readonly limit?: number;
  /** Only events after this sequence are read. */
  readonly after?: number;
  /** Only events up to this sequence are read. */
  readonly upTo?: number;
  readonly signal?: AbortSignal;
}

const OPTIONS: KnownOptions<FromStoreOptions> = {
  ...BUDGET_OPTIONS,
  limit: true,
  after: true,
  upTo: true,
  signal: true,
};

/**
 * With a `limit`, it reads only the newest events. With a budget and the strategy `newest`, it reads only the end of
 * the log, and the session's instructions at its beginning. Errors: as `LogReader.read` (`not_found`, `gone`,
 * `corrupt`); `invalid` for a limit or a budget.
 */
export async function fromStore(
  store: TranscriptSource,
  sessionId: string,
  options: FromStoreOptions = {},
): Promise<Transcript> {
  assertBudgetOptions("fromStore", options, OPTIONS);
  return toTranscript(await readFold(store, sessionId, options), options);
}

/** Reads the events that `fromStore` reads, but leaves out no message for the budget: the caller does that itself. */
export async function readForBudget(
  store: TranscriptSource,
  sessionId: string,
  options: FromStoreOptions,
): Promise<Transcript> {
  assertBudgetOptions("readForBudget", options, OPTIONS);
  return toTranscript(await readFold(store, sessionId, options), {});
}

async function readFold(
  store: TranscriptSource,
  sessionId: string,
  options: FromStoreOptions,
): Promise<Fold> {
  assertLimit(options.limit);
  try {
    return await cancellable(options.signal, () => readFromStart(store, sessionId, options));
  } catch (error) {
    rethrowForSession(error, sessionId);
  }
}

async function readFromStart(
  store: TranscriptSource,
  sessionId: string,
  options: FromStoreOptions,
): Promise<Fold> {
  const { after = 0 } = options;
  if (!isReadFromEnd(options)) return await readOn(store, beginFold(sessionId, after), options);
  const { events, begins, instructions } = await readNewest(store, sessionId, options);
  const { sequenced, loose } = inOrder(events);
  const fold = beginFold(sessionId, begins === null ? after : begins - 1, instructions.length);
  for (const event of [...instructions, ...sequenced]) foldEvent(fold.draft, event);
  return { ...fold, loose };
}

/**
 * Updates a transcript: it reads only the events that were appended in the meantime. The result is the same as if all
 * events were read from where the given transcript begins. The given transcript does not change. With `limit`, if more
 * events than that are new, older ones are left out as in `fromStore`.
 *
 * The log is read again from its beginning if the transcript cannot be continued: the log was deleted and made again,
 * `upTo` comes before the end of the transcript, `after` is not where the transcript begins, or its messages were
 * changed. Until then, events that were pruned stay in the transcript. Errors: as `fromStore`.
 */
export async function updateFromStore(
  store: TranscriptSource,
  transcript: Transcript,
  options: FromStoreOptions = {},
): Promise<Transcript> {
  assertBudgetOptions("updateFromStore", options, OPTIONS);
  try {
    return await cancellable(options.signal, () => update(store, transcript, options));
  } catch (error) {
    rethrowForSession(error, transcript.sessionId);
  }
}

async function update(
  store: TranscriptSource,
  transcript: Transcript,
  options: FromStoreOptions,
): Promise<Transcript> {
  const { limit, upTo = Number.MAX_SAFE_INTEGER, signal } = options;
  assertLimit(limit);
  const fold = resumeFold(transcript);
  const { sessionId } = transcript;
  if (fold === null) return fromStore(store, sessionId, options);
  const last = fold.draft.facts.lastSequence;
  const latest = await store.latestSequence(sessionId, signal === undefined ? {} : { signal });
  const isAnother = latest < last || upTo < last || (options.after ?? fold.after) !== fold.after;
  if (isAnother || (limit !== undefined && Math.min(latest, upTo) - last > limit)) {
    return fromStore(store, sessionId, { ...(isAnother ? {} : { after: fold.after }), ...options });
  }
  return toTranscript(await readOn(store, fold, options), options);
}

/** Reads the events after those that the fold has. */
async function readOn(store: TranscriptSource, fold: Fold, options: FromStoreOptions): Promise<Fold> {
  const { upTo, signal } = options;
  const loose = [...fold.loose];
  for (let after: number | null = Math.max(fold.after, fold.draft.facts.lastSequence); after !== null; ) {
    signal?.throwIfAborted();
    const page: EventPage = await store.read(fold.sessionId, {
      after,
      limit: PAGE_EVENTS,
      ...(upTo === undefined ? {} : { before: upTo + 1 }),
      ...(signal === undefined ? {} : { signal }),
    });
    const ordered = inOrder<EventLike>(page.events);
    for (const event of ordered.sequenced) foldEvent(fold.draft, event);
    for (const event of ordered.loose) if (!isAmong(event, loose)) loose.push(event);
    after = page.nextAfter;
  }
  return { ...fold, loose: inOrder(loose).loose };
}

/** Events that are in no log yet may be in every page of a reader. */
function isAmong(event: EventLike, others: readonly EventLike[]): boolean {
  return event.id !== undefined && others.some(({ id }) => id === event.id);
}

function assertLimit(limit: number | undefined): void {
  if (limit === undefined || (Number.isSafeInteger(limit) && limit >= 1)) return;
  throw new ContinuoError("invalid", "`limit` must be a whole number of at least 1", { details: { limit } });
}
