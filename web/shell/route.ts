/**
 * The route in the address: `#/`, `#/inbox`, `#/usage`, `#/health`, `#/phones`, `#/new`, `#/session/KEY`,
 * `#/session/KEY/turn/7`, `#/session/KEY/files`, `#/session/KEY/details`, `#/session/KEY/film/12`, `#/files/PATH`,
 * `#/compare/KEY/KEY/at/7`, `#/channels`, `#/channels/NAME`, `#/live`, `#/live/KEY`, `#/live/KEY/at/7`.
 */

import { signal } from "@preact/signals";

export type Route =
  | { readonly page: "list" }
  | { readonly page: "inbox" }
  | { readonly page: "usage" }
  | { readonly page: "health" }
  /** Phones that may view the sessions. */
  | { readonly page: "phones" }
  /** A new conversation. */
  | { readonly page: "new" }
  /** A file by its absolute path, and the turns that wrote it. */
  | { readonly page: "file"; readonly path: string }
  /** Two histories; `web/compare/compare-address.ts` reads the rest of the address. */
  | { readonly page: "compare"; readonly left: string; readonly right: string }
  /** An address that names no page. */
  | { readonly page: "unknown" }
  /** `null` for the list of all. */
  | { readonly page: "channels"; readonly name: string | null }
  /** `null` for the list of all; `at` is a place in its log. */
  | { readonly page: "live"; readonly key: string | null; readonly at: number | null }
  | {
      readonly page: "session";
      readonly key: string;
      readonly turn: number | null;
      readonly tab: SessionTab;
    };

export type SessionTab = "conversation" | "files" | "details" | "film";

export const route = signal<Route>({ page: "list" });

/** The largest number of parts in an address of each page. */
const PARTS: Readonly<Record<string, number>> = { files: 2, compare: 5, live: 4, channels: 2, session: 4 };

export function parseRoute(hash: string): Route {
  const path = (hash.split("?")[0] ?? "").replace(/^#\/?/u, "").replace(/\/$/u, "");
  const parts = path.split("/");
  const [name = "", key, tab, turn] = parts;
  if (parts.length > (PARTS[name] ?? 1)) return { page: "unknown" };
  if (name === "health" || name === "phones") return { page: name };
  if (name === "inbox" || name === "usage" || name === "new") return { page: name };
  if (name === "files" && key !== undefined && key !== "") return { page: "file", path: decode(key) };
  if (name === "compare" && key && tab) return { page: name, left: decode(key), right: decode(tab) };
  if (name === "live") return parseLive(key, tab, turn);
  if (name === "channels") return { page: name, name: key === undefined || key === "" ? null : decode(key) };
  if (name === "session" && key) return parseSession(decode(key), tab, turn);
  return { page: name === "" ? "list" : "unknown" };
}

function parseSession(key: string, tab?: string, place?: string): Route {
  if (tab === undefined) return { page: "session", key, turn: null, tab: "conversation" };
  if (tab === "film") return { page: "session", key, turn: null, tab };
  if (tab === "turn") {
    const turn = Number(place);
    const isTurn = Number.isSafeInteger(turn) && turn > 0;
    return isTurn ? { page: "session", key, turn, tab: "conversation" } : { page: "unknown" };
  }
  const isPart = (tab === "files" || tab === "details") && place === undefined;
  return isPart ? { page: "session", key, turn: null, tab } : { page: "unknown" };
}

function parseLive(key = "", word = "at", place = ""): Route {
  if (key === "") return { page: "live", key: null, at: null };
  if (word !== "at") return { page: "unknown" };
  const at = /^\d{1,15}$/u.test(place) ? Number(place) : null;
  return { page: "live", key: decode(key), at };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function sessionLink(key: string, rest = ""): string {
  return `#/session/${encodeURIComponent(key)}${rest === "" ? "" : `/${rest}`}`;
}

export function fileLink(path: string): string {
  return `#/files/${encodeURIComponent(path)}`;
}

/** `turn/7` of `#/session/KEY/turn/7?view=model`. */
export function partIn(hash: string): string {
  return (hash.split("?")[0] ?? "").split("/").slice(3).join("/");
}

/**
 * True if the address names this session. After a step of the history it may name another page already, while the page of
 * the session is still shown.
 */
export function isSessionAt(key: string, tab?: SessionTab): boolean {
  const named = parseRoute(location.hash);
  return named.page === "session" && named.key === key && (tab === undefined || named.tab === tab);
}

/** Opens a page at once, so that the next key does not act on the previous page. */
export function goTo(hash: string): void {
  location.hash = hash;
  readAddress();
}

export function followAddress(): void {
  addEventListener("hashchange", readAddress);
  readAddress();
}

/** The address that was read last, or that the shown page has written. */
let readHash: string | null = null;

function readAddress(): void {
  readHash = location.hash;
  route.value = parseRoute(readHash);
}

/**
 * Replaces the address of the shown page. After a step of the history, the browser names the next address a moment
 * before it is read: nothing is written into that one.
 */
export function writeAddress(link: string): void {
  if (readHash !== null && location.hash !== readHash) return;
  history.replaceState(null, "", link);
  readHash = location.hash;
}
