/** Times, sizes, counts, paths and JSON as text for a terminal. Pure: the clock and the home are passed in. */

import { ContinuoError } from "@continuo/core/model";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const UNITS_MS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS };

/** `now`, `5m ago`, `3h ago`, `6d ago`, then the date; a future time is also shown as a date. */
export function relativeTime(iso: string | null, now: Date): string {
  if (iso === null) return "";
  const time = new Date(iso);
  const ageMs = now.getTime() - time.getTime();
  if (Number.isNaN(ageMs)) return "";
  // A clock that is slightly ahead does not matter.
  if (ageMs < -MINUTE_MS || ageMs >= 14 * DAY_MS) return localDate(time);
  if (ageMs < MINUTE_MS) return "now";
  if (ageMs < HOUR_MS) return `${Math.floor(ageMs / MINUTE_MS)}m ago`;
  if (ageMs < DAY_MS) return `${Math.floor(ageMs / HOUR_MS)}h ago`;
  return `${Math.floor(ageMs / DAY_MS)}d ago`;
}

/** `now`, `5m`, `3h`, `6d`, `9w`, `2y`: an age in at most four columns; empty if unknown. */
export function shortAge(iso: string | null, now: Date): string {
  const ageMs = now.getTime() - new Date(iso ?? Number.NaN).getTime();
  if (Number.isNaN(ageMs)) return "";
  if (ageMs < MINUTE_MS) return "now";
  if (ageMs < HOUR_MS) return `${Math.floor(ageMs / MINUTE_MS)}m`;
  if (ageMs < DAY_MS) return `${Math.floor(ageMs / HOUR_MS)}h`;
  if (ageMs < 14 * DAY_MS) return `${Math.floor(ageMs / DAY_MS)}d`;
  if (ageMs < 365 * DAY_MS) return `${Math.floor(ageMs / (7 * DAY_MS))}w`;
  return `${Math.min(999, Math.floor(ageMs / (365 * DAY_MS)))}y`;
}

/** `2026-11-21 20:43`, local time; empty if unknown. */
export function clockTime(iso: string | null): string {
  const time = new Date(iso ?? Number.NaN);
  if (Number.isNaN(time.getTime())) return "";
  return `${localDate(time)} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

/**
 * Returns a time in ISO 8601 UTC for `30m`, `3h`, `2d` or `1w` ago, for the beginning of `today` or `yesterday`, or for
 * an ISO date or time, which is local if it names no zone. Errors: `usage`.
 */
export function parseSince(text: string, now: Date): string {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/u.exec(text) ?? [];
  const unitMs = UNITS_MS[unit ?? ""];
  if (count !== undefined && unitMs !== undefined) {
    return new Date(now.getTime() - Number(count) * unitMs).toISOString();
  }
  if (text === "today" || text === "yesterday") {
    const daysBack = text === "today" ? 0 : 1;
    return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBack).toISOString();
  }
  const iso = parseIso(text);
  if (iso !== null) return iso;
  throw new ContinuoError("usage", `${JSON.stringify(text)} is not a time`, {
    hint: "Write a time such as 30m, 3h, 2d, 1w, today, yesterday, 2026-11-21, 2026-11-21T20:43 or 2026-11-21T20:43:00Z.",
  });
}

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/u;

function parseIso(text: string): string | null {
  const [, year, month, day, clock = "00:00", zone = ""] = ISO.exec(text) ?? [];
  if (year === undefined) return null;
  // `Date` changes the thirty-first of February to the third of March.
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return null;
  const time = new Date(`${year}-${month}-${day}T${clock}${zone}`);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** `812 B`, `12 KB`, `3.4 MB`; a kilobyte has 1024 bytes. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ["KB", "MB", "GB", "TB"];
  let [size, at] = [bytes / 1024, 0];
  while (size >= 999.5 && at < units.length - 1) [size, at] = [size / 1024, at + 1];
  return `${at > 0 && size < 9.95 ? size.toFixed(1) : Math.round(size)} ${units[at]}`;
}

/** `1,234,567`, the same in every locale. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+(?!\d))/gu, ",");
}

/** `1 session`, `2,000 sessions`. */
export function plural(count: number, one: string, many: string = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** The home folder as `~`. */
export function tildePath(path: string, home: string): string {
  if (home === "" || home === "/") return path;
  if (path === home) return "~";
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** The last name in a folder's path, which people use as the name of the project. */
export function projectName(path: string, home: string): string {
  if (path === home) return "~";
  return path.replace(/\/+$/u, "").split("/").at(-1) || path;
}

function localDate(time: Date): string {
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}

/**
 * Characters that `JSON.stringify` does not escape, and that control a terminal, change the direction of text, or are
 * invisible. A joiner inside an emoji, or inside a word of a script that joins, counts as visible. The character comes
 * first, because a look at what is before it, at each character of a text, takes six times as long.
 */
const HIDDEN =
  /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}](?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}\p{Script=Arab}\p{Script=Deva}\p{Script=Beng}\p{Script=Mlym}\p{Script=Sinh}](?:[\u200c\u200d]|[\ufe0e\ufe0f]))/gu;
const PLAIN = /^[\n\x20-\x7e]*$/u;

/** JSON of the value. The hidden characters become escapes, which a parser reads as the same characters. */
export function toJsonText(value: unknown, indent = 0): string {
  const json = JSON.stringify(value, null, indent);
  return PLAIN.test(json) ? json : json.replace(HIDDEN, escaped);
}

/** The form of an error in the JSON of a command. */
export interface ErrorJson {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly page: string;
}

/** The person who runs the command is also its operator, so a hint for the program is shown too. */
export function errorToJson({ code, message, hint, details, page }: ContinuoError): ErrorJson {
  return { code, message, hint: hint ?? null, details, page };
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** Dollars: `$1.23`, with more digits below one cent. `?` if no price is known, `≥ $1.23` if a part has none. */
export function formatCost({
  usd,
  unpriced,
}: {
  readonly usd: number | null;
  readonly unpriced: readonly unknown[];
}): string {
  if (usd === null) return unpriced.length > 0 ? "?" : "";
  const text = `$${usd.toFixed(usd > 0 && usd < 0.01 ? 4 : 2)}`;
  return unpriced.length > 0 ? `≥ ${text}` : text;
}
