/** The preview of the chosen session: its end or its facts, remembered in case it is chosen again. */

import { type ListedSession, locateRow, nameOf, openCatalogSession } from "@continuo/agents/catalog";
import { isContinuoError } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { drawWork, infoWork } from "../session/index.ts";
import { type Paint, type Shell, wrap } from "../terminal/index.ts";
import { capture } from "./capture.ts";
import type { PickState } from "./state.ts";

export interface PreviewSize {
  readonly columns: number;
  readonly rows: number;
  readonly shows: PickState["preview"];
  /** The heading is already shown in another place. */
  readonly isBare: boolean;
}

export interface Previews {
  /** The known lines; `null` until `load` has read them. */
  get(info: ListedSession, size: PreviewSize): readonly string[] | null;
  /** Reads a session. If it cannot be read, the preview shows the error. */
  load(info: ListedSession, size: PreviewSize, signal: AbortSignal): Promise<void>;
  /** Forgets all previews, because sessions may have changed. */
  forget(): void;
}

/** This is more than a screen of text, and is still read quickly. */
const NEWEST_BYTES = 128 * 1024;
const MAX_KEPT = 64;

interface Tools {
  readonly shell: Shell;
  readonly paint: Paint;
}

export function createPreviews(tools: Tools): Previews {
  const kept = new Map<string, readonly string[]>();
  const keyOf = (info: ListedSession, { columns, rows, shows }: PreviewSize): string =>
    `${info.location} ${columns} ${rows} ${shows}`;
  return {
    get: (info, size) => kept.get(keyOf(info, size)) ?? null,
    async load(info, size, signal) {
      const lines = await drawSession(info, size, signal, tools);
      const [oldest] = kept.keys();
      if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      kept.set(keyOf(info, size), lines);
    },
    forget: () => kept.clear(),
  };
}

async function drawSession(
  info: ListedSession,
  size: PreviewSize,
  signal: AbortSignal,
  tools: Tools,
): Promise<readonly string[]> {
  try {
    return size.shows === "facts"
      ? await drawFacts(info, size, tools)
      : await drawEnd(info, size, signal, tools);
  } catch (error) {
    if (!isContinuoError(error)) throw error;
    return wrap([{ text: visibleLine(error.message), styles: ["red"] }], size.columns, tools.paint);
  }
}

async function drawFacts(info: ListedSession, size: PreviewSize, { shell, paint }: Tools) {
  const { text } = await capture(shell, (quiet) => infoWork(nameOf(info), quiet));
  const lines = text.trimEnd().split("\n");
  return lines.flatMap((line) => wrap([{ text: line, styles: [] }], size.columns, paint));
}

async function drawEnd(
  info: ListedSession,
  { columns, rows, isBare }: PreviewSize,
  signal: AbortSignal,
  { shell, paint }: Tools,
): Promise<readonly string[]> {
  const located = await locateRow(info, shell, signal);
  using session = await openCatalogSession(located, shell, { newestBytes: NEWEST_BYTES, signal });
  const conversation = await drawWork(session, {
    view: { tools: "short", injected: "hide" },
    columns,
    paint,
    home: shell.home,
  });
  let text = "";
  for await (const chunk of conversation.chunks) {
    signal.throwIfAborted();
    text += chunk;
  }
  return newestOf(text.split("\n"), conversation.newestTurnLine(), rows, isBare);
}

/** The heading, and below it the messages from the beginning of the newest turn on, or more if there is room. */
function newestOf(
  lines: readonly string[],
  newestTurn: number,
  rows: number,
  isBare: boolean,
): readonly string[] {
  const end = lines.indexOf("");
  const heading = lines.slice(0, end === -1 ? lines.length : end + 1);
  const shown = isBare ? [] : heading.slice(0, Math.max(1, rows >> 1));
  const room = rows - shown.length;
  const start = Math.max(heading.length, Math.min(newestTurn - 1, lines.length - room));
  return [...shown, ...lines.slice(start, start + room)];
}
