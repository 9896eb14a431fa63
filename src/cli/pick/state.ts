/** The state of the picker, and its changes by keys. Pure. */

import { isOwn, type LeftOutSession } from "@continuo/agents/catalog";
import { entryOf as ofTable } from "@continuo/files";
import { type ActionName, type MenuName, menuOf } from "./actions.ts";
import { filterEntries, type PickEntry } from "./filter.ts";
import type { Key, KeyName } from "./keys.ts";

/** The purpose of the picker. Every purpose except browsing ends with the chosen sessions. */
export type Purpose =
  | { readonly type: "browse" }
  | { readonly type: "choose"; readonly verb: string; readonly many: boolean };

/** A question or a page that receives the keys before the list and the filter do. */
export type Overlay =
  | { readonly type: "help" }
  | { readonly type: "menu"; readonly name: MenuName }
  | { readonly type: "title"; readonly text: string }
  | { readonly type: "plan"; readonly plan: ReturnPlan };

/** The changes that bring sessions back into their agents' lists. */
export interface ReturnPlan {
  readonly lines: readonly string[];
  /** The sessions that can be brought back; the lines also name the others. */
  readonly entries: readonly PickEntry[];
}

export interface PickState {
  readonly purpose: Purpose;
  readonly all: readonly PickEntry[];
  /** True when `all` contains every session; until then, it contains only the newest ones. */
  readonly isWhole: boolean;
  readonly query: string;
  /** Only sessions of this agent. */
  readonly agent: string | null;
  /** Only sessions of this folder and those below it. */
  readonly folder: string | null;
  /** The sessions that match the query and the filters. */
  readonly shown: readonly PickEntry[];
  readonly selected: number;
  /** The locations of the sessions that were selected for one act. */
  readonly marked: ReadonlySet<string>;
  /** The target of letter keys: the filter, or the actions on the list. */
  readonly focus: "filter" | "list";
  readonly overlay: Overlay | null;
  /** The sessions that their agents' own lists leave out, by location; empty until they are found. */
  readonly hidden: ReadonlyMap<string, LeftOutSession>;
  /** The content of the preview. */
  readonly preview: "conversation" | "facts";
  /** The results of the last search, and its words. */
  readonly found: { readonly text: string; readonly entries: readonly PickEntry[] } | null;
  /** Shown until the next key. */
  readonly message: string | null;
}

export interface PerformEffect {
  readonly type: "perform";
  readonly action: ActionName;
  readonly entries: readonly PickEntry[];
  /** The format, the agent or the title. */
  readonly value: string;
}

export type Effect =
  | { readonly type: "leave"; readonly exitCode: number }
  | { readonly type: "take"; readonly entries: readonly PickEntry[] }
  | { readonly type: "open"; readonly entry: PickEntry }
  | { readonly type: "plan"; readonly entries: readonly PickEntry[] }
  | { readonly type: "resume" | "chat"; readonly entry: PickEntry }
  | PerformEffect;

export interface PickUpdate {
  readonly state: PickState;
  readonly effect: Effect | null;
}

export interface PickOptions {
  readonly message?: string | null;
  /** The filter at the start, as if it had been typed. */
  readonly query?: string;
  readonly purpose?: Purpose;
  readonly isWhole?: boolean;
}

/** The facts about the screen and the current folder that the keys need. */
export interface PickSurroundings {
  /** Entries that fit on the screen. */
  readonly page: number;
  readonly cwd: string;
}

export function startPicking(all: readonly PickEntry[], options: PickOptions = {}): PickState {
  const { message = null, query = "", purpose = { type: "browse" }, isWhole = true } = options;
  const empty: PickState = {
    purpose,
    all,
    isWhole,
    query: "",
    agent: null,
    folder: null,
    shown: all,
    selected: 0,
    marked: new Set(),
    hidden: new Map(),
    focus: "filter",
    overlay: null,
    preview: "conversation",
    found: null,
    message,
  };
  return query === "" ? empty : withQuery(empty, query);
}

