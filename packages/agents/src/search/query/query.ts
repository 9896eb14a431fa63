/** Parses the language of a search. Pure: the caller passes the time from which `since:` counts. */

import { AGENT_NAMES, ContinuoError, nearest } from "@continuo/core/model";
import { wordsOf } from "@continuo/native/index-file";
import { OWN } from "../../catalog/index.ts";
import { isQuestion } from "./function-words.ts";
import { type Phrase, type QueryFilters, ROLES, type Role, type SearchQuery } from "./search-query.ts";
import { voicesOf } from "./voices.ts";

export interface ParseOptions {
  /** Turns the text after `since:` into a time. Errors: `usage`. */
  readonly toTime: (text: string) => string;
  /** True if a query may be empty, because something else narrows the search. */
  readonly isEmptyAllowed?: boolean;
  /** The value of `SearchQuery.injected`; not searched by default. */
  readonly injected?: SearchQuery["injected"];
  /** True while the text is being typed: its last word is a prefix. */
  readonly isTyping?: boolean;
}

/** The pattern of a name without a value comes first; otherwise the colon would count as its value. */
const PIECE = /(-?)([a-z]+):(?=\s|$)|(-?)(?:([a-z]+):)?(?:"([^"]*)"|(\S+))/gu;
const FILTERS = ["agent", "project", "branch", "role", "tool", "file", "since", "error"] as const;

type Filter = (typeof FILTERS)[number];

/**
 * Errors: `usage` for a filter without a value, a name that is nearly that of a filter, an unknown role or agent, and a
 * query that asks for nothing or excludes every role.
 */
export function parseQuery(text: string, options: ParseOptions): SearchQuery {
  const draft = createDraft(
    options.injected ?? "not searched",
    isQuestion(text) && options.isTyping !== true,
  );
  for (const match of text.matchAll(PIECE)) {
    const isPrefix = options.isTyping === true && match.index + match[0].length === text.length;
    const [, emptyMinus, empty, otherMinus, other, quoted, bare] = match;
    const [minus, name] = [emptyMinus ?? otherMinus ?? "", empty ?? other ?? ""];
    const filter = FILTERS.find((one) => one === name);
    const value = quoted ?? bare ?? "";
    if (filter !== undefined && minus === "") addFilter(draft, filter, value, options);
    else if (filter !== undefined) exclude(draft.not, filter, value, options);
    else if (name !== "") addNamed(draft, name, value, { minus, quoted, isPrefix });
    else addWords(draft, value, { minus, quoted, isPrefix });
  }
  assertAsks(draft, options);
  return draft;
}

function assertAsks(draft: QueryDraft, { isEmptyAllowed }: ParseOptions): void {
  if (voicesOf(draft).length === 0) {
    throw new ContinuoError("usage", "nothing to search: every role is excluded", {
      hint: `Leave out one of the filters -role:${draft.not.roles[0] ?? ""}.`,
    });
  }
  const { all, since, error } = draft;
  const lists = [all, ...LISTS.map((key) => draft[key])];
  const isNothing = since === null && error === null && lists.every((one) => one.length === 0);
  if (!isNothing || isEmptyAllowed === true) return;
  throw new ContinuoError("usage", "nothing to search for", {
    hint: "Give a word, or a filter such as tool:Bash.",
  });
}

type Writable<T> = {
  -readonly [K in keyof T]: T[K] extends readonly (infer Item)[] ? Item[] : T[K];
};

interface QueryDraft extends Writable<Omit<SearchQuery, "not">> {
  readonly not: Writable<SearchQuery["not"]>;
}

const LISTS = ["agents", "projects", "branches", "roles", "tools", "files"] as const;

function createDraft(injected: SearchQuery["injected"], isQuestion: boolean): QueryDraft {
  return { ...createFilters(), all: [], none: [], not: createFilters(), injected, isQuestion };
}

function createFilters(): QueryDraft["not"] {
  return {
    agents: [],
    projects: [],
    branches: [],
    roles: [],
    tools: [],
    files: [],
    since: null,
    error: null,
  };
}

