/** `search`: the results, ranked, each with the turn that matches best. */

import type { Texts } from "../../catalog/index.ts";
import { placesOf } from "../../files/index.ts";
import { ContinuoError, present } from "../../model/index.ts";
import { parseQuery, type SearchResults, searchIndex } from "../../search/index.ts";
import { visibleLine } from "../../transcript/index.ts";
import {
  createOutput,
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
import { updateWithProgress } from "./texts.ts";

const DEFAULT_LIMIT = 10;
/** Afterwards the search answers from what is indexed, and says what is missing. */
const UPDATE_MS = 5_000;

export async function runSearch(words: readonly string[], flags: SearchFlags, shell: Shell): Promise<number> {
  const unknown = words.find((word) => word.startsWith("--"));
  if (unknown !== undefined) throw new ContinuoError("usage", `unknown option '${unknown}'`);
  const regex = flags.regex === undefined ? null : toRegex(flags.regex);
  const query = parseQuery(words.map(toQueryText).join(" "), {
    toTime: (text) => parseSince(text, shell.now),
    ...present({ isEmptyAllowed: regex === null ? undefined : true }),
  });
  const texts = await updateWithProgress(shell, UPDATE_MS);
  const options = {
    texts,
    nowMs: shell.now.getTime(),
    ...(flags.all ? {} : { limit: flags.limit ?? DEFAULT_LIMIT }),
    ...present({ regex: regex ?? undefined }),
  };
  const found = await searchIndex(placesOf(shell), query, options);
  keepNumbers(found.results, shell);
  const output = createOutput(shell.stdout);
  const missing = texts.left + found.changed;
  if (flags.json) {
    await output.write(`${toJsonText(toJson(found, missing, texts), 2)}\n`);
  } else {
    await output.write(drawFound(found, texts, shell));
    const paint = paintFor(screenOf(shell, shell.stderr));
    for (const note of notesOf(missing, texts)) shell.stderr.write(`${note(paint)}\n`);
  }
  return 0;
}

/** Of a query as it is typed into one line. Errors: as `runSearch`. */
export async function searchLines(text: string, shell: Shell): Promise<readonly string[]> {
  const query = parseQuery(text, { toTime: (time) => parseSince(time, shell.now) });
  const texts = await updateWithProgress(shell, UPDATE_MS);
  const options = { texts, nowMs: shell.now.getTime(), limit: DEFAULT_LIMIT };
  const found = await searchIndex(placesOf(shell), query, options);
  keepNumbers(found.results, shell);
  const paint = paintFor(screenOf(shell, shell.stdout));
  const drawn = drawFound(found, texts, shell);
  const notes = notesOf(texts.left + found.changed, texts).map((note) => note(paint));
  return [...drawn.trimEnd().split("\n"), ...notes];
}

function drawFound(found: SearchResults, texts: Texts, shell: Shell): string {
  if (found.total > 0) return drawResults(found, shell);
  const isAnyThere = texts.ready.size + texts.left + texts.unreadable.length > 0;
  return isAnyThere ? "Nothing found.\n" : "Nothing found: this machine has no sessions to search.\n";
}

function toJson(found: SearchResults, missing: number, { unreadable, cut }: Texts): object {
  return {
    results: found.results.map((result, at) => resultToJson(result, at + 1)),
    total: found.total,
    notIndexed: missing,
    unreadable,
    indexedInPart: cut,
  };
}

/** An argument with spaces is a phrase, unless it says otherwise itself. */
function toQueryText(argument: string): string {
  const isQuery = /["]|(^|\s)-\S|(^|\s)[a-z]+:/u.test(argument);
  return /\s/u.test(argument.trim()) && !isQuery ? `"${argument}"` : argument;
}

function toRegex(source: string): RegExp {
  try {
    return new RegExp(source, "u");
  } catch (error) {
    throw new ContinuoError("usage", `no regular expression: ${(error as Error).message}`);
  }
}

function notesOf(missing: number, { unreadable, cut }: Texts): ((paint: Paint) => string)[] {
  const notes: ((paint: Paint) => string)[] = [];
  if (missing > 0) {
    const text = `${formatCount(missing)} ${missing === 1 ? "session is" : "sessions are"} not indexed yet and not searched: \`continuo index update\` indexes them`;
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
