/** `search`: the results, ranked, each with the turn that matches best. */

import {
  parseQuery,
  type SearchQuery,
  type SessionSearchOptions,
  type SessionSearchResults,
  searchSessions,
} from "@continuo/agents/search";
import { ContinuoError, present } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { isIndexing, startIndexing } from "../indexing/index.ts";
import {
  createOutput,
  createProgress,
  formatCount,
  type Paint,
  paintFor,
  parseSince,
  type Shell,
  screenOf,
  toJsonText,
} from "../terminal/index.ts";
import { drawResults } from "./draw.ts";
import type { SearchFlags } from "./flags.ts";
import { keepNumbers } from "./numbers.ts";
import { resultToJson } from "./result-json.ts";
import { patternsOf } from "./texts.ts";

const DEFAULT_LIMIT = 10;

/** The time that `--timeout` gave was over before every session was searched. */
const INCOMPLETE = 9;

/** From this number on, an index would be noticed. */
const MANY_SESSIONS = 64;

export async function runSearch(words: readonly string[], flags: SearchFlags, shell: Shell): Promise<number> {
  const unknown = words.find((word) => word.startsWith("--"));
  if (unknown !== undefined) throw new ContinuoError("usage", `unknown option '${unknown}'`);
  const regex = flags.regex === undefined ? null : toRegex(flags.regex);
  const query = parseQuery(words.map(toQueryText).join(" "), {
    toTime: (text) => parseSince(text, shell.now),
    ...present({ isEmptyAllowed: regex === null ? undefined : true }),
    injected: flags.injected ? "searched" : "not searched",
  });
  const { found, isBeingIndexed } = await searchWithProgress(query, shell, {
    ...(flags.all ? {} : { limit: flags.limit ?? DEFAULT_LIMIT }),
    ...present({ regex: regex ?? undefined, timeMs: flags.timeout }),
  });
  keepNumbers(found.results, shell);
  const output = createOutput(shell.stdout);
  if (flags.json) {
    await output.write(`${toJsonText(toJson(found), 2)}\n`);
  } else {
    await output.write(drawFound(found, shell));
    const paint = paintFor(screenOf(shell, shell.stderr));
    for (const note of notesOf(found, isBeingIndexed)) shell.stderr.write(`${note(paint)}\n`);
  }
  return found.unsearched > 0 ? INCOMPLETE : 0;
}

/** Searches for a query that was typed into one line. Errors: as `runSearch`. */
export async function searchLines(text: string, shell: Shell): Promise<readonly string[]> {
  const query = parseQuery(text, { toTime: (time) => parseSince(time, shell.now) });
  const { found, isBeingIndexed } = await searchWithProgress(query, shell, { limit: DEFAULT_LIMIT });
  keepNumbers(found.results, shell);
  const paint = paintFor(screenOf(shell, shell.stdout));
  const notes = notesOf(found, isBeingIndexed).map((note) => note(paint));
  return [...drawFound(found, shell).trimEnd().split("\n"), ...notes];
}

interface Searched {
  readonly found: SessionSearchResults;
  /** True if a process in the background indexes what this search read in files. */
  readonly isBeingIndexed: boolean;
}

async function searchWithProgress(
  query: SearchQuery,
  shell: Shell,
  options: Pick<SessionSearchOptions, "limit" | "regex" | "timeMs">,
): Promise<Searched> {
  using progress = createProgress(shell);
  let isUnindexed = false;
  const found = await searchSessions(query, {
    places: shell,
    exclude: await patternsOf(shell),
    nowMs: shell.now.getTime(),
    ...options,
    onUnindexed: () => {
      isUnindexed = true;
    },
    onProgress: ({ searched, ofSessions, found }) =>
      progress.show(
        `searched ${formatCount(searched)} of ${formatCount(ofSessions)} sessions, ${formatCount(found().total)} found`,
      ),
  });
  const isBeingIndexed = isUnindexed && ((await startIndexing("search", shell)) || (await isIndexing(shell)));
  return { found, isBeingIndexed };
}

function drawFound(found: SessionSearchResults, shell: Shell): string {
  if (found.total > 0) return drawResults(found, shell);
  if (found.sessions + found.unreadable.length === 0) {
    return "Nothing found: this machine has no sessions to search.\n";
  }
  const { sessions, unsearched } = found;
  if (unsearched === 0) return "Nothing found.\n";
  return `Nothing found yet: ${formatCount(sessions - unsearched)} of ${formatCount(sessions)} sessions were searched.\n`;
}

function toJson({
  results,
  total,
  matched,
  unsearched,
  notIndexed,
  unreadable,
  cut,
}: SessionSearchResults): object {
  return {
    results: results.map((result, at) => resultToJson(result, at + 1)),
    total,
    matched,
    unsearched,
    notIndexed,
    unreadable,
    indexedInPart: cut,
  };
}

/** An argument with spaces is a phrase, unless it is a question or says otherwise itself. */
function toQueryText(argument: string): string {
  const isQuery = /["]|(^|\s)-\S|(^|\s)[a-z]+:|\?\s*$/u.test(argument);
  return /\s/u.test(argument.trim()) && !isQuery ? `"${argument}"` : argument;
}

function toRegex(source: string): RegExp {
  try {
    return new RegExp(source, "u");
  } catch (error) {
    throw new ContinuoError("usage", `no regular expression: ${(error as Error).message}`);
  }
}

function notesOf(
  { total, matched, unsearched, notIndexed, unreadable, cut, index }: SessionSearchResults,
  isBeingIndexed: boolean,
): ((paint: Paint) => string)[] {
  const notes: ((paint: Paint) => string)[] = [];
  if (matched === "most" && total > 0) {
    const text = "these turns have most of the words, not all: put a word in quotes to require it";
    notes.push((paint) => paint(text, "dim"));
  }
  if (unsearched > 0) {
    const text = `${formatCount(unsearched)} ${unsearched === 1 ? "session was" : "sessions were"} not searched in this time: search again without --timeout`;
    notes.push((paint) => paint(text, "yellow"));
  }
  // A few are indexed by the search itself.
  if (index !== "newer" && index !== "unusable" && notIndexed > MANY_SESSIONS) {
    const next = isBeingIndexed
      ? "a process in the background indexes them now"
      : "`continuo index update` makes searches faster";
    const text = `${formatCount(notIndexed)} sessions are not indexed, so their files were searched: ${next}`;
    notes.push((paint) => paint(text, "dim"));
  }
  if (index === "newer" || index === "unusable") {
    const why = index === "newer" ? "a newer version of Continuo made it" : "it cannot be read or written";
    const text = `the index is not used: ${why}; every session was searched in its own file`;
    notes.push((paint) => paint(text, "yellow"));
  }
  if (unreadable.length > 0) {
    const [first] = unreadable;
    const text = `${formatCount(unreadable.length)} cannot be read, for example: ${first?.message ?? ""}`;
    notes.push((paint) => paint(visibleLine(text), "yellow"));
  }
  if (cut > 0) {
    const text = `${formatCount(cut)} with a text of more than 1,000,000 characters: only its beginning is searched`;
    notes.push((paint) => paint(text, "dim"));
  }
  return notes;
}
