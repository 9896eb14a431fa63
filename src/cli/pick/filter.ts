/** Sessions narrowed by what was typed. Pure. */

import type { ListedSession } from "@continuo/agents/catalog";

export interface PickEntry {
  readonly info: ListedSession;
  /** The searched text, in small letters. */
  readonly words: string;
  /** The turn that a search found in it. */
  readonly match?: PickMatch;
}

export interface PickMatch {
  readonly messageId: string;
  /** The match in the text around it. */
  readonly pieces: readonly { readonly text: string; readonly match: boolean }[];
  readonly turn: number;
  /** The number of further turns that match. */
  readonly others: number;
}

export function toEntries(sessions: readonly ListedSession[]): PickEntry[] {
  return sessions.map((info) => ({
    info,
    words: [info.title, info.cwd, info.agent, info.sessionId, info.gitBranch, ...namesOf(info)]
      .filter((text) => text !== null)
      .join("\n")
      .toLowerCase(),
  }));
}

/** A conversation is also found by the agents that took part in it, and by their ids. */
function namesOf({ nativeRefs = [] }: ListedSession): string[] {
  return nativeRefs.flatMap(({ agent, sessionId }) => [agent, sessionId]);
}

/** Those that hold every word, in any order of words; their own order stays. */
export function filterEntries(entries: readonly PickEntry[], query: string): readonly PickEntry[] {
  const wanted = query
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  if (wanted.length === 0) return entries;
  return entries.filter(({ words }) => wanted.every((word) => words.includes(word)));
}
