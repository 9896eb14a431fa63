/** The route in the address: `#/`, `#/inbox`, `#/usage`, `#/session/KEY`, `#/session/KEY/turn/7`, `#/session/KEY/files`, `#/session/KEY/film/12`, `#/health`, `#/phones`, `#/new`, `#/files/PATH`, `#/compare/KEY/KEY/at/7`, `#/channels`, `#/channels/NAME`, `#/live`, `#/live/KEY/at/7`. */

import { signal } from "@preact/signals";

export type Route =
  | { readonly page: "list" }
  | { readonly page: "inbox" }
  | { readonly page: "usage" }
  | { readonly page: "health" }
  /** Phones that may look at this viewer. */
  | { readonly page: "phones" }
  /** A new conversation. */
  | { readonly page: "new" }
  /** A file from the root, and who wrote it. */
  | { readonly page: "file"; readonly path: string }
  /** Two histories; `web/compare/compare-address.ts` reads the rest of the address. */
  | { readonly page: "compare"; readonly left: string; readonly right: string }
  /** An address that names no page. */
  | { readonly page: "unknown" }
  /** `null` for the list of all. */
  | { readonly page: "channels"; readonly name: string | null }
  /** `null` for the list of all; `at` is a place of its log. */
  | { readonly page: "live"; readonly key: string | null; readonly at: number | null }
  | {
      readonly page: "session";
      readonly key: string;
      readonly turn: number | null;
      readonly tab: SessionTab;
    };

export type SessionTab = "conversation" | "files" | "details" | "film";

export const route = signal<Route>({ page: "list" });

export function parseRoute(hash: string): Route {
  const [name, key, tab, turn] = (hash.replace(/^#\/?/u, "").split("?")[0] ?? "").split("/");
  if (name === "health" || name === "phones") return { page: name };
  if (name === "inbox" || name === "usage" || name === "new") return { page: name };
  if (name === "files" && key !== undefined && key !== "") return { page: "file", path: decode(key) };
  if (name === "compare" && key && tab) return { page: name, left: decode(key), right: decode(tab) };
  if (name === "live") return parseLive(key, tab, turn);
  if (name === "channels") return { page: name, name: key === undefined || key === "" ? null : decode(key) };
  if (name !== "session") return { page: name === "" ? "list" : "unknown" };
  if (key === undefined || key === "") return { page: "list" };
  const decoded = decode(key);
  if (tab === "files" || tab === "details" || tab === "film")
    return { page: "session", key: decoded, turn: null, tab };
  const number = tab === "turn" ? Number(turn) : Number.NaN;
  const isTurn = Number.isSafeInteger(number) && number > 0;
  return { page: "session", key: decoded, turn: isTurn ? number : null, tab: "conversation" };
}

function parseLive(key = "", word = "", place = ""): Route {
  if (key === "") return { page: "live", key: null, at: null };
  const at = word === "at" && /^\d{1,15}$/u.test(place) ? Number(place) : null;
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

export function followAddress(): void {
  const read = (): void => {
    route.value = parseRoute(location.hash);
  };
  addEventListener("hashchange", read);
  read();
}
