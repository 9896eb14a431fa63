/** The page of a session for people: its parts with their names, who wrote it, and its times. Pure. */

import type { LiveOutline, PageItemKind } from "@continuo/core/wire";
import type { PanelPage, PanelPageItem } from "../sending/panel-view.ts";
import { clock } from "./format.ts";

export interface PagePart {
  readonly kind: PageItemKind;
  readonly name: string;
  /** The singular noun for its items in a count; empty for a part whose items are not counted. */
  readonly counted: string;
  readonly items: readonly PanelPageItem[];
}

const PARTS: readonly Omit<PagePart, "items">[] = [
  { kind: "summary", name: "Summary", counted: "" },
  { kind: "chapter", name: "Chapters", counted: "chapter" },
  { kind: "decision", name: "Decisions", counted: "decision" },
  { kind: "question", name: "Open questions", counted: "open question" },
];

/** The parts that the page has, in the order in which they are shown. */
export function partsOf({ items }: Pick<PanelPage, "items">): readonly PagePart[] {
  return PARTS.map((part) => ({ ...part, items: items.filter(({ kind }) => kind === part.kind) })).filter(
    (part) => part.items.length > 0,
  );
}

export function writtenBy({ writer, standIn }: Pick<PanelPage, "writer" | "standIn">): string {
  const by = writer === "extractive" ? "Taken from what was said, without a model." : `Written by ${writer}.`;
  return standIn === null ? by : `${by} ${standIn}`;
}

/** `0:00–3:10` for a chapter, `0:00` for an item of another part. */
export function timesOf({ kind, startMs, endMs }: PanelPageItem): string {
  return kind === "chapter" && endMs > startMs ? `${clock(startMs)}–${clock(endMs)}` : clock(startMs);
}

/** The part of a page that an export shows. */
export type ExportedPage = Pick<PanelPage, "writer" | "standIn" | "items">;

/** The chapters and the summary of the listed captions of a video, for a session that has no page; `null` without captions. */
export function pageOfOutline({ summary, chapters }: LiveOutline): ExportedPage | null {
  if (chapters.length === 0) return null;
  const common = { by: "agent", status: "written" } as const;
  const items = [
    ...summary.map((one) => ({ ...one, kind: "summary" as const, title: null })),
    ...chapters.map(({ watched: _, ...one }) => ({ ...one, kind: "chapter" as const })),
  ].map((one, n) => {
    return { ...one, ...common, itemId: String(n), citations: [{ startMs: one.startMs, text: "" }] };
  });
  return { writer: "extractive", standIn: null, items };
}
