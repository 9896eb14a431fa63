/** One result in the form of `search --json`: keys in the order of the contract. */

import { type IndexedSession, OWN, TRASHED } from "@continuo/agents/catalog";
import type { SearchResult } from "@continuo/agents/search";
import { shellWord, toSessionRow } from "@continuo/core/model";

export function resultToJson(
  { session, turn, excerpt, turns, score }: SearchResult,
  number: number,
): Readonly<Record<string, unknown>> {
  const { location, parentId, trashId } = session;
  return {
    number,
    session: { ...toSessionRow(session), location, parentId, trashId },
    turn: { number: turn.number, messageId: turn.messageId, at: turn.at },
    excerpt:
      excerpt === null ? null : { role: excerpt.voice, messageId: excerpt.messageId, pieces: excerpt.pieces },
    turns: turns.map(({ number: one, messageId, at }) => ({ number: one, messageId, at })),
    score,
    link: linkOf(nameOfResult(session), turn.messageId),
  };
}

/** The name of the session of a result for `continuo open`. */
export function nameOfResult({ agent, sessionId, location, trashId }: IndexedSession): string {
  if (trashId !== null) return `${TRASHED}${trashId}`;
  return agent === OWN ? `${OWN}:${sessionId}` : location;
}

/** A command that shows the turn, for a shell. */
function linkOf(name: string, messageId: string): string {
  return `continuo open ${shellWord(name)} --message ${shellWord(messageId)}`;
}
