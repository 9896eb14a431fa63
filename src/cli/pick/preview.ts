/** The end of a session as lines for the preview, kept for when it is chosen again. */

import { type ListedSession, locateRow, openCatalogSession } from "@continuo/agents/catalog";
import { isContinuoError } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { drawWork } from "../session/index.ts";
import { type Paint, type Shell, wrap } from "../terminal/index.ts";

export interface PreviewSize {
  readonly columns: number;
  readonly rows: number;
}

export interface Previews {
  /** The known lines; `null` until `load` has read them. */
  get(info: ListedSession, size: PreviewSize): readonly string[] | null;
  /** Reads the end of a session. The preview names content that cannot be read. */
  load(info: ListedSession, size: PreviewSize, signal: AbortSignal): Promise<void>;
}

/** More than a screen of text, and read in a moment. */
const NEWEST_BYTES = 128 * 1024;
const MAX_KEPT = 64;

export function createPreviews(options: { readonly shell: Shell; readonly paint: Paint }): Previews {
  const kept = new Map<string, readonly string[]>();
  const keyOf = (info: ListedSession, size: PreviewSize): string =>
    `${info.location} ${size.columns} ${size.rows}`;
  return {
    get: (info, size) => kept.get(keyOf(info, size)) ?? null,
    async load(info, size, signal) {
      const lines = await drawEnd(info, size, signal, options);
      const [oldest] = kept.keys();
      if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      kept.set(keyOf(info, size), lines);
    },
  };
}

async function drawEnd(
  info: ListedSession,
  { columns, rows }: PreviewSize,
  signal: AbortSignal,
  { shell, paint }: { readonly shell: Shell; readonly paint: Paint },
): Promise<readonly string[]> {
  try {
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
    return newestOf(text.split("\n"), conversation.newestTurnLine(), rows);
  } catch (error) {
    if (!isContinuoError(error)) throw error;
    return wrap([{ text: visibleLine(error.message), styles: ["red"] }], columns, paint);
  }
}

/** The heading, and below it what was said last, from the person's last words on. */
function newestOf(lines: readonly string[], newestTurn: number, rows: number): readonly string[] {
  const end = lines.indexOf("");
  const heading = lines.slice(0, end === -1 ? lines.length : end + 1).slice(0, Math.max(1, rows >> 1));
  const room = rows - heading.length;
  const start = Math.max(heading.length, Math.min(newestTurn - 1, lines.length - room));
  return [...heading, ...lines.slice(start, start + room)];
}
