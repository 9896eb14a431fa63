/** Rows found by their text: searches the index after a bounded update. */

import { updateTexts } from "../catalog/index.ts";
import { placesOf } from "../files/index.ts";
import { parseQuery, type SearchResult, searchIndex } from "../search/index.ts";
import type { MachineSession, TextMatch } from "../wire/machine/index.ts";
import { MACHINE_LIMITS } from "./limits.ts";
import type { MachineOptions } from "./options.ts";
import type { Rows } from "./rows.ts";

export interface Found {
  /** The best match first. */
  readonly sessions: readonly MachineSession[];
  readonly notices: readonly string[];
}

/** Errors: `usage` for an invalid query; `unavailable` for an index that cannot be used. */
export async function findByText(text: string, rows: Rows, options: MachineOptions): Promise<Found> {
  const query = parseQuery(text, { toTime: options.toTime, isTyping: true });
  const places = placesOf(options.places);
  const texts = await updateTexts({
    places: options.places,
    exclude: await options.exclude(),
    timeMs: MACHINE_LIMITS.indexMs,
  });
  const { results } = await searchIndex(places, query, {
    texts,
    nowMs: Date.now(),
    limit: MACHINE_LIMITS.foundSessions,
  });
  const byPlace = new Map([...rows.byKey.values()].map(({ row, shown }) => [placeOf(row), shown]));
  const sessions = results.flatMap((result) => {
    const shown = byPlace.get(placeOf(result.session));
    return shown === undefined ? [] : [{ ...shown, match: toMatch(result) }];
  });
  const left = texts.left === 0 ? [] : [`The texts of ${texts.left} sessions are not searched yet.`];
  return { sessions, notices: left };
}

function placeOf({ agent, location }: { readonly agent: string; readonly location: string }): string {
  return `${agent} ${location}`;
}

function toMatch({ turn, turns, excerpt }: SearchResult): TextMatch {
  return {
    messageId: turn.messageId,
    turn: turn.number,
    turns: turns.length,
    excerpt: (excerpt?.pieces ?? []).map(({ text, match }) => ({ text, isMatch: match })),
  };
}