function addFilter(draft: QueryDraft, filter: Filter, value: string, options: ParseOptions): void {
  if (filter === "error") {
    draft.error = value === "" || value === "any" ? "any" : [{ words: wordsOf(value), exact: true }];
  } else addValue(draft, filter, value, options);
}

function exclude(not: QueryDraft["not"], filter: Filter, value: string, options: ParseOptions): void {
  if (filter !== "error") addValue(not, filter, value, options);
  else if (value === "" || value === "any") not.error = "any";
  else {
    throw new ContinuoError("usage", "the filter -error: has no value", {
      hint: `Write -error: for turns in which nothing failed, or -${value} for turns without this word.`,
    });
  }
}

type Filters = Writable<QueryFilters>;

function addValue(
  filters: Filters,
  filter: Exclude<Filter, "error">,
  value: string,
  { toTime, isTyping }: ParseOptions,
): void {
  if (value === "") throw new ContinuoError("usage", `the filter ${filter}: has no value`);
  const text = value.toLowerCase();
  switch (filter) {
    case "agent":
      filters.agents.push(toAgent(text, isTyping === true));
      return;
    case "project":
      filters.projects.push(text);
      return;
    case "branch":
      filters.branches.push(text);
      return;
    case "role":
      filters.roles.push(toRole(text));
      return;
    case "tool":
      filters.tools.push(text);
      return;
    case "file":
      filters.files.push(text);
      return;
    case "since":
      filters.since = toTime(value);
  }
}

const AGENTS: readonly string[] = [...AGENT_NAMES, OWN];

/** @param isTyping the name may have more letters soon */
function toAgent(value: string, isTyping: boolean): string {
  if (AGENTS.includes(value)) return value;
  if (isTyping && AGENTS.some((one) => one.startsWith(value))) return value;
  const near = nearest(value, AGENTS);
  throw new ContinuoError("usage", `no agent ${JSON.stringify(value)}`, {
    hint: near === null ? `Use one of ${AGENTS.join(", ")}.` : `Did you mean agent:${near}?`,
  });
}

function toRole(value: string): Role {
  const role = ROLES.find((one) => one === value);
  if (role !== undefined) return role;
  throw new ContinuoError("usage", `no role ${JSON.stringify(value)}`, {
    hint: `Use one of ${ROLES.join(", ")}.`,
  });
}

interface TermSyntax {
  readonly minus: string;
  readonly quoted: string | undefined;
  readonly isPrefix: boolean;
}

/**
 * Filters of other search boxes. They are recognized if their value begins like a time: `after:2026-01-31`, but not the
 * CSS of `before:absolute`.
 */
const OTHER_FILTERS: readonly (readonly [name: string, minus: "" | "-"])[] = [
  ["after", ""],
  ["before", "-"],
  ["until", "-"],
];
const TIME_START = /^(?:\d|today|yesterday)/u;

/** Adds words with a colon between them, such as `localhost:3000`. Errors: `usage` if the first is nearly a filter. */
function addNamed(draft: QueryDraft, name: string, value: string, written: TermSyntax): void {
  const [other, minus] = OTHER_FILTERS.find(([one]) => one === name) ?? [];
  if (other !== undefined && TIME_START.test(value)) {
    throw new ContinuoError("usage", `there is no filter ${other}:`, {
      hint: `Write ${minus}since:${value}.`,
    });
  }
  const near = nearest(name, FILTERS);
  if (near !== null) {
    throw new ContinuoError("usage", `there is no filter ${name}:`, {
      hint: `Did you mean ${written.minus}${near}:${value}? Put the text in quotes to search for its words.`,
    });
  }
  addWords(draft, `${name}:${value}`, written);
}

function addWords(draft: QueryDraft, text: string, { minus, quoted, isPrefix }: TermSyntax): void {
  const words = wordsOf(text);
  if (words.length === 0) return;
  const phrase: Phrase = {
    words,
    exact: quoted !== undefined || words.length > 1,
    ...(quoted === undefined ? {} : { isQuoted: true as const }),
    ...(isPrefix && quoted === undefined ? { isPrefix } : {}),
  };
  (minus === "-" ? draft.none : draft.all).push(phrase);
}
