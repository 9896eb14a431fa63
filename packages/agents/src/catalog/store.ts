/** The store of own sessions and its location. Only this file of the catalog opens the store. */

import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ContinuoError, type Principal, present, type Store } from "@continuo/core/model";
import { continuoHome, type PlacesAt } from "@continuo/files";
import { CATALOG_LIMITS } from "./limits.ts";
import { isSame, type OwnRow, toOwnRow } from "./rows.ts";

export interface OpenOwn extends AsyncDisposable {
  readonly store: Store;
  /** The address of the store, without credentials. */
  readonly location: string;
}

/** The principal of this user's commands in the audit log. */
export function commandPrincipal(): Principal {
  return { who: `user:${thisUser()}`, from: "command" };
}

/** The name of this user, or the number: in a container, a user may have no name. */
function thisUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "unknown");
  }
}

/** Returns the store of the flag, else of `CONTINUO_STORE` (unless empty), else the database in `CONTINUO_HOME`. */
export function storeUrlOf(places: PlacesAt, flag?: string): string {
  const url = flag ?? (places.env.CONTINUO_STORE || "sqlite:");
  const rest = /^sqlite:(.*)$/isu.exec(url)?.[1];
  return rest === undefined ? url : `sqlite:${pathOf(rest, places)}`;
}

function pathOf(rest: string, places: PlacesAt): string {
  if (rest === "") return join(continuoHome(places), "continuo.db");
  if (rest.startsWith("//")) return fileURLToPath(`file:${rest}`);
  return isAbsolute(rest) ? rest : resolve(places.cwd, rest);
}

/** Returns the address of the store; `null` if it has no file yet. This function never creates the file. */
export function existingStoreUrl(places: PlacesAt): string | null {
  const url = storeUrlOf(places);
  if (/^memory:/iu.test(url)) return null;
  const path = pathOfUrl(url);
  return path === null || existsSync(path) ? url : null;
}

/** The file of a database of SQLite; `null` for any other store. */
export function pathOfUrl(url: string): string | null {
  return url.startsWith("sqlite:") ? url.slice("sqlite:".length) : null;
}

/** Returns `null` if there is no store. An older schema is not migrated. Errors: those of opening a store. */
export async function openOwn(places: PlacesAt): Promise<OpenOwn | null> {
  const url = existingStoreUrl(places);
  if (url === null) return null;
  const { openStore } = await import("@continuo/store");
  const store = await openStore(url, { by: commandPrincipal() });
  return { store, location: locationOf(url), [Symbol.asyncDispose]: () => store.close() };
}

/** Opens the store of a session that was found there. Errors: `not_found` if the store is gone; those of opening it. */
export async function openOwnAgain(places: PlacesAt): Promise<OpenOwn> {
  const own = await openOwn(places);
  if (own === null) throw new ContinuoError("not_found", "the store no longer exists");
  return own;
}

/** Reads from a store that the caller opened and closes. */
export function readOwn(store: Store, location = "the store"): OpenOwn {
  return { store, location, [Symbol.asyncDispose]: () => Promise.resolve() };
}

function locationOf(url: string): string {
  return pathOfUrl(url) ?? withoutPassword(url);
}

/**
 * Returns the sessions that are not in the trash, the last changed one first. Only the newest ones, up to a limit, are
 * read.
 */
export async function listOwn(own: OpenOwn): Promise<readonly OwnRow[]> {
  return (await readOwnRows(own)).filter((row) => !isTrashed(row));
}

export async function listTrashedOwn(own: OpenOwn): Promise<readonly OwnRow[]> {
  return (await readOwnRows(own)).filter(isTrashed);
}

export function isTrashed({ trashedAt }: OwnRow): boolean {
  return trashedAt !== undefined;
}

/** Returns the sessions of `listOwn`, and those in the trash. */
export async function readOwnRows({ store, location }: OpenOwn): Promise<readonly OwnRow[]> {
  const rows: OwnRow[] = [];
  const parents = new Map<string, string>();
  for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
    const page: Awaited<ReturnType<Store["listSessions"]>> = await store.listSessions(
      present({ limit: CATALOG_LIMITS.pageSessions, cursor: cursor ?? undefined }),
    );
    rows.push(...page.items.map((session) => toOwnRow(session, location)));
    for (const { sessionId, parentId } of page.items) if (parentId !== null) parents.set(sessionId, parentId);
    cursor = rows.length < CATALOG_LIMITS.ownSessions ? page.nextCursor : null;
  }
  return withPlaces(rows, parents);
}

/** Sets the place of side logs, which belong to their continuous session. */
function withPlaces(rows: readonly OwnRow[], parents: ReadonlyMap<string, string>): readonly OwnRow[] {
  const live = new Map(rows.map(({ sessionId, place }) => [sessionId, place?.of === "live" ? place : null]));
  return rows.map((row) => {
    const place = live.get(parents.get(row.sessionId) ?? "") ?? null;
    return row.place != null || place === null ? row : { ...row, place };
  });
}

/**
 * Returns the session with this id, otherwise sessions whose ids begin with it, up to a limit; none that is in the
 * trash.
 */
export async function findOwn(own: OpenOwn, id: string): Promise<readonly OwnRow[]> {
  return (await readOwnNamed(own, id)).filter((row) => !isTrashed(row));
}

async function readOwnNamed({ store, location }: OpenOwn, id: string): Promise<readonly OwnRow[]> {
  if (!isName(id)) return [];
  const exact = await store.getSession(id);
  if (exact !== null) return [toOwnRow(exact, location)];
  const rows = new Map<string, OwnRow>();
  for (const prefix of new Set([id, id.toLowerCase()])) {
    const { items } = await store.listSessions({ prefix, limit: CATALOG_LIMITS.matches });
    for (const session of items) rows.set(session.sessionId, toOwnRow(session, location));
  }
  return [...rows.values()];
}

/** Returns the own session that continues in this native session; `null` if there is none. */
export async function ownSessionContinuedIn(
  native: { readonly agent: string; readonly sessionId: string },
  own: OpenOwn,
): Promise<OwnRow | null> {
  return (await listOwn(own)).find((row) => isSame(row, native)) ?? null;
}

/** True if the text has the form of a name in the store, as all ids of sessions do. */
function isName(id: string): boolean {
  return id !== "" && id.length <= 512 && id.isWellFormed() && !/\p{Cc}/u.test(id);
}

/** The address of a store as people may see it: without user, password and options. Pure. */
export function withoutPassword(url: string): string {
  if (pathOfUrl(url) !== null) return url;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
