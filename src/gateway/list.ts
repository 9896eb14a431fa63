/**
 * Pages of the list of sessions. A cursor names a stored list, so that a change between two requests does not move
 * rows. The first two pages of a connection read only the newest sessions, because most clients show no others;
 * all are read after it, and the later pages are parts of those for as long as nothing has changed.
 */

import { isAbsolute } from "node:path";
import type {
  ListSessionsRequest,
  ListSessionsResponse,
  SessionInfo,
} from "@agentclientprotocol/sdk/unstable";
import {
  type CatalogList,
  folderFilter,
  hasNoUserMessage,
  isOwn,
  type ListedSession,
  listCatalog,
  nativeKey,
  type OwnRow,
  ownersByName,
} from "@continuo/agents/catalog";
import { ContinuoError, present } from "@continuo/core/model";
import { canonicalFolder, type PlacesAt } from "@continuo/files";
import { ownId } from "./ids.ts";
import { createKeptList } from "./kept-list.ts";
import { GATEWAY_LIMITS } from "./limits.ts";

export interface SessionLists {
  /** Errors: `invalid` for a cursor of an unknown list, or for a relative path of a folder. */
  page(request: ListSessionsRequest, folder?: "and below" | "exactly"): Promise<ListSessionsResponse>;
  /** The row that an editor was shown under this id; its session may have gone since. */
  rowOf(id: string): ListedSession | undefined;
  /** Resolves when no list is read any more. */
  end(): Promise<void>;
}

interface NamedRow {
  readonly row: ListedSession;
  readonly id: string;
}

interface PagedList {
  readonly rows: readonly NamedRow[];
  /** These rows and those after them; `null` if there are no others. */
  readonly all: (() => Promise<readonly NamedRow[]>) | null;
}

export interface ListParts {
  readonly places: PlacesAt;
  /** Receives lines for people. */
  readonly report: (line: string) => void;
  /** Reads the sessions; `listCatalog` by default. */
  readonly list?: typeof listCatalog;
}

export function createLists({ places, report, list: read = listCatalog }: ListParts): SessionLists {
  const kept = createKeptList(places, read);
  /** Lists by their numbers, oldest first. */
  const lists = new Map<string, PagedList>();
  let made = 0;
  const told = (list: CatalogList): CatalogList => {
    const { error, unfinished } = list;
    if (error !== null) report(`Continuo's own sessions are missing in the list: ${error.message}`);
    for (const { message } of unfinished) report(message);
    return list;
  };
  const readNewest = async (isShown: RowFilter): Promise<PagedList> => {
    const limit = GATEWAY_LIMITS.firstSessions;
    // An archived conversation is listed too, so that its native session does not appear as a row of its own.
    const list = told(await read({ empty: "exclude", archived: "include", limit }, { places }));
    kept.readSoon();
    const rows = namedRows(list.sessions, list.own).filter(isShown);
    const readAll = async (): Promise<readonly NamedRow[]> =>
      withOthers(rows, wholeRows(await kept.whole()).filter(isShown), new Set(list.metIds));
    return { rows, all: list.sessions.length < limit ? null : once(readAll) };
  };
  return {
    async page({ cwd, cursor, archived }, folder = "and below") {
      if (typeof cursor === "string") return await pageOf(lists, cursor, places);
      const isShown = toFilter(cwd, folder, archived);
      const list = typeof cwd === "string" ? await kept.whole() : await kept.atHand();
      made += 1;
      const name = String(made);
      const whole = list === null ? null : wholeRows(told(list)).filter(isShown);
      lists.set(name, whole === null ? await readNewest(isShown) : { rows: whole, all: null });
      for (const oldest of lists.keys()) {
        if (lists.size <= GATEWAY_LIMITS.lists) break;
        lists.delete(oldest);
      }
      return await pageOf(lists, `${name}:0`, places);
    },
    rowOf(id) {
      const newest = [...lists.values()].at(-1);
      return newest?.rows.find((one) => one.id === id)?.row;
    },
    end: kept.end,
  };
}

type RowFilter = (named: NamedRow) => boolean;

