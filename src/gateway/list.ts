/**
 * Pages of the list of sessions. A cursor names a stored list, so that a change between two requests does not move
 * rows. The first two pages of a connection read only the newest sessions, because most clients show no others. All
 * sessions are read after that, and later pages are parts of that whole list as long as nothing has changed.
 */

import { isAbsolute } from "node:path";
import type { ListSessionsRequest, ListSessionsResponse } from "@agentclientprotocol/sdk/unstable";
import {
  type CatalogList,
  folderFilter,
  hasNoUserMessage,
  isOwn,
  type ListedSession,
  listCatalog,
  type Prices,
  projectFilter,
} from "@continuo/agents/catalog";
import { ContinuoError, keepNewest, messageOf, once, present } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { createKeptList } from "./kept-list.ts";
import { GATEWAY_LIMITS } from "./limits.ts";
import { infosOf, type NamedRow, namedRows } from "./row-info.ts";

export interface SessionLists {
  /** Errors: `invalid` for a cursor of an unknown list, or for a relative path of a folder. */
  page(request: ListSessionsRequest, folder?: FolderScope): Promise<ListSessionsResponse>;
  /** The row that the newest list has under this id. Its session may no longer exist. */
  rowOf(id: string): ListedSession | undefined;
  /** Resolves when no list is read any more. */
  end(): Promise<void>;
}

/**
 * The sessions that the filter `cwd` shows: those of the whole project of the folder, or only those of the folder
 * itself.
 */
export type FolderScope = "project" | "exactly";

interface PagedList {
  readonly rows: readonly NamedRow[];
  /** Returns these rows and all others; `null` if there are no others. */
  readonly all: (() => Promise<readonly NamedRow[]>) | null;
}

export interface ListParts {
  readonly places: PlacesAt;
  /** Receives lines for people. */
  readonly report: (line: string) => void;
  /** Errors: those of the configuration; no row has a cost then. */
  readonly prices: () => Promise<Prices>;
  /** Reads the sessions; `listCatalog` by default. */
  readonly list?: typeof listCatalog;
}

export function createLists({ places, report, prices, list: read = listCatalog }: ListParts): SessionLists {
  const kept = createKeptList(places, read);
  /** Lists by their numbers, oldest first. */
  const lists = new Map<string, PagedList>();
  let made = 0;
  const knownPrices = once(async () => {
    try {
      return await prices();
    } catch (error) {
      report(`the costs of sessions are missing in the list: ${messageOf(error)}`);
      return null;
    }
  });
  const pageAt = async (cursor: string): Promise<ListSessionsResponse> => {
    const { rows, nextCursor } = await pageOf(lists, cursor);
    const sessions = await infosOf(rows, { places, prices: await knownPrices.get() });
    return { sessions: [...sessions], ...present({ nextCursor }) };
  };
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
    return { rows, all: list.sessions.length < limit ? null : once(readAll).get };
  };
  return {
    async page({ cwd, cursor, archived }, folder = "project") {
      if (typeof cursor === "string") return await pageAt(cursor);
      const isShown = toFilter(cwd, archived, { folder, places });
      const list = typeof cwd === "string" ? await kept.whole() : await kept.atHand();
      made += 1;
      const name = String(made);
      const whole = list === null ? null : wholeRows(told(list)).filter(isShown);
      lists.set(name, whole === null ? await readNewest(isShown) : { rows: whole, all: null });
      keepNewest(lists, GATEWAY_LIMITS.lists);
      return await pageAt(`${name}:0`);
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
  archived: ListSessionsRequest["archived"],
  { folder, places }: { readonly folder: FolderScope; readonly places: PlacesAt },
): RowFilter {
  if (typeof cwd === "string" && !isAbsolute(cwd)) {
    throw new ContinuoError("invalid", `${JSON.stringify(cwd)} is not an absolute path`);
  }
  const shown = toArchived(archived);
  const isOfFolder =
    typeof cwd !== "string"
      ? () => true
      : folder === "exactly"
        ? folderFilter(cwd)
        : projectFilter(cwd, places);
  return ({ row }) => (shown === "include" || row.archived === (shown === "only")) && isOfFolder(row);
}

/** Every session that has a message of the user. */
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

interface Page {
  readonly rows: readonly NamedRow[];
  readonly nextCursor: string | undefined;
}

async function pageOf(lists: ReadonlyMap<string, PagedList>, cursor: string): Promise<Page> {
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
    rows: rows.slice(Number(start), end),
    nextCursor: mayGoOn ? `${name}:${end}` : undefined,
  };
}

/**
 * Adds the other rows. The rows that were read first keep their places, so that no page shows a session twice or leaves
 * one out.
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