/** Returns the words of a search in all messages; `null` if the list is filtered. */
export function searchedFor({ query }: PickState): string | null {
  return query.startsWith("/") ? query.slice(1).trimStart() : null;
}

/** The state with the results for these words; if the text has changed since then, it is searched next. */
export function withFound(state: PickState, text: string, entries: readonly PickEntry[]): PickState {
  if (searchedFor(state) === null) return state;
  const found = { text, entries };
  return { ...state, found, shown: shownOf({ ...state, found }), selected: 0 };
}

/** The state with the present list. @param chosen the location to select, instead of the earlier one */
export function withList(state: PickState, all: readonly PickEntry[], chosen?: string): PickState {
  const location = chosen ?? entryOf(state)?.info.location;
  const known = new Set(all.map(({ info }) => info.location));
  const marked = new Set([...state.marked].filter((one) => known.has(one)));
  const fresh = { ...state, all, isWhole: true, marked };
  const shown = shownOf(fresh);
  const place = shown.findIndex(({ info }) => info.location === location);
  const nearby = Math.min(state.selected, Math.max(0, shown.length - 1));
  const stays = chosen === undefined && state.selected === 0;
  return { ...fresh, shown, selected: stays ? 0 : place === -1 ? nearby : place };
}

/** The state with the marks of the sessions that are hidden now. */
export function withHidden(state: PickState, left: readonly LeftOutSession[]): PickState {
  return { ...state, hidden: new Map(left.map((one) => [one.hidden.found.location, one])) };
}

export function entryOf(state: PickState): PickEntry | null {
  return state.shown[state.selected] ?? null;
}

/** The sessions that an act affects: the selected ones, otherwise the chosen one. */
export function targetsOf(state: PickState): readonly PickEntry[] {
  const marked = state.all.filter(({ info }) => state.marked.has(info.location));
  const entry = entryOf(state);
  return marked.length > 0 ? marked : entry === null ? [] : [entry];
}

export function foldKey(before: PickState, key: Key, around: PickSurroundings): PickUpdate {
  const state = { ...before, message: null };
  if (key.type === "key" && key.name === "interrupt") return leave(state, 130);
  if (state.overlay !== null) return onOverlay(state, state.overlay, key);
  if (key.type === "key") return onKey(state, key.name, around.page);
  const { text } = key;
  if (text === "?" && (state.focus === "list" || state.query === "")) {
    return still({ ...state, overlay: { type: "help" } });
  }
  return state.focus === "list" ? onLetter(state, text, around) : still(withQuery(state, state.query + text));
}

function onLetter(state: PickState, letter: string, { cwd, page }: PickSurroundings): PickUpdate {
  const { purpose } = state;
  const isMany = purpose.type === "browse" || purpose.many;
  if (isMany && letter === " ") return move(withMark(state), 1);
  if (isMany && letter === "*") return still(withAllMarked(state));
  const plain = ofTable(PLAIN_LETTERS, letter);
  if (plain !== undefined) return plain(state, page, cwd);
  const act = purpose.type === "browse" ? ofTable(ACTION_LETTERS, letter) : undefined;
  if (act !== undefined) return act(state);
  return still({ ...state, message: `no action has the key ${letter}: ? shows the keys, Tab types` });
}

type OnLetter = (state: PickState, page: number, cwd: string) => PickUpdate;

/** Letters that only move and filter. */
const PLAIN_LETTERS: Readonly<Record<string, OnLetter>> = {
  j: (state) => move(state, 1),
  k: (state) => move(state, -1),
  g: (state) => move(state, -state.shown.length),
  G: (state) => move(state, state.shown.length),
  q: (state) => leave(state, 0),
  "/": (state) =>
    still({ ...withQuery(state, state.query.startsWith("/") ? state.query : "/"), focus: "filter" }),
  s: (state) => still({ ...state, preview: state.preview === "facts" ? "conversation" : "facts" }),
  a: (state) => still(narrowed({ ...state, agent: nextAgent(state) })),
  ".": (state, _, cwd) => still(narrowed({ ...state, folder: state.folder === null ? cwd : null })),
};

