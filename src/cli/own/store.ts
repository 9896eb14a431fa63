/** Continuo's own sessions read from the store, which is loaded here and nowhere before. */

import type { Store } from "../../model/index.ts";
import type { Shell } from "../terminal/index.ts";
import { ownStoreUrl } from "./place.ts";
import { type OwnRow, toOwnRow } from "./rows.ts";

const PAGE_SESSIONS = 500;
/** A list is for a person: more than so many of the newest are not looked at. */
const MAX_SESSIONS = 20_000;
const MAX_SAME_BEGINNING = 20;

export interface OpenOwn extends AsyncDisposable {
  readonly store: Store;
  /** Where it is, without credentials. */
  readonly location: string;
}

/** `null` where there is no store. Errors: those of opening one; an older schema is not brought up to date. */
export async function openOwn(shell: Shell): Promise<OpenOwn | null> {
  const url = ownStoreUrl(shell);
  if (url === null) return null;
  const { openStore } = await import("../../store/index.ts");
  const store = await openStore(url);
  const location = url.startsWith("sqlite:") ? url.slice("sqlite:".length) : withoutPassword(url);
  return { store, location, [Symbol.asyncDispose]: () => store.close() };
}

/** Newest change first. */
export async function listOwn({ store, location }: OpenOwn): Promise<readonly OwnRow[]> {
  const rows: OwnRow[] = [];
  for (let cursor: string | null | undefined; cursor !== null && rows.length < MAX_SESSIONS; ) {
    const page: Awaited<ReturnType<Store["listSessions"]>> = await store.listSessions({
      limit: PAGE_SESSIONS,
      ...(cursor === undefined ? {} : { cursor }),
    });
    rows.push(...page.items.map((session) => toOwnRow(session, location)));
    cursor = page.nextCursor;
  }
  return rows;
}

/** The one of this id, else those whose ids begin so. */
export async function findOwn({ store, location }: OpenOwn, id: string): Promise<readonly OwnRow[]> {
  const wanted = id.toLowerCase();
  const exact = await store.getSession(id);
  if (exact !== null) return [toOwnRow(exact, location)];
  const { items } = await store.listSessions({ prefix: wanted, limit: MAX_SAME_BEGINNING });
  return items.map((session) => toOwnRow(session, location));
}

function withoutPassword(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
