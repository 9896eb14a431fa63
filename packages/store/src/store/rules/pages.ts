/**
 * Lists, a page at a time. A cursor is the key of the last row, so that pages stay correct while rows are added and
 * removed.
 */

import type { Page } from "@continuo/core/model";
import { LIMITS, type Work } from "../engine/index.ts";
import { assertText, invalid } from "./refusals.ts";

export interface PageRequest {
  readonly limit?: number;
  readonly cursor?: string;
}

export type Key = readonly (string | number)[];

interface Source<Row, Item> {
  /** Rows after a key, in order. */
  readonly fetch: (after: Key | undefined, limit: number) => Work<readonly Row[]>;
  readonly keyOf: (row: Row) => Key;
  readonly toItem: (row: Row) => Item;
  /** Returns false for a row to leave out, which `fetch` could not exclude. All rows are wanted by default. */
  readonly isWanted?: (row: Row) => boolean;
  /**
   * The most rows that one statement returns; a page then takes several turns of the event loop. Only lists whose order
   * does not change have it. Rows may be added and removed between two statements, as between two pages.
   */
  readonly rowsAtOnce?: number;
}

const DEFAULT_LIMIT = 100;

/** Errors: `invalid` for an invalid limit or cursor. */
export function* pageOf<Row, Item>(request: PageRequest, source: Source<Row, Item>): Work<Page<Item>> {
  const limit = limitOf(request.limit);
  const after = request.cursor === undefined ? undefined : keyFrom(request.cursor);
  const { rowsAtOnce = limit + 1, isWanted = () => true } = source;
  const items: Item[] = [];
  for (let key = after; ; ) {
    const asked = Math.min(rowsAtOnce, limit + 1 - items.length);
    const rows = yield* source.fetch(key, asked);
    for (const row of rows) {
      if (items.length === limit) return { items, nextCursor: key === undefined ? null : cursorOf(key) };
      if (isWanted(row)) items.push(source.toItem(row));
      key = source.keyOf(row);
    }
    if (rows.length < asked) return { items, nextCursor: null };
  }
}

export function limitOf(limit: number | undefined): number {
  if (limit === undefined) return DEFAULT_LIMIT;
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > LIMITS.pageItems) {
    throw invalid(`the limit of a list must be from 1 to ${LIMITS.pageItems}`, { limit });
  }
  return limit;
}

function cursorOf(key: Key): string {
  return Buffer.from(JSON.stringify(key)).toString("base64url");
}

function keyFrom(cursor: string): Key {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (Array.isArray(key) && key.every((part) => typeof part === "string" || typeof part === "number"))
      return key;
  } catch (cause) {
    throw invalid("the cursor of a list must come from the store", { cursor, cause: String(cause) });
  }
  throw invalid("the cursor of a list must come from the store", { cursor });
}

/** A range of names: after or from the first one, and before the other one. */
export interface NameRange {
  readonly from: readonly [">" | ">=", string];
  /** `null` for no upper bound. */
  readonly before: string | null;
}

/**
 * The range of names of a page with a prefix and a beginning. There is only one lower bound: with two, SQLite would
 * search an index by the first one, and examine all rows from there. No name is empty.
 */
export function nameRange(prefix: string | undefined, after: Key | undefined): NameRange {
  const name = after === undefined ? "" : String(after[0]);
  if (prefix === undefined) return { from: [">", name], before: null };
  const isFirst = Buffer.compare(Buffer.from(name), Buffer.from(prefix)) < 0 || name === "";
  return { from: isFirst ? [">=", prefix] : [">", name], before: prefixEnd(prefix) };
}

/** The first text that is greater than everything with the prefix: U+10FFFF is in no name. */
export function prefixEnd(prefix: string): string {
  return `${prefix}\u{10ffff}`;
}

/** A filter by one text or several; an empty list matches nothing. Errors: `invalid`. */
export function textsOf(what: string, value: string | readonly string[] | undefined): string[] | undefined {
  if (value === undefined) return undefined;
  const texts = Array.isArray(value) ? value : [value];
  if (texts.length > LIMITS.pageItems)
    throw invalid(`the ${what} has too many names`, { count: texts.length });
  for (const text of texts) assertText(what, text);
  // No name is empty, and no database accepts an empty list.
  return texts.length === 0 ? [""] : texts;
}
