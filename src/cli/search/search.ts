/** `search`: the results, ranked, each with the turn that matches best. */

import {
  parseQuery,
  type SearchProgress,
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
  parseSince,
  type Shell,
  type Span,
  sentenceLines,
  toJsonText,
  writeNote,
} from "../terminal/index.ts";
import { drawEarlyResults, drawResults } from "./draw.ts";
import type { SearchFlags } from "./flags.ts";
import { keepNumbers } from "./numbers.ts";
import { resultToJson } from "./result-json.ts";
import { patternsOf } from "./texts.ts";

const DEFAULT_LIMIT = 10;

/** The exit code if the time of `--timeout` was over before every session was searched. */
const INCOMPLETE = 9;

/** The exit code if the person pressed Ctrl-C. */
const INTERRUPTED = 130;

/** If more sessions than this are not indexed, a note recommends an index. The search itself indexes fewer. */
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
  const { found, isBeingIndexed, isStopped } = await searchWithProgress(query, shell, {
    ...(flags.all ? {} : { limit: flags.limit ?? DEFAULT_LIMIT }),
    ...present({ regex: regex ?? undefined, timeMs: flags.timeout }),
    early: flags.json || shell.stdout.isTTY !== true ? "not shown" : "shown",
  });
  keepNumbers(found.results, shell);
  const output = createOutput(shell.stdout);
  if (flags.json) {
    await output.write(`${toJsonText(toJson(found), 2)}\n`);
  } else {
    await output.write(drawFound(found, shell));
    for (const note of notesOf(found, { isBeingIndexed, isStopped })) {
      writeNote([note], shell);
    }
  }
  if (isStopped) return INTERRUPTED;
  return found.unsearched > 0 ? INCOMPLETE : 0;
}

/** Searches for a query that was typed as one line. Errors: as `runSearch`. */
export async function searchLines(text: string, shell: Shell): Promise<readonly string[]> {
  const query = parseQuery(text, { toTime: (time) => parseSince(time, shell.now) });
  const { found, ...state } = await searchWithProgress(query, shell, {
    limit: DEFAULT_LIMIT,
    early: "not shown",
  });
  keepNumbers(found.results, shell);
  const notes = notesOf(found, state).flatMap((note) => sentenceLines([note], shell, shell.stdout));
  return [...drawFound(found, shell).trimEnd().split("\n"), ...notes];
}

interface SearchOutcome extends SearchState {
  readonly found: SessionSearchResults;
}

interface SearchState {
  /** True if a process in the background indexes the sessions that this search read from files. */
  readonly isBeingIndexed: boolean;
  /** True if the person ended it. */
  readonly isStopped: boolean;
}

interface WithProgress extends Pick<SessionSearchOptions, "limit" | "regex" | "timeMs"> {
  /**
   * `shown`: the best results so far are on the terminal until the search ends, and Ctrl-C ends the search with these
   * results.
   */
  readonly early: "shown" | "not shown";
}

async function searchWithProgress(
  query: SearchQuery,
  shell: Shell,
  { early, ...options }: WithProgress,
): Promise<SearchOutcome> {
  using progress = createProgress(shell);
  using interrupts = createStop(shell);
  let isUnindexed = false;
  const found = await searchSessions(query, {
    places: shell,
    exclude: await patternsOf(shell),
    nowMs: shell.now.getTime(),
    ...options,
    ...present({ signal: shell.signal }),
    enough: interrupts.stop,
    onUnindexed: () => {
      isUnindexed = true;
    },
    onProgress: (now) => {
      if (interrupts.stop.aborted) return;
      progress.showLines(() => {
        if (early === "not shown") return [progressLine(now)];
        interrupts.hold();
        return drawEarlyResults(now.found(), now, shell);
      });
    },
  });
  const isStopped = interrupts.stop.aborted;
  const isBeingIndexed = isUnindexed && ((await startIndexing("search", shell)) || (await isIndexing(shell)));
  return { found, isBeingIndexed, isStopped };
}

interface Interrupts extends Disposable {
  readonly stop: AbortSignal;
  /** From now on, the first Ctrl-C stops the search; the next one ends the process. */
  hold(): void;
}

function createStop(shell: Shell): Interrupts {
  const stop = new AbortController();
  let held: Disposable | null = null;
  const release = (): void => {
    held?.[Symbol.dispose]();
    held = null;
  };
  return {
    stop: stop.signal,
    hold() {
      if (held !== null || stop.signal.aborted) return;
      held = shell.holdInterrupts(() => {
        stop.abort();
        release();
      });
    },
    [Symbol.dispose]: release,
  };
}

function progressLine({ searched, ofSessions, found }: SearchProgress): string {
  return `searched ${formatCount(searched)} of ${formatCount(ofSessions)} sessions, ${formatCount(found().total)} found`;
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

/** An argument with spaces is a phrase, unless it is a question or has its own syntax. */
function toQueryText(argument: string): string {
  const isQuery = /["]|(^|\s)-\S|(^|\s)[a-z]+:|\?\s*$/u.test(argument);
  return /\s/u.test(argument.trim()) && !isQuery ? `"${argument}"` : argument;
}

function toRegex(source: string): RegExp {
  try {
    return new RegExp(source, "u");
  } catch (error) {
    throw new ContinuoError("usage", `this is not a regular expression: ${(error as Error).message}`);
  }
}

function notesOf(
  { total, matched, unsearched, notIndexed, unreadable, cut, index }: SessionSearchResults,
  { isBeingIndexed, isStopped }: SearchState,
): Span[] {
  const notes: Span[] = [];
  if (matched === "most" && total > 0) {
    const text = "these turns have most of the words, not all: put a word in quotes to require it";
    notes.push({ text, styles: ["dim"] });
  }
  if (unsearched > 0) {
    const left = `${formatCount(unsearched)} ${unsearched === 1 ? "session was" : "sessions were"} not searched`;
    const text = isStopped
      ? `stopped: ${left}, and may have better results`
      : `${left} in this time: search again without --timeout`;
    notes.push({ text, styles: ["yellow"] });
  }
  // The search itself indexes a few sessions.
  if (index !== "newer" && index !== "unusable" && notIndexed > MANY_SESSIONS) {
    const next = isBeingIndexed
      ? "a process in the background indexes them now"
      : "`continuo index update` makes searches faster";
    const text = `${formatCount(notIndexed)} sessions are not indexed, so their files were searched: ${next}`;
    notes.push({ text, styles: ["dim"] });
  }
  if (index === "newer" || index === "unusable") {
    const why = index === "newer" ? "a newer version of Continuo made it" : "it cannot be read or written";
    const text = `the index is not used: ${why}; every session was searched in its own file`;
    notes.push({ text, styles: ["yellow"] });
  }
  if (unreadable.length > 0) {
    const [first] = unreadable;
    const text = `${formatCount(unreadable.length)} cannot be read, for example: ${first?.message ?? ""}`;
    notes.push({ text: visibleLine(text), styles: ["yellow"] });
  }
  if (cut > 0) {
    const text = `${formatCount(cut)} with a text of more than 1,000,000 characters: only its beginning is searched`;
    notes.push({ text, styles: ["dim"] });
  }
  return notes;
}