const ACTION_LETTERS: Readonly<Record<string, (state: PickState) => PickUpdate>> = {
  r: (state) => onEntry(state, (entry) => ({ type: "resume", entry })),
  c: (state) => onEntry(state, (entry) => ({ type: "chat", entry })),
  h: (state) => openMenu(state, "handoff"),
  e: (state) => openMenu(state, "export"),
  f: (state) => openMenu(state, "fork"),
  d: (state) => openMenu(state, "delete"),
  n: (state) => {
    const entry = entryOf(state);
    return still(
      entry === null ? state : { ...state, overlay: { type: "title", text: entry.info.title ?? "" } },
    );
  },
  b: planReturn,
  u: (state) => ({ state, effect: { type: "perform", action: "undo", entries: [], value: "" } }),
  y: (state) => perform(state, "copy", ""),
};

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
      return enter(state);
    case "help":
      return still({ ...state, overlay: { type: "help" } });
    case "tab":
      return still({ ...state, focus: state.focus === "list" ? "filter" : "list" });
    case "backspace":
      return still({ ...withQuery(state, withoutLast(state.query)), focus: "filter" });
    case "clear":
      return still({ ...withQuery(state, ""), focus: "filter" });
    case "clear-word":
      return still({ ...withQuery(state, withoutWord(state.query)), focus: "filter" });
    case "escape":
      return takeBack(state);
    case "interrupt":
      return leave(state, 130);
  }
}

/** Undoes one thing at each call: the selection, the input, the filters, the focus on actions. The last call leaves. */
function takeBack(state: PickState): PickUpdate {
  if (state.marked.size > 0) return still({ ...state, marked: new Set() });
  if (state.query !== "") return still({ ...withQuery(state, ""), focus: "filter" });
  if (state.agent !== null || state.folder !== null) {
    return still(narrowed({ ...state, agent: null, folder: null }));
  }
  return state.focus === "list" ? still({ ...state, focus: "filter" }) : leave(state, 0);
}

function enter(state: PickState): PickUpdate {
  const { purpose } = state;
  if (purpose.type === "browse") return onEntry(state, (entry) => ({ type: "open", entry }));
  const entries = purpose.many ? targetsOf(state) : targetsOf({ ...state, marked: new Set() });
  return { state, effect: entries.length === 0 ? null : { type: "take", entries } };
}

function onOverlay(state: PickState, overlay: Overlay, key: Key): PickUpdate {
  const back: PickState = { ...state, overlay: null };
  switch (overlay.type) {
    case "help":
      return still(back);
    case "menu": {
      const targets = targetsOf(state);
      const { items } = menuOf(overlay.name, "", targets.length);
      const item = items.find((one) => key.type === "text" && one.key === key.text);
      return item === undefined ? still(back) : perform(back, overlay.name, item.value);
    }
    case "title":
      return onTitle(back, overlay.text, key);
    case "plan": {
      const { entries } = overlay.plan;
      if (key.type !== "text" || key.text !== "y" || entries.length === 0) return still(back);
      const effect = { type: "perform", action: "bring back", entries, value: "" } as const;
      return { state: { ...back, marked: new Set() }, effect };
    }
  }
}

function onTitle(back: PickState, text: string, key: Key): PickUpdate {
  const edited = (title: string): PickUpdate => still({ ...back, overlay: { type: "title", text: title } });
  if (key.type === "text") return edited(text + key.text);
  const entry = entryOf(back);
  switch (key.name) {
    case "backspace":
      return edited(withoutLast(text));
    case "clear":
      return edited("");
    case "clear-word":
      return edited(withoutWord(text));
    case "enter":
      if (entry === null || text.trim() === "" || text === entry.info.title) return still(back);
      return { state: back, effect: { type: "perform", action: "rename", entries: [entry], value: text } };
    case "escape":
      return still(back);
    default:
      return edited(text);
  }
}

