/** Reads the lists and searches of a home, so that the results with and without an index can be compared. */

import type { Places } from "@continuo/agents";
import { parseQuery, searchSessions } from "@continuo/agents/search";
import { readNativeList } from "@continuo/native";
import { indexPathOf, openRows } from "@continuo/native/index-file";

/** The limit is smaller than the number of sessions of the home. */
const LIMIT = 3;
const WORDS = ["the", "file", "one", "hello", "wombat"];

export interface HomeContent {
  /** The list of all sessions; `newest` is the list with a limit. */
  readonly list: readonly unknown[];
  readonly newest: readonly unknown[];
  /** For each word, the turns that have it. */
  readonly search: readonly unknown[];
}

/** @param parts names of `HomeContent`, in the order in which they are read */
export async function contentOfHome(
  places: Places,
  parts: readonly string[] = ["newest", "list", "search"],
): Promise<Partial<HomeContent>> {
  const content: Record<string, unknown> = {};
  for (const part of parts) {
    content[part] = part === "search" ? await searched(places) : await listed(places, part, "with index");
  }
  return content;
}

/** @param places with a folder of Continuo's own in which a search can use no index */
export async function contentWithoutIndex(places: Places): Promise<HomeContent> {
  return {
    list: await listed(places, "list", "without index"),
    newest: await listed(places, "newest", "without index"),
    search: await searched(places),
  };
}

async function listed(
  places: Places,
  part: string,
  how: "with index" | "without index",
): Promise<readonly unknown[]> {
  const memo = how === "with index" ? { memo: openRows(indexPathOf(places), Date.now()) } : {};
  const list = await readNativeList({ places, ...memo, ...(part === "newest" ? { limit: LIMIT } : {}) });
  const { sessions, total, archivedLeftOut, metIds } = list;
  // The ids have no order.
  return [sessions, total, archivedLeftOut, [...metIds].sort()];
}

async function searched(places: Places): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for (const word of WORDS) {
    const query = parseQuery(`"${word}"`, { toTime: (time) => time });
    const { home } = places;
    const found = await searchSessions(query, { places: { ...places, cwd: home }, exclude: [], nowMs: 0 });
    const turns = found.results.flatMap(({ session, turns }) =>
      turns.map(({ number }) => `${session.location} ${number}`),
    );
    all.push([word, found.total, found.unsearched, turns.sort()]);
  }
  return all;
}
