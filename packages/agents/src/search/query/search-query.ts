/** A query as a value: the words and filters that `parseQuery` finds in a text. */

/** Words that must be next to each other; a single word is a phrase of one. */
export interface Phrase {
  readonly words: readonly string[];
  /** True for a quoted phrase or a word of several parts. It is not searched among the parts of names in code. */
  readonly exact: boolean;
  /** True if the phrase was in quotes: a turn must contain exactly this text. */
  readonly isQuoted?: true;
  /** True if the last word may continue, because it is still being typed. */
  readonly isPrefix?: true;
}

/** The phrases that every match must contain. */
export function quotedIn(phrases: readonly Phrase[]): readonly Phrase[] {
  return phrases.filter(({ isQuoted }) => isQuoted === true);
}

/** Sessions and turns that a query asks for, or excludes. */
export interface QueryFilters {
  readonly agents: readonly string[];
  readonly projects: readonly string[];
  readonly branches: readonly string[];
  readonly roles: readonly Role[];
  readonly tools: readonly string[];
  readonly files: readonly string[];
  /** ISO 8601. */
  readonly since: string | null;
}

export interface SearchQuery extends QueryFilters {
  readonly all: readonly Phrase[];
  readonly none: readonly Phrase[];
  /** `any` for turns in which something failed; with words, these must be in a result. */
  readonly error: "any" | readonly Phrase[] | null;
  /** The exclusions; `since` excludes turns at and after the time. */
  readonly not: QueryFilters & { readonly error: "any" | null };
  /** `searched`: text that a program inserted is searched too. A query that names roles ignores this field. */
  readonly injected: "searched" | "not searched";
  /** True for a sentence that asks something: a turn can match without all of its words. */
  readonly isQuestion: boolean;
}

export const ROLES = ["user", "assistant", "tool", "system"] as const;

export type Role = (typeof ROLES)[number];
