/** The list of sessions: loaded page by page, and kept up to date by the server's changes. */

import {
  type MachineSession,
  type SessionsChanged,
  type SessionsPage,
  sessionsPath,
} from "@continuo/core/wire/machine";
import { batch, computed, signal } from "@preact/signals";
import { parseRoute } from "../shell/route.ts";
import { type Growth, listen } from "../state/listen.ts";
import { ask, isAbort, sayError } from "../state/server.ts";
import {
  type Filters,
  filtersIn,
  isOrdered,
  isSearch,
  listLink,
  NO_FILTERS,
  placesIn,
  queryOf,
  toItems,
  withPlaces,
} from "../state/sessions.ts";
import { createTypingWait } from "../state/typing.ts";

const PAGE = 200;
/** The server reads the text of each found session for its excerpt, so a small page is shown sooner. */
const FOUND_PAGE = 60;

export const filters = signal<Filters>(NO_FILTERS);
export const rows = signal<readonly MachineSession[]>([]);
export const total = signal<number | null>(null);
export const facets = signal<Pick<SessionsPage, "agents" | "projects" | "tags">>({
  agents: [],
  projects: [],
  tags: [],
});
export const notices = signal<readonly string[]>([]);
/** Sessions whose text is not searched yet. */
export const unsearched = signal(0);
/** The number of sessions that match the text, but not well enough to be filtered and listed. */
export const unlisted = signal(0);
export const failure = signal<string | null>(null);
export const loading = signal(true);
/** True if this page may change something; `null` until the server has answered. */
export const mayChange = signal<boolean | null>(null);
/** The key of the row that has the keyboard's selection. */
export const selected = signal<string | null>(null);

/** The keys of the rows that the person chose, in that order; `null` while no rows are chosen. */
export const chosen = signal<readonly string[] | null>(null);

/** The filters to which the rows belong. */
const answered = signal<Filters | null>(null);
/** True from a change of the filters until its answer: the rows belong to the request before. */
export const isStale = computed(() => answered.value !== filters.value);

export const items = computed(() => toItems(rows.value, isOrdered(answered.value ?? filters.value)));

let cursor: string | null = null;
let running = new AbortController();
const typingWait = createTypingWait();
let typing: ReturnType<typeof setTimeout> | undefined;

/**
 * Sends the request again, immediately or when the person stops typing. The address follows. Words that are typed one
 * after the other are one step of its history.
 */
export function setFilters(next: Partial<Filters>): void {
  const { text, project } = filters.value;
  const isTyped = "text" in next || "project" in next;
  const wanted = { ...filters.value, ...next };
  // Going back leads to the present rows.
  writePlaces();
  // Runs before the rows change, because they are written into the present address.
  const isSameStep = isTyped && text + project !== "" && location.hash === readHash;
  history[isSameStep ? "replaceState" : "pushState"](null, "", listLink(wanted));
  readHash = location.hash;
  show(wanted, isTyped ? typingWait(next.text ?? next.project ?? "") : 0);
}

/**
 * The address that the list was read from, or that it has written. After a step of the history, the address names the
 * next page a moment before that page is shown. Until the list has read an address, it must not write into it.
 */
let readHash: string | null = null;

/** Applies the address: its filters, which may already be shown, the row to go to, and the chosen rows. */
export function readAddress(): void {
  // The address of another page names no filters.
  if (parseRoute(location.hash).page !== "list") return;
  readHash = location.hash;
  const named = filtersIn(location.hash);
  const places = placesIn(location.hash);
  // The server sends no changes of the trash.
  const isOld = isStale.value || named.shown === "deleted";
  batch(() => {
    if (isOld || listLink(named) !== listLink(filters.value)) show(named, 0);
    if (places.at !== null) selected.value = places.at;
    chosen.value = places.chosen;
  });
  // The row stays selected if the address names none.
  keepPlaces();
}

/** Browsers refuse more than about a hundred changes of an address in half a minute, and then do not navigate. */
const ADDRESS_MS = 350;

let writing: ReturnType<typeof setTimeout> | undefined;

/** Writes the selected and the chosen rows into the address, at once unless they changed a moment ago. */
export function keepPlaces(): void {
  // The effect that calls this must depend on the rows even while nothing is written.
  listAddress();
  if (writing !== undefined) return;
  writePlaces();
  writing = setTimeout(() => {
    writing = undefined;
    writePlaces();
  }, ADDRESS_MS);
}

