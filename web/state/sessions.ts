/** The list of sessions as a value. Pure. */

import { LIST_SORTS, type ListPart, type ListSort, type MachineSession } from "@continuo/core/wire/machine";

export interface Filters {
  readonly agents: readonly string[];
  readonly project: string;
  readonly time: TimeFilter;
  readonly text: string;
  readonly pinned: boolean;
  readonly tags: readonly string[];
  readonly shown: ListTab;
  /** `changed`: the newest change first, or the best match. */
  readonly sort: "changed" | ListSort;
}

/** `current`: separate conversations; in a search, all that are not archived. */
export type ListTab = "current" | "channels" | "live" | "archived" | "deleted";

const SHOWN: readonly ListTab[] = ["current", "channels", "live", "archived", "deleted"];

export type TimeFilter = "any" | "day" | "week" | "month";

export const NO_FILTERS: Filters = {
  agents: [],
  project: "",
  time: "any",
  text: "",
  pinned: false,
  tags: [],
  shown: "current",
  sort: "changed",
};

const DAY_MS = 86_400_000;
const DAYS: Readonly<Record<Exclude<TimeFilter, "any">, number>> = { day: 1, week: 7, month: 30 };

/** The earliest time that matches the filter; `null` for any. */
export function sinceOf(time: TimeFilter, now: Date): string | null {
  if (time === "any") return null;
  const start = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  return new Date(start.getTime() - (DAYS[time] - 1) * DAY_MS).toISOString();
}

/** The parameters of the request to the server. */
export function queryOf(
  { agents, project, time, text, pinned, tags, shown, sort }: Filters,
  now: Date,
): Readonly<Record<string, string | readonly string[]>> {
  const asked: readonly (readonly [string, string | readonly string[] | null])[] = [
    ["agent", agents],
    ["project", project],
    ["since", sinceOf(time, now)],
    ["text", text.trim()],
    ["pinned", pinned ? "only" : null],
    ["tag", tags],
    ["part", partOf(shown, text)],
    ["archived", shown === "archived" ? "only" : "exclude"],
    ["deleted", shown === "deleted" ? "only" : null],
    ["sort", sort === "changed" ? null : sort],
  ];
  return Object.fromEntries(asked.filter(([, value]) => value !== null && value.length > 0)) as Readonly<
    Record<string, string | readonly string[]>
  >;
}

function partOf(shown: ListTab, text: string): ListPart | null {
  if (shown === "current") return text.trim() === "" ? "conversations" : null;
  return shown === "channels" || shown === "live" ? shown : null;
}

/** The address of the list with its filters; one that is not set is left out. */
export function listLink(filters: Filters): string {
  const names = Object.keys(NO_FILTERS) as readonly (keyof Filters)[];
  const set = names.filter((name) => String(filters[name]) !== String(NO_FILTERS[name]));
  const query = new URLSearchParams(set.map((name) => [name, String(filters[name])]));
  return set.length > 0 ? `#/?${query}` : "#/";
}

/** The rows that the address of the list names. */
export interface ListPlaces {
  /** The key of the row that has the keyboard's selection. */
  readonly at: string | null;
  /** The keys of the rows that were chosen; `null` while no rows are chosen. */
  readonly chosen: readonly string[] | null;
}

/** A longer address could not be shared. */
const MAX_CHOSEN = 100;

/** @param link the address with its filters */
export function withPlaces(link: string, { at, chosen }: ListPlaces): string {
  const query = new URLSearchParams(at === null ? [] : [["at", at]]);
  for (const key of chosen?.slice(0, MAX_CHOSEN) ?? []) query.append("chosen", key);
  // Nothing is chosen yet, but rows can be chosen.
  if (chosen?.length === 0) query.append("chosen", "");
  return query.size === 0 ? link : `${link}${link.includes("?") ? "&" : "?"}${query}`;
}

export function placesIn(hash: string): ListPlaces {
  const query = new URLSearchParams(hash.split("?").slice(1).join("?"));
  const keys = query.getAll("chosen").slice(0, MAX_CHOSEN);
  return { at: query.get("at") || null, chosen: keys.length === 0 ? null : keys.filter(Boolean) };
}

/** The filters in the address of the list; anybody can have written it. */
export function filtersIn(hash: string): Filters {
  const query = new URLSearchParams(hash.split("?")[1]);
  const textOf = (name: keyof Filters): string => query.get(name) ?? "";
  const time = textOf("time");
  return {
    agents: textOf("agents").split(",").filter(Boolean),
    project: textOf("project"),
    time: Object.hasOwn(DAYS, time) ? (time as TimeFilter) : "any",
    text: textOf("text"),
    pinned: textOf("pinned") === "true",
    tags: textOf("tags").split(",").filter(Boolean),
    shown: SHOWN.find((shown) => shown === textOf("shown")) ?? "current",
    sort: LIST_SORTS.find((sort) => sort === textOf("sort")) ?? "changed",
  };
}

/** True if the rows are those in which the words of the person were found. */
export function isSearch({ text }: Pick<Filters, "text">): boolean {
  return text.trim() !== "";
}

/** True if the rows have an order of their own instead of days. */
export function isOrdered(filters: Filters): boolean {
  return isSearch(filters) || filters.sort !== "changed";
}

/** A line of the list as it is drawn. */
export type ListItem =
  | { readonly type: "pinned"; readonly key: "pinned" }
  | { readonly type: "day"; readonly key: string; readonly time: string | null }
  | { readonly type: "project"; readonly key: string; readonly cwd: string | null; readonly sessions: number }
  | { readonly type: "session"; readonly key: string; readonly row: MachineSession };

/**
 * Pinned rows come first; then the others by day, and within a day by project, the most recently used first. Rows with
 * another order keep it.
 */
export function toItems(rows: readonly MachineSession[], hasOrder: boolean): readonly ListItem[] {
  if (hasOrder) return rows.map((row) => ({ type: "session", key: row.key, row }));
  const pinned = rows.filter(({ marks }) => marks.pinned);
  const items: ListItem[] = pinned.length === 0 ? [] : [{ type: "pinned", key: "pinned" }];
  items.push(...pinned.map((row): ListItem => ({ type: "session", key: row.key, row })));
  const others = rows.filter(({ marks }) => !marks.pinned);
  for (const [day, ofDay] of grouped(others, ({ updatedAt }) => dayOf(updatedAt))) {
    items.push({ type: "day", key: `day:${day}`, time: ofDay[0]?.updatedAt ?? null });
    for (const [cwd, ofProject] of grouped(ofDay, (row) => row.cwd ?? "")) {
      const sessions = ofProject.length;
      items.push({ type: "project", key: `project:${day}:${cwd}`, cwd: cwd === "" ? null : cwd, sessions });
      items.push(...ofProject.map((row): ListItem => ({ type: "session", key: row.key, row })));
    }
  }
  return items;
}

/** The day in the reader's time zone. */
function dayOf(time: string | null): string {
  if (time === null) return "";
  const date = new Date(time);
  return `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`;
}

function grouped<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  return Map.groupBy(values, keyOf);
}
