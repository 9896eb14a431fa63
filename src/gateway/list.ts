/** The list of sessions in pages. A cursor names a list that was made before: what changes meanwhile moves no row. */

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
  /** Errors: `invalid` for a cursor of no list that is known, or a folder that is not absolute. */
  page(request: ListSessionsRequest, folder?: "and below" | "exactly"): Promise<ListSessionsResponse>;
}

export function createLists(places: PlacesAt, report: (line: string) => void): SessionLists {
  /** The oldest first. */
  const lists = new Map<string, readonly SessionInfo[]>();
  let made = 0;
  return {
    async page({ cwd, cursor, archived }, folder = "and below") {
      if (typeof cursor === "string") return pageOf(lists, cursor);
      if (typeof cwd === "string" && !isAbsolute(cwd)) {
        throw new ContinuoError("invalid", `${JSON.stringify(cwd)} is no absolute path`);
      }
      const wanted = typeof cwd === "string" ? { [folder === "exactly" ? "cwd" : "below"]: cwd } : {};
      const shown = toArchived(archived);
      // The native session that an archived conversation began as stays in its owner's row.
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
    throw new ContinuoError("invalid", "the cursor belongs to no list that is known", {
      hint: "Ask for the list again without a cursor.",
    });
  }
  const end = Number(start) + GATEWAY_LIMITS.pageSessions;
  return {
    sessions: list.slice(Number(start), end),
    ...(end < list.length ? { nextCursor: `${name}:${end}` } : {}),
  };
}

/** Each conversation once, under an id that no other row has. */
function infosOf(rows: readonly ListedSession[], places: PlacesAt): readonly SessionInfo[] {
  const owners = ownersByName(rows.filter(isOwn));
  return rows.flatMap((row): SessionInfo[] => {
    const native = isOwn(row) ? row.importedFrom : row;
    const key = native === null ? null : nativeKey(native);
    const owner = key === null ? undefined : owners.get(key);
    // The native session that this conversation began as: what it holds is in the row of its owner.
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
    // The protocol wants a folder; one that the session does not tell is said in `_meta`.
    cwd: cwd === null ? home : canonicalFolder(cwd),
    ...present({ title: title ?? undefined, updatedAt: updatedAt ?? undefined }),
    archived,
    _meta: { continuo: { agent, gitBranch, live, cwd } },
  };
}