export function writePlaces(): void {
  const places = { at: selected.value, chosen: chosen.value };
  const isThere = withPlaces("#/", placesIn(location.hash)) === withPlaces("#/", places);
  if (location.hash !== readHash || isThere) return;
  history.replaceState(null, "", listAddress());
  readHash = location.hash;
}

/** The address of the present list, with its filters, the selected row, and the chosen rows. */
export function listAddress(): string {
  return withPlaces(listLink(filters.value), { at: selected.value, chosen: chosen.value });
}

/** Chooses the row, or removes the choice. `null` chooses no row, so that the person can begin to choose. */
export function toggleChosen(key: string | null): void {
  const keys = chosen.value ?? [];
  chosen.value =
    key === null ? keys : keys.includes(key) ? keys.filter((one) => one !== key) : [...keys, key];
}

function show(next: Filters, waitMs: number): void {
  wish = null;
  batch(() => {
    filters.value = next;
    selected.value = null;
    // Hidden rows are not affected by an action.
    if (chosen.value !== null) chosen.value = [];
  });
  clearTimeout(typing);
  typing = setTimeout(() => void load(), waitMs);
}

/** The request whose first row the person wants to open. */
let wish: Filters | null = null;

/** Runs now, or when the rows have arrived. */
export function goToFirst(go: () => void): void {
  if (isStale.value) wish = filters.value;
  else go();
}

/** True once if the first row was wanted. */
export function takeWish(): boolean {
  const wanted = wish;
  wish = null;
  return wanted === filters.value;
}

export async function load(): Promise<void> {
  running.abort();
  running = new AbortController();
  loading.value = true;
  await loadPage(running.signal, null);
}

/** The next page, if there is one. */
export async function loadMore(): Promise<void> {
  if (loading.value || cursor === null) return;
  loading.value = true;
  await loadPage(running.signal, cursor);
}

async function loadPage(stop: AbortSignal, from: string | null): Promise<void> {
  const asked = filters.value;
  try {
    const query = {
      ...queryOf(asked, new Date()),
      limit: isSearch(asked) ? FOUND_PAGE : PAGE,
      cursor: from ?? undefined,
    };
    const page = rows.value.length === 0 ? await firstPage(asked, query, stop) : await pageOf(query, stop);
    batch(() => {
      answered.value = asked;
      cursor = page.nextCursor;
      rows.value = from === null ? page.sessions : joined(rows.value, page.sessions);
      total.value = page.total;
      notices.value = page.notices;
      mayChange.value = page.readOnly === undefined;
      unsearched.value = page.unsearched;
      unlisted.value = page.unlisted ?? 0;
      if (from === null) facets.value = page;
      failure.value = null;
      loading.value = page.unsearched > 0;
    });
    // The search continues on the server: the same request gets what it has found in the meantime.
    if (loading.value) await loadPage(stop, null);
  } catch (error) {
    if (isAbort(error)) return;
    batch(() => {
      failure.value = sayError(error);
      loading.value = false;
    });
  }
}

type PageQuery = Parameters<typeof sessionsPath>[0];

async function pageOf(query: PageQuery, stop: AbortSignal): Promise<SessionsPage> {
  return await ask<SessionsPage>(sessionsPath(query), { signal: stop, answer: "kept" });
}

/** The newest sessions are shown before all are found, and the keys already work on them. */
async function firstPage(asked: Filters, query: PageQuery, stop: AbortSignal): Promise<SessionsPage> {
  const page = await pageOf({ ...query, partial: "allow" }, stop);
  if (!page.partial) return page;
  batch(() => {
    answered.value = asked;
    rows.value = page.sessions;
  });
  return await pageOf(query, stop);
}

function joined(
  known: readonly MachineSession[],
  more: readonly MachineSession[],
): readonly MachineSession[] {
  const keys = new Set(known.map(({ key }) => key));
  return [...known, ...more.filter(({ key }) => !keys.has(key))];
}

/** Follows later changes. After a lost connection the list is read again, because changes may have been missed. */
export function follow(): Growth {
  let connections = 0;
  return listen(
    () => `${sessionsPath()}/events`,
    {
      changed: async (data) => {
        const change = data as SessionsChanged;
        const { foldChanged } = await import("../state/sessions-changed.ts");
        const oldest = cursor === null ? null : (rows.value.at(-1)?.updatedAt ?? null);
        const before = rows.value.length;
        rows.value = foldChanged(rows.value, change, { filters: filters.value, now: new Date(), oldest });
        if (total.value !== null) total.value += rows.value.length - before;
      },
    },
    {
      onOpen: () => {
        connections += 1;
        if (connections > 1) void load();
      },
    },
  );
}
