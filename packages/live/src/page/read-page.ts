/** Reads the page of a session from its events. */

import type { NewEvent, Store, StoredEvent } from "@continuo/core/model";
import {
  type LivePage,
  type PageChange,
  type PageItem,
  pageChangeOf,
  pageItemsOf,
  recordOf,
  textOr,
  toWireEvent,
  writtenItemsOf,
} from "@continuo/core/wire";
import { readSequences } from "../evidence/index.ts";
import { findSession, LIMITS } from "../kit/index.ts";
import { type Follower, type LiveFold, restore } from "../state/index.ts";

/** The page that a pass refines: the items of the earlier pass, and the operations of people on them. */
export interface PreviousPage {
  /** The event of the earlier pass; `null` without one. */
  readonly event: StoredEvent | null;
  readonly written: readonly PageItem[];
  readonly changes: readonly PageChange[];
  /** The writer of the pass; `null` without one. */
  readonly writer: string | null;
}

/** Errors: those of the store. */
export async function readPageBefore(
  store: Store,
  sessionId: string,
  { page: { sequence, changes } }: Pick<LiveFold, "page">,
): Promise<PreviousPage> {
  const [event] = sequence === 0 ? [] : await readSequences(store, sessionId, [sequence]);
  const changed = await readSequences(
    store,
    sessionId,
    changes.map((one) => one.sequence).toSorted((a, b) => a - b),
  );
  return {
    event: event ?? null,
    written: event === undefined ? [] : writtenItemsOf(toWireEvent(event)),
    changes: changed.flatMap((one) => pageChangeOf(toWireEvent(one)) ?? []),
    writer: textOr(recordOf(event?.data).writer, null),
  };
}

/**
 * The page as people see it; if a session has no page yet, the page of the session that it continues. `null` if there
 * is none.
 * Errors: those of the store.
 */
export async function readPage(
  store: Store,
  { sessionId, fold }: Pick<Follower, "sessionId" | "fold">,
): Promise<LivePage | null> {
  const own = await pageOf(store, sessionId, fold);
  if (own !== null || fold.carry === "none") return own;
  const earlier = await earlierFold(store, fold);
  return earlier === null ? null : pageOf(store, earlier.sessionId, earlier.fold);
}

/**
 * The page of the session that this one continues, with events that copy the changes of people on that page into this
 * session.
 */
export async function carriedPage(
  store: Store,
  fold: LiveFold,
): Promise<(PreviousPage & { readonly events: readonly NewEvent[] }) | null> {
  const earlier = fold.carry === "none" ? null : await earlierFold(store, fold);
  if (earlier === null) return null;
  const before = await readPageBefore(store, earlier.sessionId, earlier.fold);
  const events = before.changes.map((change): NewEvent => {
    return {
      type: "page_changed",
      id: `carried/page/${change.itemId}`,
      data: { ...change, carriedFrom: earlier.sessionId },
    };
  });
  return { ...before, events };
}

/** The nearest session before this one that has a page. */
async function earlierFold(
  store: Store,
  { parentId }: LiveFold,
): Promise<{ readonly sessionId: string; readonly fold: LiveFold } | null> {
  let ancestorId = parentId;
  for (let n = 0; n < LIMITS.ancestors && ancestorId !== null; n++) {
    if ((await findSession(store, ancestorId)) === null) return null;
    const { fold } = await restore(store, ancestorId);
    if (fold.page.sequence > 0) return { sessionId: ancestorId, fold };
    ancestorId = fold.carry === "none" ? null : fold.parentId;
  }
  return null;
}

async function pageOf(store: Store, sessionId: string, fold: LiveFold): Promise<LivePage | null> {
  const { passes, through } = fold.page;
  const { event, written, changes } = await readPageBefore(store, sessionId, fold);
  if (event === null || event.data === null) return null;
  const { reason, writer, standsInFor } = recordOf(event.data);
  return {
    sessionId,
    pass: passes,
    reason: reason === "end" ? "end" : "pause",
    writer: textOr(writer, ""),
    standIn: textOr(standsInFor, null),
    through,
    writtenAt: event.occurredAt,
    items: pageItemsOf(written, changes),
  };
}
