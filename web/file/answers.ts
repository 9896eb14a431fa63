/** The answers of a page that contains sessions, which replace those of a server. Pure. */

import {
  type HistoryWindow,
  MACHINE_ROOT,
  type SavedHistory,
  type SavedPage,
  type SavedSession,
  type TextRest,
  type WindowMessage,
} from "@continuo/core/wire/machine";
import { ServerError } from "../state/server.ts";

/** The number of characters of a text that one click shows, as on a server. */
const MAX_REST = 262_144;

/** Errors: `not_found` for anything that is not in the page. */
export function answersOf({ sessions }: SavedPage): (path: string) => unknown {
  const byKey = new Map(sessions.map((session) => [session.head.session.key, session]));
  return (path) => {
    const [place = "", asked = ""] = path.split("?");
    const query = new URLSearchParams(asked);
    const [, name = "", part = ""] =
      /^\/sessions\/([^/]+)(.*)$/u.exec(place.slice(MACHINE_ROOT.length)) ?? [];
    const session = byKey.get(decodeURIComponent(name));
    if (session === undefined) throw notInside();
    if (part === "") return session.head;
    if (part === "/branches" && session.branches !== null) return session.branches;
    return answerOf(session, part, query);
  };
}

function answerOf(session: SavedSession, part: string, query: URLSearchParams): unknown {
  const [first, history = first] = historiesOf(session, query);
  if (first === undefined || history === undefined) throw notInside();
  if (part === "/outline") return history.outline;
  if (part === "/facts") return history.facts;
  if (part === "/history") return windowOf(messagesOf(first, history), query);
  if (part.startsWith("/messages/")) return restOf(session, part, query);
  if (part !== "/changes") throw notInside();
  const file = query.get("path");
  if (file === null) return history.changes;
  const changes = history.files.find((one) => one.path === file);
  if (changes === undefined) throw notInside();
  return changes;
}

/** The first history, and that of the requested branch. */
function historiesOf({ histories, head }: SavedSession, query: URLSearchParams): readonly SavedHistory[] {
  const branch = query.get("branch");
  const [first] = histories;
  if (first === undefined) return [];
  const isActive = branch === null || head.branches.some(({ id, active }) => active && id === branch);
  if (isActive) return [first];
  const found = histories.find((one) => one.branch === branch);
  if (found === undefined) throw notInside();
  return [first, found];
}

function messagesOf(first: SavedHistory, { shared, messages }: SavedHistory): readonly WindowMessage[] {
  return shared === 0 ? messages : [...first.messages.slice(0, shared), ...messages];
}

function restOf({ histories }: SavedSession, part: string, query: URLSearchParams): TextRest {
  const id = decodeURIComponent(part.split("/")[2] ?? "");
  for (const { texts } of histories) {
    const found = texts.find(({ messageId, path }) => messageId === id && path === query.get("path"));
    if (found === undefined) continue;
    const from = Number(query.get("from"));
    return { text: found.text.slice(from, from + MAX_REST), from, total: found.text.length };
  }
  throw notInside();
}

function windowOf(messages: readonly WindowMessage[], query: URLSearchParams): HistoryWindow {
  const limit = Number(query.get("limit") ?? 100);
  const [before, after, around] = ["before", "after", "around"].map((name) => query.get(name));
  const placeOf = (id: string): number => messages.findIndex(({ message }) => message.id === id);
  let from = Math.max(0, messages.length - limit);
  if (typeof before === "string") from = Math.max(0, placeOf(before) - limit);
  else if (typeof after === "string") from = placeOf(after) + 1;
  else if (typeof around === "string") {
    const turn = /^turn:(\d+)$/u.exec(around)?.[1];
    const at = turn === undefined ? placeOf(around) : messages.findIndex((one) => one.turn === Number(turn));
    from = Math.max(0, at - 10);
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