/** Errors: `invalid` for a relative path, and for an unknown filter of archived sessions. */
function toFilter(
  cwd: ListSessionsRequest["cwd"],
  folder: "and below" | "exactly",
  archived: ListSessionsRequest["archived"],
): RowFilter {
  if (typeof cwd === "string" && !isAbsolute(cwd)) {
    throw new ContinuoError("invalid", `${JSON.stringify(cwd)} is not an absolute path`);
  }
  const shown = toArchived(archived);
  const isOfFolder = typeof cwd === "string" ? folderFilter(cwd, folder) : () => true;
  return ({ row }) => (shown === "include" || row.archived === (shown === "only")) && isOfFolder(row);
}

/** Every session that has a message. */
function wholeRows(list: CatalogList): readonly NamedRow[] {
  const before = WHOLE_ROWS.get(list);
  if (before !== undefined) return before;
  const rows = list.sessions.filter((row) => !hasNoUserMessage(row));
  const named = namedRows(rows, rows.filter(isOwn));
  WHOLE_ROWS.set(list, named);
  return named;
}

const WHOLE_ROWS = new WeakMap<CatalogList, readonly NamedRow[]>();

/** Errors: `invalid`. */
function toArchived(wanted: ListSessionsRequest["archived"]): "include" | "exclude" | "only" {
  if (wanted === undefined || wanted === null) return "exclude";
  if (wanted === "include" || wanted === "exclude" || wanted === "only") return wanted;
  throw new ContinuoError("invalid", `there is no filter ${JSON.stringify(wanted)} for archived sessions`, {
    hint: "Choose one of include, exclude, only.",
  });
}

async function pageOf(
  lists: ReadonlyMap<string, PagedList>,
  cursor: string,
  places: PlacesAt,
): Promise<ListSessionsResponse> {
  const [, name = "", start = ""] = /^(\d{1,15}):(\d{1,15})$/u.exec(cursor) ?? [];
  const list = lists.get(name);
  if (list === undefined) {
    throw new ContinuoError("invalid", "the list of this cursor is no longer known", {
      hint: "Ask for the list again without a cursor.",
    });
  }
  const end = Number(start) + GATEWAY_LIMITS.pageSessions;
  const rows = list.all === null || end <= list.rows.length ? list.rows : await list.all();
  // The page after the rows that were read first may be empty, because the others have not been counted.
  const mayGoOn = end < rows.length || (rows === list.rows && list.all !== null);
  return {
    sessions: rows.slice(Number(start), end).map((one) => infoOf(one, places)),
    ...(mayGoOn ? { nextCursor: `${name}:${end}` } : {}),
  };
}

/**
 * The rows that were read first keep their places, so that a page shows no session twice and leaves none out.
 *
 * @param met the sessions that there were when the first rows were read
 */
function withOthers(
  first: readonly NamedRow[],
  whole: readonly NamedRow[],
  met: ReadonlySet<string>,
): readonly NamedRow[] {
  const known = new Set(first.map(({ id }) => id));
  return [...first, ...whole.filter(({ id, row }) => !known.has(id) && met.has(row.sessionId))];
}

/** A failure is not kept. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return async () => {
    made ??= make();
    try {
      return await made;
    } catch (error) {
      made = null;
      throw error;
    }
  };
}

/** One row for each conversation, with an id that no other row has. */
function namedRows(rows: readonly ListedSession[], own: readonly OwnRow[]): readonly NamedRow[] {
  const owners = ownersByName(own);
  return rows.flatMap((row): NamedRow[] => {
    const native = isOwn(row) ? row.importedFrom : row;
    const key = native === null ? null : nativeKey(native);
    const owner = key === null ? undefined : owners.get(key);
    // The conversation that was imported from this native session already has a row.
    if (!isOwn(row) && owner !== undefined) return [];
    const isSecond = isOwn(row) && owner?.sessionId !== row.sessionId;
    return [{ row, id: isSecond ? ownId(row.sessionId) : (key ?? ownId(row.sessionId)) }];
  });
}

/** Called only for the rows of a page, because it reads the real path of a folder from the disk. */
function infoOf({ row, id }: NamedRow, { home }: PlacesAt): SessionInfo {
  const { title, updatedAt, gitBranch, archived, live, cwd } = row;
  const agent = isOwn(row) ? row.lastAgent : row.agent;
  return {
    sessionId: id,
    // The protocol requires a folder. If the session names none, this is the home, and `_meta` has `null`.
    cwd: cwd === null ? home : canonicalFolder(cwd),
    ...present({ title: title ?? undefined, updatedAt: updatedAt ?? undefined }),
    archived,
    _meta: { continuo: { agent, gitBranch, live, cwd } },
  };
}
