/**
 * The search of Ctrl-R in earlier input: letters narrow it, Ctrl-R again shows an older line, Enter sends the line, Esc
 * and the arrows leave the line for editing. Pure.
 */

export interface HistorySearch {
  readonly query: string;
  /** The place in the history, the newest line first; -1 while nothing matches. */
  readonly at: number;
  /** The line as it was before the search began. */
  readonly before: string;
}

export type SearchStep =
  | { readonly type: "search"; readonly search: HistorySearch }
  /** The search ends with the found line, in which `key` is then pressed. */
  | { readonly type: "take"; readonly text: string; readonly key: string }
  | { readonly type: "cancel"; readonly text: string };

export const CTRL_R = "\u0012";
const CTRL_G = "\u0007";

export function startSearch(before: string): HistorySearch {
  return { query: "", at: -1, before };
}

/** @param key one key, in the form of `keysIn` */
export function pressSearch(search: HistorySearch, key: string, history: readonly string[]): SearchStep {
  const text = textOf(search, history);
  if (key === CTRL_R) {
    const older = find(history, search.query, search.at + 1);
    return { type: "search", search: { ...search, at: older === -1 ? search.at : older } };
  }
  if (key === CTRL_G || key === "\u0003") return { type: "cancel", text: search.before };
  if (key === "\u007f" || key === "\b") {
    const query = [...search.query].slice(0, -1).join("");
    return { type: "search", search: { ...search, query, at: find(history, query, 0) } };
  }
  if (key >= " " && !key.startsWith("\u001b")) {
    const query = search.query + key;
    const here = find(history, query, Math.max(0, search.at));
    // A newer line may match although an older one does not.
    return { type: "search", search: { ...search, query, at: here === -1 ? find(history, query, 0) : here } };
  }
  return { type: "take", text, key: key === "\u001b" ? "" : key };
}

/** The line that is shown. */
export function textOf({ at, before, query }: HistorySearch, history: readonly string[]): string {
  return history[at] ?? (query === "" ? before : "");
}

function find(history: readonly string[], query: string, from: number): number {
  if (query === "") return -1;
  const wanted = query.toLowerCase();
  const at = history.slice(from).findIndex((line) => line.toLowerCase().includes(wanted));
  return at === -1 ? -1 : from + at;
}
