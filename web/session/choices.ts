/** A reader's choices for a session, as the query of its address. Pure. */

import { type HistoryView, searchableText } from "@continuo/core/wire/machine";

export interface Choices {
  readonly view: HistoryView;
  /** The id of a branch's end; `null` for the active one. */
  readonly branch: string | null;
  /** True if thinking is unfolded. */
  readonly thinking: boolean;
  /** True if the facts of the session are unfolded. */
  readonly facts: boolean;
  /** Folds that were opened or closed, by the key of their row; the newest is the last one. */
  readonly folds: ReadonlyMap<string, boolean>;
  /** The path of the file whose changes are shown; `null` for the first one. */
  readonly file: string | null;
  /** The form of the differences on the page Files. */
  readonly diff: DiffForm;
  /** The words to find in the session, as the person typed them. */
  readonly find: string;
}

export interface DiffForm {
  /** All changes of a file as one difference. */
  readonly net: boolean;
  /** Before and after in two columns. */
  readonly sides: boolean;
}

/** The address has only the newest folds, because a longer address could not be shared. */
const MAX_FOLDS = 20;

/** There is a limit because each text on the screen is searched for each word. */
const MAX_WORDS = 20;

/** Reads the choices from an address, which anybody can have written. */
export function choicesIn(hash: string): Choices {
  const query = new URLSearchParams(hash.split("?").slice(1).join("?"));
  const folds = [...query].flatMap(([name, key]): [string, boolean][] =>
    name === "open" || name === "closed" ? [[key, name === "open"]] : [],
  );
  return {
    view: query.get("view") === "model" ? "model" : "history",
    branch: query.get("branch"),
    thinking: query.get("thinking") === "open",
    facts: query.get("facts") === "open",
    folds: new Map(folds.slice(-MAX_FOLDS)),
    file: query.get("file"),
    diff: { net: query.get("changes") === "net", sides: query.get("columns") === "2" },
    find: query.get("find") ?? "",
  };
}

/** `link` has no query; a default choice is left out. */
export function withChoices(
  link: string,
  { view, branch, thinking, facts, folds, file, diff, find }: Choices,
): string {
  const query = new URLSearchParams([
    ...(view === "model" ? [["view", view]] : []),
    ...(branch === null ? [] : [["branch", branch]]),
    ...(thinking ? [["thinking", "open"]] : []),
    ...(facts ? [["facts", "open"]] : []),
    ...[...folds].slice(-MAX_FOLDS).map(([key, isOpen]) => [isOpen ? "open" : "closed", key]),
    ...(file === null ? [] : [["file", file]]),
    ...(diff.net ? [["changes", "net"]] : []),
    ...(diff.sides ? [["columns", "2"]] : []),
    ...(find === "" ? [] : [["find", find]]),
  ]);
  return query.size === 0 ? link : `${link}?${query}`;
}

/** The first words that can be in a text: a search of all sessions can also have operators and quotes. */
export function wordsIn(find: string): readonly string[] {
  const plain = find.replaceAll(/(?:^|\s)(?:-|-?[a-z]+:)(?:"[^"]*"|\S+)/giu, " ").replaceAll(/["()]/gu, " ");
  const words = new Set(searchableText(plain).split(/\s+/u));
  return [...words].filter((word) => word !== "" && word !== "or").slice(0, MAX_WORDS);
}
