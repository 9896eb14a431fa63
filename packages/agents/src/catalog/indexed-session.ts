/** The facts about a session that a search knows without opening it, and the source of its text. */

import type { Message, NativeRef, SessionRow } from "@continuo/core/model";
import type { SourceReader, StoredSession, TextSource } from "@continuo/native/index-file";
import type { FoundSession } from "@continuo/native/kit";
import type { StampOfDependency } from "./dependencies.ts";

export interface IndexedSession extends SessionRow {
  readonly location: string;
  /** The session that started this sub-agent. */
  readonly parentId: string | null;
  /**
   * The trash id of a deleted session, which `session restore` takes. Its `location` is its location before the
   * deletion.
   */
  readonly trashId: string | null;
  /** The native sessions that are the same conversation as this own session. */
  readonly nativeRefs: readonly Pick<NativeRef, "agent" | "sessionId">[];
}

/** A session as the index stores it, with the sub-agents in its files, by their locations. */
export interface StoredIndexedSession extends IndexedSession {
  readonly inside: readonly { readonly id: string; readonly location: string }[];
}

export interface CatalogSource extends TextSource {
  readonly sessionId: string;
  /** The session as it was found, for a native session: another thread can read it with this. */
  readonly found?: FoundSession;
  /** The session with the greatest value comes first. */
  readonly changedMs: number;
  /** Stamps of files outside the session on which its text depends; left out if there are none. */
  readonly besideNow?: StampOfDependency;
  /** Sub-agents inside the same files whose text is in the index. */
  insideOf?(kept: StoredIndexedSession): readonly CatalogSource[];
}

/** A row of an older index may lack these keys. */
const UNKNOWN = { createdAt: null, sizeBytes: null } as const;

/** The index cannot know whether the agent has the session open now. */
export function parseStored(source: string): StoredIndexedSession {
  return { ...UNKNOWN, ...JSON.parse(source), live: null };
}

/** A session from which a search may answer. */
export interface ReadySession {
  readonly key: string;
  readonly stamp: string;
  /** False if no native session is the same conversation. */
  readonly hasNativeRefs: boolean;
  /**
   * The session, which is read and parsed at the first call, because a search shows only a few of thousands. Call it
   * only within the transaction that found the stamp unchanged.
   */
  session(read: SourceReader): IndexedSession;
}

export function toReady(stored: StoredSession): ReadySession {
  return new ReadyRow(stored);
}

/**
 * This is a class because there are thousands of rows, and V8 takes far longer for objects with getters of their own.
 */
class ReadyRow implements ReadySession {
  readonly key: string;
  readonly stamp: string;
  readonly hasNativeRefs: boolean;
  readonly #id: number;
  #parsed: IndexedSession | null = null;

  constructor({ id, key, stamp, hasNativeRefs }: StoredSession) {
    this.#id = id;
    this.key = key;
    this.stamp = stamp;
    this.hasNativeRefs = hasNativeRefs;
  }

  session(read: SourceReader): IndexedSession {
    this.#parsed ??= toIndexed(read(this.#id));
    return this.#parsed;
  }
}

/** The session, made from the content that is in the index, or from the content with which a text is opened. */
export function toIndexed(source: string): IndexedSession {
  const { inside: _, ...indexed } = parseStored(source);
  return indexed;
}

export async function* noMessages(): AsyncGenerator<Message, void, void> {
  yield* [];
}
