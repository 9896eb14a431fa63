/** What a search knows of a session without opening it, and where its text comes from. */

import type { TextSource } from "../index-file/index.ts";
import type { Message, NativeRef, SessionInfo } from "../model/index.ts";
import type { FoundSession } from "../native/kit/index.ts";
import type { StampOfDependency } from "./dependencies.ts";

export interface IndexedSession
  extends Pick<
    SessionInfo,
    "sessionId" | "location" | "cwd" | "title" | "gitBranch" | "updatedAt" | "archived"
  > {
  /** `continuo` for its own sessions. */
  readonly agent: string;
  /** Of a sub-agent: the session that started it. */
  readonly parentId: string | null;
  /** Of a deleted session: what `session restore` takes. Its `location` is where it was. */
  readonly trashId: string | null;
  /** Of Continuo's own: the native sessions that are the same conversation. */
  readonly nativeRefs: readonly Pick<NativeRef, "agent" | "sessionId">[];
}

/** As the index keeps it: also the sub-agents that lie inside of its files, by their locations. */
export interface StoredIndexedSession extends IndexedSession {
  readonly inside: readonly { readonly id: string; readonly location: string }[];
}

export interface CatalogSource extends TextSource {
  /** Another thread reads a native session by it. */
  readonly found?: FoundSession;
  /** The greatest comes first. */
  readonly changedMs: number;
  /** Of what its text depends on outside of its files; left out where that is nothing. */
  readonly besideNow?: StampOfDependency;
  /** What lies inside of the same files, of which the text was filled. */
  insideOf?(kept: StoredIndexedSession): readonly CatalogSource[];
}

export function parseStored(source: string): StoredIndexedSession {
  return JSON.parse(source);
}

/** The session of what the index keeps, or of what a text is opened with. */
export function toIndexed(source: string): IndexedSession {
  const { inside: _, ...indexed } = parseStored(source);
  return indexed;
}

export async function* noMessages(): AsyncGenerator<Message, void, void> {
  yield* [];
}
