/** The state of the picker, and its changes by keys. Pure. */

import { EXPORT_FORMATS, type ExportFormat } from "../session/index.ts";
import { filterEntries, type PickEntry } from "./filter.ts";
import type { Key, KeyName } from "./keys.ts";

export interface PickState {
  readonly all: readonly PickEntry[];
  readonly query: string;
  /** Those that the query lets through. */
  readonly shown: readonly PickEntry[];
  readonly selected: number;
  /** The target of letters: the filter, the actions on the list, or the format of an export. */
  readonly focus: "filter" | "list" | "format";
  /** The results of the last search, and its words. */
  readonly found: { readonly text: string; readonly entries: readonly PickEntry[] } | null;
  /** Until the next key. */
  readonly message: string | null;
}

export type Effect =
  | { readonly type: "leave"; readonly exitCode: number }
  | { readonly type: "show" | "resume"; readonly entry: PickEntry }
  | { readonly type: "export"; readonly entry: PickEntry; readonly format: ExportFormat }
  | { readonly type: "copy"; readonly entry: PickEntry };

export interface PickUpdate {
  readonly state: PickState;
  readonly effect: Effect | null;
}

export interface PickOptions {
  readonly message?: string | null;
  /** The filter at the start, as if it had been typed. */
  readonly query?: string;
}

export function startPicking(
  all: readonly PickEntry[],
  { message = null, query = "" }: PickOptions = {},
): PickState {
  const empty: PickState = {
    all,
    query: "",
    shown: all,
    selected: 0,
    focus: "filter",
    found: null,
    message,
  };
  return query === "" ? empty : withQuery(empty, query);
}

/** Returns the words of a search in all messages; `null` if the list is filtered. */
export function searchedFor({ query }: PickState): string | null {
  return query.startsWith("/") ? query.slice(1).trimStart() : null;
}

/** With what a search found for these words; what was typed since is searched for next. */
export function withFound(state: PickState, text: string, entries: readonly PickEntry[]): PickState {
  if (searchedFor(state) === null) return state;
  return { ...state, found: { text, entries }, shown: entries, selected: 0 };
}

/** The letter that chooses each format. */
export const FORMAT_KEYS: Readonly<Record<string, ExportFormat>> = {
  m: "md",
  h: "html",
  j: "json",
  l: "jsonl",
};

/** @param page entries that fit on the screen */
export function foldKey(before: PickState, key: Key, page: number): PickUpdate {
  const state = { ...before, message: null };
  if (key.type === "key" && key.name === "interrupt") return leave(state, 130);
  if (state.focus === "format") return chooseFormat(state, key);
  if (key.type === "text") {
    const { text } = key;
    if (state.focus === "list" && Object.hasOwn(LETTERS, text))
      return LETTERS[text as keyof typeof LETTERS](state);
    const added = state.focus === "list" && text === "/" ? "" : text;
    return still({ ...withQuery(state, state.query + added), focus: "filter" });
  }
  return onKey(state, key.name, page);
}

const LETTERS = {
  q: (state: PickState): PickUpdate => leave(state, 0),
  r: (state: PickState): PickUpdate => onEntry(state, (entry) => ({ type: "resume", entry })),
  e: (state: PickState): PickUpdate => still(entryOf(state) === null ? state : { ...state, focus: "format" }),
  c: (state: PickState): PickUpdate => onEntry(state, (entry) => ({ type: "copy", entry })),
} as const;

function onKey(state: PickState, name: KeyName, page: number): PickUpdate {
  switch (name) {
    case "up":
      return move(state, -1);
    case "down":
      return move(state, 1);
    case "page-up":
      return move(state, -page);
    case "page-down":
      return move(state, page);
    case "home":
      return move(state, -state.shown.length);
    case "end":
      return move(state, state.shown.length);
    case "enter":
      return onEntry(state, (entry) => ({ type: "show", entry }));
    case "tab":
      return still({ ...state, focus: state.focus === "list" ? "filter" : "list" });
    case "backspace":
      return still({ ...withQuery(state, [...state.query].slice(0, -1).join("")), focus: "filter" });
    case "clear":
      return still({ ...withQuery(state, ""), focus: "filter" });
    case "clear-word":
      return still({ ...withQuery(state, state.query.replace(/\S*\s*$/u, "")), focus: "filter" });
    case "escape":
      // The input is removed first.
      return state.query === "" ? leave(state, 0) : still({ ...withQuery(state, ""), focus: "filter" });
    case "interrupt":
      return leave(state, 130);
  }
}

function chooseFormat(state: PickState, key: Key): PickUpdate {
  const back: PickState = { ...state, focus: "list" };
  const format = key.type === "text" ? FORMAT_KEYS[key.text] : undefined;
  if (format === undefined || !EXPORT_FORMATS.includes(format)) return still(back);
  return onEntry(back, (entry) => ({ type: "export", entry, format }));
}

export function entryOf(state: PickState): PickEntry | null {
  return state.shown[state.selected] ?? null;
}

/** The session that was chosen stays chosen while the filter lets it through. */
function withQuery(state: PickState, query: string): PickState {
  // Until the search has ended, what it found before stays.
  if (query.startsWith("/")) {
    const shown = query.slice(1).trim() === "" ? state.all : (state.found?.entries ?? []);
    return { ...state, query, shown, selected: 0 };
  }
  const chosen = entryOf(state);
  const shown = filterEntries(state.all, query);
  const place = chosen === null ? -1 : shown.indexOf(chosen);
  return { ...state, query, shown, selected: Math.max(0, place) };
}

/** Moving the selection focuses the list. */
function move(state: PickState, by: number): PickUpdate {
  const last = Math.max(0, state.shown.length - 1);
  const selected = Math.min(last, Math.max(0, state.selected + by));
  return still({ ...state, selected, focus: "list" });
}

function onEntry(state: PickState, effect: (entry: PickEntry) => Effect): PickUpdate {
  const entry = entryOf(state);
  return { state, effect: entry === null ? null : effect(entry) };
}

function still(state: PickState): PickUpdate {
  return { state, effect: null };
}

function leave(state: PickState, exitCode: number): PickUpdate {
  return { state, effect: { type: "leave", exitCode } };
}
