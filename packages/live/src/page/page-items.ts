/** The items of a page between two passes: their ids, their hash, and the event of a pass. Pure. */

import { canonicalJson, cutText, type NewEvent, present } from "@continuo/core/model";
import { isSameItem, type PageItem } from "@continuo/core/wire";
import { LIMITS, type PageDraftItem, sha256 } from "../kit/index.ts";

/** The items of a pass. An item that was on the page before keeps its id; no two items have the same id. */
export function itemsAfter(
  drafts: readonly PageDraftItem[],
  before: readonly PageItem[],
  newId: () => string,
): readonly PageItem[] {
  const left = [...before];
  return drafts.slice(0, LIMITS.pageItems).map((draft) => {
    const named: PageItem = { ...bounded(draft), itemId: "", by: "agent", status: "written" };
    const at = left.findIndex((item) => isSameItem(item, named));
    const [known] = at < 0 ? [] : left.splice(at, 1);
    return { ...named, itemId: known?.itemId ?? newId() };
  });
}

function bounded(draft: PageDraftItem): PageDraftItem {
  const { kind, title, text, startMs, endMs, evidence, videoId } = draft;
  return {
    kind,
    title: title === null ? null : cutText(title, LIMITS.nameLength),
    text: cutText(text, LIMITS.pageItemChars),
    startMs,
    endMs: Math.max(startMs, endMs),
    evidence: evidence.slice(0, LIMITS.pageCitations),
    ...present({ videoId }),
  };
}

/** Items at places that the new ones do not reach: an earlier session saw those places. */
export function itemsBeyond(
  before: readonly PageItem[],
  drafts: readonly PageDraftItem[],
): readonly PageItem[] {
  const chapters = drafts.filter(({ kind }) => kind === "chapter");
  return before.filter(({ startMs, endMs, videoId }) =>
    chapters.every(
      (chapter) => chapter.videoId !== videoId || endMs <= chapter.startMs || startMs >= chapter.endMs,
    ),
  );
}

/** A page that a model wrote, followed by the outline of the later evidence. */
export function itemsWithTail(
  before: readonly PageItem[],
  outline: readonly PageDraftItem[],
): readonly PageDraftItem[] {
  const endOf = (video: string | undefined): number =>
    Math.max(
      0,
      ...before.map(({ kind, endMs, videoId }) => (kind === "chapter" && videoId === video ? endMs : 0)),
    );
  const isAfter = ({ kind, startMs, videoId }: PageDraftItem): boolean =>
    kind !== "summary" && startMs >= endOf(videoId);
  return [...before, ...outline.filter(isAfter)];
}

/** SHA-256 over the canonical JSON of the items. */
export function pageHash(items: readonly PageItem[]): string {
  return sha256(canonicalJson(items));
}

export interface WrittenPage {
  readonly pass: number;
  readonly reason: "pause" | "end";
  readonly writer: string;
  readonly through: number;
  readonly items: readonly PageItem[];
  readonly decisionId?: string;
  readonly standsInFor?: string;
}

export function pageEvent({ items, ...page }: WrittenPage): NewEvent {
  return { type: "page_written", data: { ...present(page), items, hash: pageHash(items) } };
}
