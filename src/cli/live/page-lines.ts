/** The page of a session for people: its parts with their names, in the order in which they are shown. Pure. */

import { visibleLine, visibleText } from "@continuo/core/transcript";
import type { LivePage, PageItem, PageItemKind } from "@continuo/core/wire";
import { timeOf } from "./lines.ts";

const NAMES: Readonly<Record<PageItemKind, string>> = {
  summary: "Summary",
  chapter: "Chapters",
  decision: "Decisions",
  question: "Open questions",
};

/** The kinds that the page has, with their items. */
export function partsOf({ items }: LivePage): readonly {
  readonly kind: PageItemKind;
  readonly name: string;
  readonly items: readonly PageItem[];
}[] {
  return (Object.keys(NAMES) as PageItemKind[])
    .map((kind) => ({ kind, name: NAMES[kind], items: items.filter((item) => item.kind === kind) }))
    .filter((part) => part.items.length > 0);
}

/** The author, in one line. */
export function writerLine({ writer, pass, standIn }: LivePage): string {
  const by = writer === "extractive" ? "Taken from what was said, without a model" : `Written by ${writer}`;
  return `${by}, pass ${pass}.${standIn === null ? "" : ` ${standIn}`}`;
}

export function spanOfItem({ kind, startMs, endMs }: PageItem): string {
  return kind === "chapter" && endMs > startMs ? `${timeOf(startMs)}–${timeOf(endMs)}` : timeOf(startMs);
}

/** Names the video of an item if its tab joined the session of another video: the times belong to that video. */
export function videoOfItem({ videoId }: PageItem): string {
  return videoId === undefined ? "" : ` (video ${visibleLine(videoId)})`;
}

/** Further lines are indented, so that none can look like another item. */
export function pageLines(page: LivePage): string {
  const indented = (text: string): string => visibleText(text).replaceAll("\n", "\n    ");
  const parts = partsOf(page).map(({ name, items }) => {
    const lines = items.map((item) => {
      const mark = item.status === "accepted" ? " (accepted)" : item.by === "person" ? " (edited)" : "";
      const text =
        item.title === null ? indented(item.text) : `${indented(item.title)}\n    ${indented(item.text)}`;
      return `  ${spanOfItem(item)}${videoOfItem(item)}${mark}  ${text}\n`;
    });
    return `${name}\n${lines.join("")}\n`;
  });
  return `${parts.join("")}${visibleText(writerLine(page))}\n`;
}
