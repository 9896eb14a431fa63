/** Pages of the list of sessions. A cursor names a list that is kept, so that a change between two pages moves no row. */

import { isAbsolute } from "node:path";
import type {
  ListSessionsRequest,
  ListSessionsResponse,
  SessionInfo,
} from "@agentclientprotocol/sdk/unstable";
import {
  isOwn,
  type ListedSession,
  type ListQuery,
  listCatalog,
  nativeKey,
  ownersByName,
} from "@continuo/agents/catalog";
import { ContinuoError, present } from "@continuo/core/model";
import { canonicalFolder, type PlacesAt } from "@continuo/files";
import { ownId } from "./ids.ts";
import { GATEWAY_LIMITS } from "./limits.ts";

export interface SessionLists {
  /** Errors: `invalid` for a cursor of an unknown list, or for a relative path of a folder. */
  page(request: ListSessionsRequest, folder?: "and below" | "exactly"): Promise<ListSessionsResponse>;
}

export function createLists(places: PlacesAt, report: (line: string) => void): SessionLists {
  /** Kept lists by their numbers, oldest first. */
  const lists = new Map<string, readonly SessionInfo[]>();
  let made = 0;
  return {
    async page({ cwd, cursor, archived }, folder = "and below") {
      if (typeof cursor === "string") return pageOf(lists, cursor);
      if (typeof cwd === "string" && !isAbsolute(cwd)) {
        throw new ContinuoError("invalid", `${JSON.stringify(cwd)} is not an absolute path`);
      }
      const wanted = typeof cwd === "string" ? { [folder === "exactly" ? "cwd" : "below"]: cwd } : {};
      const shown = toArchived(archived);
      // An archived conversation is listed too, so that its native session does not appear as a row of its own.
      const query: ListQuery = { ...wanted, empty: "exclude", archived: "include" };
      const { sessions, error, unfinished } = await listCatalog(query, { places });
      if (error !== null) report(`Continuo's own sessions are missing in the list: ${error.message}`);
      for (const { message } of unfinished) report(message);
      made += 1;
      const name = String(made);
      const infos = infosOf(sessions, places);
      const isWanted = ({ archived: is }: SessionInfo): boolean =>
        shown === "include" || is === (shown === "only");
      lists.set(name, infos.filter(isWanted));
      for (const oldest of lists.keys()) {
        if (lists.size <= GATEWAY_LIMITS.lists) break;
        lists.delete(oldest);
      }
      return pageOf(lists, `${name}:0`);
    },
  };
}

/** Errors: `invalid`. */
function toArchived(wanted: ListSessionsRequest["archived"]): "include" | "exclude" | "only" {
  if (wanted === undefined || wanted === null) return "exclude";
  if (wanted === "include" || wanted === "exclude" || wanted === "only") return wanted;
  throw new ContinuoError("invalid", `there is no filter ${JSON.stringify(wanted)} for archived sessions`, {
    hint: "Choose one of include, exclude, only.",
  });
}

function pageOf(lists: ReadonlyMap<string, readonly SessionInfo[]>, cursor: string): ListSessionsResponse {
  const [, name = "", start = ""] = /^(\d{1,15}):(\d{1,15})$/u.exec(cursor) ?? [];
  const list = lists.get(name);
  if (list === undefined) {
    throw new ContinuoError("invalid", "the list of this cursor is no longer known", {
      hint: "Ask for the list again without a cursor.",
    });
  }
  const end = Number(start) + GATEWAY_LIMITS.pageSessions;
  return {
    sessions: list.slice(Number(start), end),
    ...(end < list.length ? { nextCursor: `${name}:${end}` } : {}),
  };
}

/** One row for each conversation, with an id that no other row has. */
function infosOf(rows: readonly ListedSession[], places: PlacesAt): readonly SessionInfo[] {
  const owners = ownersByName(rows.filter(isOwn));
  return rows.flatMap((row): SessionInfo[] => {
    const native = isOwn(row) ? row.importedFrom : row;
    const key = native === null ? null : nativeKey(native);
    const owner = key === null ? undefined : owners.get(key);
    // The conversation that was imported from this native session already has a row.
    if (!isOwn(row) && owner !== undefined) return [];
    return [
      infoOf(row, isOwn(row) && owner !== row ? ownId(row.sessionId) : (key ?? ownId(row.sessionId)), places),
    ];
  });
}

function infoOf(row: ListedSession, sessionId: string, { home }: PlacesAt): SessionInfo {
  const { title, updatedAt, gitBranch, archived, live, cwd } = row;
  const agent = isOwn(row) ? row.lastAgent : row.agent;
  return {
    sessionId,
    // The protocol requires a folder. If the session names none, this is the home, and `_meta` has `null`.
    cwd: cwd === null ? home : canonicalFolder(cwd),
    ...present({ title: title ?? undefined, updatedAt: updatedAt ?? undefined }),
    archived,
    _meta: { continuo: { agent, gitBranch, live, cwd } },
  };
}
