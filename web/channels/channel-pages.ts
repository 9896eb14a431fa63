/** The channels of all pages that were read so far, in the server's order, which is by name. Pure. */

import type { ChannelRow, ChannelsPage } from "@continuo/core/wire";

/** The place where a page begins: after the name `after`. The server's cursor for it is `null` for the first page. */
export interface PageStart {
  readonly cursor: string | null;
  readonly after: string;
}

export interface ChannelPages {
  /** Each channel appears once, in the order of names. */
  readonly rows: readonly ChannelRow[];
  /** The pages that were read. */
  readonly starts: readonly PageStart[];
  /** The page to read next; `null` if all channels were read. */
  readonly next: PageStart | null;
}

export const FIRST_PAGE: PageStart = { cursor: null, after: "" };
export const NO_PAGES: ChannelPages = { rows: [], starts: [], next: FIRST_PAGE };

/**
 * Adds a page, or replaces one that was read before. Rows outside of the part that the page covers stay. If a page ends
 * at another place than before, the next page begins there, so that no channel is between two pages.
 */
export function foldPage(pages: ChannelPages, start: PageStart, page: ChannelsPage): ChannelPages {
  const { rows, starts, next } = pages;
  const known = starts.findIndex(({ cursor }) => cursor === start.cursor);
  // This page answers a request that was sent before the pages moved.
  if (known < 0 && next?.cursor !== start.cursor) return pages;
  const before = rows.filter(({ channel }) => compareNames(channel, start.after) <= 0);
  const { channels, nextCursor } = page;
  const upTo = known < 0 ? starts : starts.slice(0, known);
  if (nextCursor === null) return { rows: [...before, ...channels], starts: [...upTo, start], next: null };
  const end: PageStart = { cursor: nextCursor, after: channels.at(-1)?.channel ?? start.after };
  const behind = rows.filter(({ channel }) => compareNames(channel, end.after) > 0);
  const later = known < 0 ? [] : starts.slice(known + 1);
  return {
    rows: [...before, ...channels, ...behind],
    starts: [...upTo, start, ...(later.length === 0 ? [] : [end, ...later.slice(1)])],
    next: later.length === 0 ? end : next,
  };
}

/** The page that contains a channel of this name. */
export function pageOf({ starts }: ChannelPages, channel: string): PageStart {
  return starts.findLast(({ after }) => compareNames(after, channel) < 0) ?? FIRST_PAGE;
}

/** The page after one that was just read again, if it was read before and now begins at another place. */
export function movedAfter(before: ChannelPages, after: ChannelPages, start: PageStart): PageStart | null {
  const following = (pages: ChannelPages): PageStart | undefined =>
    pages.starts[pages.starts.findIndex(({ cursor }) => cursor === start.cursor) + 1];
  const [was, is] = [following(before), following(after)];
  return was === undefined || is === undefined || was.cursor === is.cursor ? null : is;
}

/**
 * The rows to show: if one page is the whole list, the most recently changed channel comes first. Several pages stay in
 * the order of names: a channel that was not read yet may have changed later, and a new page must not move rows.
 */
export function shownRows(pages: ChannelPages, filter: string): readonly ChannelRow[] {
  const words = filter.trim().toLowerCase();
  const rows = pages.rows.filter(({ channel }) => channel.toLowerCase().includes(words));
  return isByName(pages) ? rows : rows.sort((a, b) => (a.changedAt < b.changedAt ? 1 : -1));
}

export function isByName({ starts, next }: ChannelPages): boolean {
  return starts.length > 1 || (starts.length === 1 && next !== null);
}

/**
 * The order of the server: by code points. Characters above U+FFFF come last, although UTF-16 sorts them before U+E000.
 */
function compareNames(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  if (at >= a.length || at >= b.length) return a.length - b.length;
  return weightOf(a.charCodeAt(at)) - weightOf(b.charCodeAt(at));
}

function weightOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
