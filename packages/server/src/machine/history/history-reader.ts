/**
 * Reads the whole history of a session once, and afterwards only what was added. If the session was rewritten, all
 * of it is read again.
 */

import { randomUUID } from "node:crypto";
import { setImmediate as othersTurn } from "node:timers/promises";
import {
  type CatalogDetails,
  type CatalogSession,
  type LookUpHit,
  modelViewOf,
  openCatalogSession,
  openOwn,
  type Prices,
} from "@continuo/agents/catalog";
import {
  type CachedHistory,
  createCachedHistory,
  HISTORY_LIMITS,
  type ReadHistory,
  toKept,
} from "@continuo/agents/pages";
import { ContinuoError, type Message, present } from "@continuo/core/model";
import type { HistoryView } from "@continuo/core/wire/machine";
import { type PlacesAt, statFile } from "@continuo/files";
import { stampOf } from "@continuo/native/index-file";
import type { SavedScan } from "@continuo/native/kit";

export interface ReadOptions {
  readonly places: PlacesAt;
  readonly prices: Prices;
  readonly view: HistoryView;
  /** The id of the last message of a branch; the active branch by default. */
  readonly branch?: string;
}

/** A history at the time when its files had this stamp. */
export interface CompleteHistory extends ReadHistory {
  readonly stamp: string;
  readonly saved: SavedScan | null;
}

/** A stamp that changes whenever the session changes; empty if that cannot be known. */
export async function stampNow(hit: LookUpHit, places: PlacesAt): Promise<string> {
  if (hit.kind === "native") {
    return stampOf(hit.native.found.files.map(({ path }) => statFile(path) ?? { path, ...MISSING_FILE }));
  }
  await using own = await openOwn(places);
  return own === null ? "" : String(await own.store.latestSequence(hit.row.sessionId));
}

const MISSING_FILE = { sizeBytes: -1, mtimeMs: 0, ctimeMs: 0, inode: 0 };

/** Errors: those of opening the session; `not_found` for a branch; `too_large` for a model view. */
export async function readWhole(
  hit: LookUpHit,
  options: ReadOptions,
  signal: AbortSignal,
): Promise<CompleteHistory> {
  const stamp = await stampNow(hit, options.places);
  using session = await open(hit, options, { signal });
  const kept = createCachedHistory(randomUUID(), options.prices);
  try {
    await putAll(kept, messagesOf(hit, session, options), signal);
    return wholeOf(kept, session, stamp);
  } catch (error) {
    kept[Symbol.dispose]();
    throw error;
  }
}

/** Returns the same history with the later changes; `null` if the session must be read as a whole. */
export async function readOn(
  hit: LookUpHit,
  before: CompleteHistory,
  options: ReadOptions,
  signal: AbortSignal,
): Promise<CompleteHistory | null> {
  const stamp = await stampNow(hit, options.places);
  if (stamp !== "" && stamp === before.stamp) return before;
  const { kept, saved } = before;
  using session = await open(hit, options, { signal, ...(saved === null ? {} : { continue: saved }) });
  if (saved !== null && "continued" in session && session.continued && options.view === "history") {
    const added = session.history({ ...branchOf(options), after: saved.position });
    await putAll(kept, added, signal);
    const isWhole = options.branch !== undefined || kept.length === session.details.messages.total;
    return isWhole ? wholeOf(kept, session, stamp) : null;
  }
  return (await putDifferences(kept, messagesOf(hit, session, options), signal))
    ? wholeOf(kept, session, stamp)
    : null;
}

/** Reads only the newest part of a history; `null` if the session cannot be read in this way. */
export async function readTip(
  hit: LookUpHit,
  places: PlacesAt,
  newestBytes: number,
): Promise<readonly Message[] | null> {
  using session = await openCatalogSession(hit, places, { newestBytes });
  return session.partial ? (await Array.fromAsync(session.history())).map(toKept) : null;
}

type OpenedHistory = (CatalogSession & Disposable) & { readonly saved?: SavedScan | null };

async function open(
  hit: LookUpHit,
  { places }: ReadOptions,
  options: { readonly signal: AbortSignal; readonly continue?: SavedScan },
) {
  if (hit.kind === "own") return await openCatalogSession(hit, places, options);
  const { reader, found, places: at } = hit.native;
  return await reader.open(found, at, { save: true, ...options });
}

function wholeOf(kept: CachedHistory, session: OpenedHistory, stamp: string): CompleteHistory {
  const { details, leaves, problems } = session;
  return { kept, details, leaves, problems, stamp, saved: session.saved ?? null };
}

async function* messagesOf(
  hit: LookUpHit,
  session: CatalogSession,
  options: ReadOptions,
): AsyncGenerator<Message, void, void> {
  if (options.view === "history") yield* session.history(branchOf(options));
  else if ((session.details.sizeBytes ?? 0) > HISTORY_LIMITS.modelViewBytes) throw tooLarge(session.details);
  else yield* await modelViewOf(hit, session, present({ leaf: options.branch }));
}

function branchOf({ branch }: ReadOptions): { readonly leaf?: string } {
  return present({ leaf: branch });
}

async function putAll(
  kept: CachedHistory,
  messages: AsyncIterable<Message>,
  signal: AbortSignal,
): Promise<void> {
  for await (const message of slowly(messages, signal)) kept.put(toKept(message));
  kept.settle();
}

/** `false` if the messages do not begin with all kept messages. */
async function putDifferences(
  kept: CachedHistory,
  messages: AsyncIterable<Message>,
  signal: AbortSignal,
): Promise<boolean> {
  let index = 0;
  for await (const message of slowly(messages, signal)) {
    const known = kept.idAt(index);
    if (known !== undefined && known !== message.id) return false;
    const shown = toKept(message);
    if (!kept.has(shown, index)) kept.put(shown);
    index += 1;
  }
  kept.settle();
  return index === kept.length;
}

/** Pauses while reading, so that other requests are answered. */
export async function* slowly(
  messages: AsyncIterable<Message>,
  signal: AbortSignal,
): AsyncGenerator<Message, void, void> {
  let began = performance.now();
  for await (const message of messages) {
    yield message;
    if (performance.now() - began < HISTORY_LIMITS.sliceMs) continue;
    await othersTurn();
    signal.throwIfAborted();
    began = performance.now();
  }
}

function tooLarge({ sizeBytes }: CatalogDetails): ContinuoError {
  const limit = HISTORY_LIMITS.modelViewBytes;
  return new ContinuoError(
    "too_large",
    `the session has ${sizeBytes} bytes, too many for its model view here`,
    {
      hint: "Run `continuo session show ID --model-view`.",
      details: { limit },
    },
  );
}
