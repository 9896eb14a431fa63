/** The answers of a page with a session inside, in place of a server's. Pure. */

import {
  type HistoryWindow,
  type SavedSession,
  sessionPath,
  type TextRest,
  type WindowMessage,
} from "@continuo/core/wire/machine";
import { ServerError } from "../state/server.ts";

/** The number of characters of a text that one click shows, as on a server. */
const MAX_REST = 262_144;

/** Errors: `not_found` for what is not inside. */
export function answersOf(saved: SavedSession): (path: string) => unknown {
  const root = sessionPath(saved.head.session.key);
  return (path) => {
    const [place = "", asked = ""] = path.split("?");
    const query = new URLSearchParams(asked);
    if (place === root) return saved.head;
    if (place === `${root}/outline`) return saved.outline;
    if (place === `${root}/history`) return windowOf(saved.messages, query);
    if (place.startsWith(`${root}/messages/`)) return restOf(saved, place.slice(root.length), query);
    if (place !== `${root}/changes`) throw notInside();
    const file = query.get("path");
    if (file === null) return saved.changes;
    const changes = saved.files.find((one) => one.path === file);
    if (changes === undefined) throw notInside();
    return changes;
  };
}

function restOf({ texts }: SavedSession, place: string, query: URLSearchParams): TextRest {
  const id = decodeURIComponent(place.split("/")[2] ?? "");
  const found = texts.find(({ messageId, path }) => messageId === id && path === query.get("path"));
  if (found === undefined) throw notInside();
  const from = Number(query.get("from"));
  return { text: found.text.slice(from, from + MAX_REST), from, total: found.text.length };
}

function windowOf(messages: readonly WindowMessage[], query: URLSearchParams): HistoryWindow {
  const limit = Number(query.get("limit") ?? 100);
  const [before, after, around] = ["before", "after", "around"].map((name) => query.get(name));
  const placeOf = (id: string): number => messages.findIndex(({ message }) => message.id === id);
  let from = Math.max(0, messages.length - limit);
  if (typeof before === "string") from = Math.max(0, placeOf(before) - limit);
  else if (typeof after === "string") from = placeOf(after) + 1;
  else if (typeof around === "string") {
    const turn = Number(around.replace(/^turn:/u, ""));
    from = Math.max(0, messages.findIndex((one) => one.turn === turn) - 10);
  }
  const end = typeof before === "string" ? placeOf(before) : from + limit;
  const shown = messages.slice(from, end);
  return {
    messages: shown,
    hasOlder: from > 0,
    hasNewer: end < messages.length,
    total: messages.length,
    turns: null,
    position: null,
  };
}

function notInside(): ServerError {
  return new ServerError(
    "not_found",
    "this file does not have it inside",
    "Open the session with `continuo view`.",
  );
}
