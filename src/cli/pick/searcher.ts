/** The search of the picker while a person types: one search runs at a time, and the next one uses the newest words. */

import type { ListedSession } from "@continuo/agents/catalog";
import { parseQuery, type SearchResult, searchSessions } from "@continuo/agents/search";
import { isContinuoError, toSessionRow } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { startIndexing } from "../indexing/index.ts";
import { patternsWork } from "../search/index.ts";
import { type Paint, parseSince, type Shell, wrap } from "../terminal/index.ts";
import type { PickEntry, PickMatch } from "./filter.ts";

export interface Searcher {
  /** Searches for this text, and stops the search for an earlier one. */
  find(text: string): void;
  stop(): void;
}

interface SearcherOptions {
  /** The rows of the list. */
  readonly entries: () => readonly PickEntry[];
  readonly onFound: (text: string, entries: readonly PickEntry[]) => void;
  readonly onFailure: (message: string) => void;
}

/** A search begins when nothing was typed for this time. */
const STILL_MS = 80;
const MAX_RESULTS = 200;

export function createSearcher(shell: Shell, { entries, onFound, onFailure }: SearcherOptions): Searcher {
  let wanted: string | null = null;
  let isSearching = false;
  let current = new AbortController();
  let still: NodeJS.Timeout | undefined;
  const search = async (text: string): Promise<void> => {
    const query = parseQuery(text, { toTime: (time) => parseSince(time, shell.now), isTyping: true });
    const { results } = await searchSessions(query, {
      places: shell,
      exclude: await patternsWork(shell),
      nowMs: shell.now.getTime(),
      limit: MAX_RESULTS,
      signal: current.signal,
      onUnindexed: () => void startIndexing("search", shell),
    });
    if (!current.signal.aborted)
      onFound(
        text,
        results.flatMap((result) => entryOf(result, entries()) ?? []),
      );
  };
  const next = async (): Promise<void> => {
    if (isSearching) return;
    isSearching = true;
    for (let text = wanted; text !== null; text = wanted) {
      wanted = null;
      current = new AbortController();
      try {
        await search(text);
      } catch (error) {
        // An incomplete filter is not a failure, because the rest is still being typed.
        if (current.signal.aborted || isContinuoError(error, "usage")) continue;
        onFailure(isContinuoError(error) ? error.message : String(error));
      }
    }
    isSearching = false;
  };
  return {
    find(text) {
      wanted = text;
      current.abort();
      clearTimeout(still);
      still = setTimeout(() => void next(), STILL_MS);
    },
    stop() {
      clearTimeout(still);
      current.abort();
    },
  };
}

/**
 * Returns the row of the list for this session, or a new row if the list has none. `null` for a deleted session.
 */
function entryOf(result: SearchResult, entries: readonly PickEntry[]): PickEntry | null {
  const { session, turn, turns, excerpt } = result;
  if (session.trashId !== null) return null;
  const match: PickMatch = {
    messageId: turn.messageId,
    pieces: excerpt?.pieces ?? [],
    turn: turn.number,
    others: turns.length - 1,
  };
  const row = entries.find(({ info }) => info.location === session.location);
  return { info: row?.info ?? toRow(result), words: "", match };
}

/** Makes a row for a session that the list does not have: an archived session, or a sub-agent. */
function toRow({ session }: SearchResult): ListedSession {
  return { ...toSessionRow(session), location: session.location, problems: [] };
}

const MATCH_ROWS = 4;

/** Draws the piece of the turn that matches, which is shown above the preview. */
export function drawMatch(match: PickMatch | undefined, columns: number, paint: Paint): string[] {
  if (match === undefined || columns === 0) return [];
  const others = match.others === 0 ? "" : `, and ${match.others} more`;
  const spans = match.pieces.map(({ text, match: isMatch }) => ({
    text: visibleLine(text),
    styles: isMatch ? (["bold", "yellow"] as const) : [],
  }));
  const heading = wrap([{ text: `turn ${match.turn}${others}`, styles: ["dim"] }], columns, paint);
  return [...heading, ...wrap(spans, columns, paint).slice(0, MATCH_ROWS), ""];
}
