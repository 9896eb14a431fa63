/** The page of a continuous session: its summary, chapters, decisions and open questions, and the changes by people. */

import { numberOr, recordOf, textOr, type WireEvent } from "./channel-events.ts";
import type { Note, Span } from "./live-notes.ts";

export const PAGE_ITEM_KINDS = ["summary", "chapter", "decision", "question"] as const;

export type PageItemKind = (typeof PAGE_ITEM_KINDS)[number];

/** One sentence of the summary, one chapter, one decision, or one open question. */
export interface PageItem extends Span {
  readonly itemId: string;
  readonly kind: PageItemKind;
  /** The title of a chapter; `null` for the other kinds. */
  readonly title: string | null;
  readonly text: string;
  /** Ids of the events that it cites. */
  readonly evidence: readonly string[];
  /**
   * The video in which its span lies, if that is not the video of the session: the tab of that video joined the
   * session.
   */
  readonly videoId?: string;
  /** Later passes never change an item that a person edited or accepted. */
  readonly by: Note["by"];
  readonly status: "written" | "accepted";
}

/** The answer of `GET /v1/live/KEY/page`, in `page`. */
export interface LivePage {
  /** The session that wrote the page: this one, or the one that it continues. */
  readonly sessionId: string;
  /**
   * The number of the pass that wrote it, from 1.
   *
   * @type integer
   */
  readonly pass: number;
  /** The reason for the pass: a long pause, or the end of the session. */
  readonly reason: "pause" | "end";
  /** The writer of the newest pass; `extractive` is the one without a model. */
  readonly writer: string;
  /** One sentence that says why the pass used no model; `null` if it used one. */
  readonly standIn: string | null;
  /**
   * The page includes the evidence up to this sequence.
   *
   * @type integer
   */
  readonly through: number;
  /** ISO 8601 UTC. */
  readonly writtenAt: string;
  /**
   * The kinds in the order of `PAGE_ITEM_KINDS`, and each kind in the order of its video; the video of the session
   * comes first.
   */
  readonly items: readonly PageItem[];
}

/** The body of `POST /v1/live/KEY/page/ID`. After `undo`, later passes may change the item again. */
export type PageOperation =
  | { readonly operation: "edit"; readonly text: string; readonly title?: string }
  | { readonly operation: "accept" }
  | { readonly operation: "remove" }
  | { readonly operation: "undo" };

type Fields = Readonly<Record<string, unknown>>;

/** The items in a `page_written`, as its writer made them. */
export function writtenItemsOf({ data }: Pick<WireEvent, "data">): readonly PageItem[] {
  const { items } = recordOf(data);
  return Array.isArray(items) ? items.flatMap((item) => itemOf(recordOf(item), "agent") ?? []) : [];
}

/** The newest operation of a person on an item; `item` is `null` after `undo`. */
export interface PageChange {
  readonly itemId: string;
  readonly operation: PageOperation["operation"];
  /** The item after the operation; for a removed item, the item before its removal. */
  readonly item: PageItem | null;
}

/** `null` for an event that changes no item. */
export function pageChangeOf({ type, data }: Pick<WireEvent, "type" | "data">): PageChange | null {
  const { itemId, operation, item } = recordOf(data);
  if (type !== "page_changed" || typeof itemId !== "string") return null;
  if (operation === "undo") return { itemId, operation, item: null };
  const known = itemOf(recordOf(item), "person");
  if (known === null || (operation !== "edit" && operation !== "accept" && operation !== "remove"))
    return null;
  return { itemId, operation, item: known };
}

/**
 * The items as people see them: changes by a person replace the written items, even if a later pass left the item out.
 */
export function pageItemsOf(
  written: readonly PageItem[],
  changes: readonly PageChange[],
): readonly PageItem[] {
  const newest = new Map(changes.map((change) => [change.itemId, change]));
  const held = [...newest.values()].flatMap(({ item }) => item ?? []);
  const own = [...newest.values()].flatMap(({ operation, item }) =>
    item === null || operation === "remove" ? [] : [item],
  );
  const rest = written.filter((item) => !held.some((one) => isSameItem(one, item)));
  return [...rest, ...own].toSorted(byKindAndTime);
}

/** Two chapters whose spans overlap by at least this share of the shorter span are the same chapter. */
const SAME_SPAN = 0.5;

/**
 * True if both are the same item, before and after another pass. Items are compared by their ids, chapters also by
 * their position, and other items also by their text.
 */
export function isSameItem(a: PageItem, b: PageItem): boolean {
  if (a.itemId === b.itemId) return true;
  if (a.kind !== b.kind || a.videoId !== b.videoId) return false;
  if (a.kind !== "chapter") return a.text === b.text;
  const common = Math.min(a.endMs, b.endMs) - Math.max(a.startMs, b.startMs);
  const shorter = Math.min(a.endMs - a.startMs, b.endMs - b.startMs);
  return shorter > 0 && common / shorter >= SAME_SPAN;
}

function byKindAndTime(a: PageItem, b: PageItem): number {
  const kinds = PAGE_ITEM_KINDS.indexOf(a.kind) - PAGE_ITEM_KINDS.indexOf(b.kind);
  return kinds || byVideo(a, b) || a.startMs - b.startMs || (a.itemId < b.itemId ? -1 : 1);
}

/** Each video has its own times: the video of the session comes first. */
function byVideo({ videoId: a = "" }: PageItem, { videoId: b = "" }: PageItem): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function itemOf(item: Fields, by: Note["by"]): PageItem | null {
  const { itemId, kind, title, text, evidence, status, videoId } = item;
  const known = PAGE_ITEM_KINDS.find((one) => one === kind);
  if (typeof itemId !== "string" || known === undefined || typeof text !== "string") return null;
  const startMs = numberOr(item.startMs, 0);
  return {
    itemId,
    kind: known,
    title: textOr(title, null),
    text,
    startMs,
    endMs: numberOr(item.endMs, startMs),
    evidence: Array.isArray(evidence) ? evidence.filter((id) => typeof id === "string") : [],
    ...(typeof videoId === "string" ? { videoId } : {}),
    by,
    status: status === "accepted" ? "accepted" : "written",
  };
}