function openMenu(state: PickState, name: MenuName): PickUpdate {
  return still(targetsOf(state).length === 0 ? state : { ...state, overlay: { type: "menu", name } });
}

/** Asks for the plan, which must be made before the question about it. */
function planReturn(state: PickState): PickUpdate {
  const targets = targetsOf(state);
  const entries = targets.filter(({ info }) => state.hidden.has(info.location));
  if (entries.length > 0) return { state, effect: { type: "plan", entries } };
  const message =
    targets.length === 0 ? null : "no session with the mark ! is chosen: nothing is to be brought back";
  return still({ ...state, message });
}

/** The number of Continuo's own sessions among those that an act affects. */
export function ownTargets(state: PickState): number {
  return targetsOf(state).filter(({ info }) => isOwn(info)).length;
}

function perform(state: PickState, action: ActionName, value: string): PickUpdate {
  const entries = targetsOf(state);
  if (entries.length === 0) return still(state);
  const marked = action === "copy" ? state.marked : new Set<string>();
  return { state: { ...state, marked }, effect: { type: "perform", action, entries, value } };
}

function withMark(state: PickState): PickState {
  const location = entryOf(state)?.info.location;
  if (location === undefined) return state;
  const marked = new Set(state.marked);
  if (!marked.delete(location)) marked.add(location);
  return { ...state, marked };
}

function withAllMarked(state: PickState): PickState {
  const areAll = state.shown.every(({ info }) => state.marked.has(info.location));
  return { ...state, marked: new Set(areAll ? [] : state.shown.map(({ info }) => info.location)) };
}

/** The next agent of the list; after the last one `null`, which means all agents. */
function nextAgent({ all, agent }: PickState): string | null {
  const names = [...new Set(all.map(({ info }) => info.agent))].sort();
  return names[agent === null ? 0 : names.indexOf(agent) + 1] ?? null;
}

/** A session below the first one stays chosen while it matches the filter; a search chooses its first result. */
function withQuery(state: PickState, query: string): PickState {
  return query.startsWith("/") ? narrowed({ ...state, query, selected: 0 }) : narrowed({ ...state, query });
}

function narrowed(state: PickState): PickState {
  const chosen = state.selected === 0 ? null : entryOf(state);
  const shown = shownOf(state);
  const place = chosen === null ? -1 : shown.indexOf(chosen);
  return { ...state, shown, selected: Math.max(0, place) };
}

function shownOf(state: PickState): readonly PickEntry[] {
  const { query, agent, folder, all, found } = state;
  const isSearch = query.startsWith("/");
  // The earlier results stay until the search has ended.
  const base = isSearch && query.slice(1).trim() !== "" ? (found?.entries ?? []) : all;
  const kept =
    agent === null && folder === null ? base : base.filter((entry) => isKept(entry, { agent, folder }));
  return isSearch ? kept : filterEntries(kept, query);
}

function isKept({ info }: PickEntry, { agent, folder }: Pick<PickState, "agent" | "folder">): boolean {
  const names = [info.agent, ...(info.nativeRefs ?? []).map((ref) => ref.agent)];
  if (agent !== null && !names.includes(agent)) return false;
  return folder === null || info.cwd === folder || info.cwd?.startsWith(`${folder}/`) === true;
}

/** Moving the selection focuses the list. */
function move(state: PickState, by: number): PickUpdate {
  const last = Math.max(0, state.shown.length - 1);
  const selected = Math.min(last, Math.max(0, state.selected + by));
  return still({ ...state, selected, focus: "list" });
}

function withoutLast(text: string): string {
  return [...text].slice(0, -1).join("");
}

function withoutWord(text: string): string {
  return text.replace(/\S*\s*$/u, "");
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
