/** The language of a search, parsed. Pure: the caller passes the time that `since:` counts from. */

import { wordsOf } from "../../index-file/index.ts";
import { ContinuoError } from "../../model/index.ts";

/** Words that must stand next to each other; a single word is a phrase of one. */
export interface Phrase {
  readonly words: readonly string[];
  /** Quoted, or a word of several parts: it is not looked for among the parts of names in code. */
  readonly exact: boolean;
  /** The last word may continue: it is still being typed. */
  readonly isPrefix?: true;
}

export interface SearchQuery {
  readonly all: readonly Phrase[];
  readonly none: readonly Phrase[];
  readonly agents: readonly string[];
  readonly projects: readonly string[];
  readonly branches: readonly string[];
  readonly roles: readonly Role[];
  readonly tools: readonly string[];
  readonly files: readonly string[];
  /** ISO 8601. */
  readonly since: string | null;
  /** `any` for turns in which something failed; with words, these must be in a result. */
  readonly error: "any" | readonly Phrase[] | null;
}

export const ROLES = ["user", "assistant", "tool", "system"] as const;

export type Role = (typeof ROLES)[number];

export interface ParseOptions {
  /** Turns the text after `since:` into a time. Errors: `usage`. */
  readonly toTime: (text: string) => string;
  /** Whether a query may ask for nothing, because something else narrows the search. */
  readonly isEmptyAllowed?: boolean;
  /** Whether the text is still being typed: its last word stands for all that begin so. */
  readonly isTyping?: boolean;
}

/** A name without a value comes first: as a word, it would have its colon for a value. */
const PIECE = /(-?)([a-z]+):(?=\s|$)|(-?)(?:([a-z]+):)?(?:"([^"]*)"|(\S+))/gu;
const FILTERS = ["agent", "project", "branch", "role", "tool", "file", "since", "error"] as const;

type Filter = (typeof FILTERS)[number];

/** Errors: `usage` for a filter without a value or an unknown role, and for a query that asks for nothing. */
export function parseQuery(text: string, options: ParseOptions): SearchQuery {
  const draft = createDraft();
  for (const match of text.matchAll(PIECE)) {
    const isPrefix = options.isTyping === true && match.index + match[0].length === text.length;
    const [, emptyMinus, empty, otherMinus, other, quoted, bare] = match;
    const [minus, name] = [emptyMinus ?? otherMinus ?? "", empty ?? other ?? ""];
    const filter = FILTERS.find((one) => one === name);
    const value = quoted ?? bare ?? "";
    if (filter !== undefined && minus === "") addFilter(draft, filter, value, options);
    else if (filter !== undefined)
      throw new ContinuoError("usage", `the filter ${filter}: cannot be negated`);
    else addWords(draft, name === "" ? value : `${name}:${value}`, { minus, quoted, isPrefix });
  }
  const { all, none, since, error, ...lists } = draft;
  const isNothing =
    all.length === 0 &&
    since === null &&
    error === null &&
    Object.values(lists).every((one) => one.length === 0);
  if (isNothing && options.isEmptyAllowed !== true) {
    throw new ContinuoError("usage", "nothing to search for", {
      hint: "Give a word, or a filter such as tool:Bash.",
    });
  }
  return draft;
}

type Draft = {
  -readonly [K in keyof SearchQuery]: SearchQuery[K] extends readonly (infer T)[] ? T[] : SearchQuery[K];
};

function createDraft(): Draft {
  return {
    ...{ all: [], none: [], agents: [], projects: [], branches: [], roles: [], tools: [], files: [] },
    ...{ since: null, error: null },
  };
}

function addFilter(draft: Draft, filter: Filter, value: string, { toTime }: ParseOptions): void {
  if (value === "" && filter !== "error") {
    throw new ContinuoError("usage", `the filter ${filter}: has no value`);
  }
  switch (filter) {
    case "agent":
      draft.agents.push(value.toLowerCase());
      return;
    case "project":
      draft.projects.push(value.toLowerCase());
      return;
    case "branch":
      draft.branches.push(value.toLowerCase());
      return;
    case "role":
      draft.roles.push(toRole(value));
      return;
    case "tool":
      draft.tools.push(value.toLowerCase());
      return;
    case "file":
      draft.files.push(value.toLowerCase());
      return;
    case "since":
      draft.since = toTime(value);
      return;
    case "error":
      draft.error = value === "" || value === "any" ? "any" : [{ words: wordsOf(value), exact: true }];
  }
}

function toRole(value: string): Role {
  const role = ROLES.find((one) => one === value.toLowerCase());
  if (role !== undefined) return role;
  throw new ContinuoError("usage", `no role ${JSON.stringify(value)}`, {
    hint: `Use one of ${ROLES.join(", ")}.`,
  });
}

interface Written {
  readonly minus: string;
  readonly quoted: string | undefined;
  readonly isPrefix: boolean;
}

function addWords(draft: Draft, text: string, { minus, quoted, isPrefix }: Written): void {
  const words = wordsOf(text);
  if (words.length === 0) return;
  const phrase: Phrase = {
    words,
    exact: quoted !== undefined || words.length > 1,
    ...(isPrefix && quoted === undefined ? { isPrefix } : {}),
  };
  (minus === "-" ? draft.none : draft.all).push(phrase);
}
