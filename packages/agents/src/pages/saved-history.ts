/** Makes the parts of a session for its page one after the other, so that only one part is in memory at a time. */

import type { Leaf, Message } from "@continuo/core/model";
import {
  type ChangesAnswer,
  type FileChange,
  type FileChanges,
  type Outline,
  type SavedText,
  valueAt,
  type WindowMessage,
} from "@continuo/core/wire/machine";
import { sharedStart } from "./branches.ts";
import type { CachedHistory } from "./cached-history.ts";
import type { HeadNames, ReadHistory } from "./head.ts";
import { changedFiles, changesOfFile, outlineOf } from "./outline.ts";
import { windowMessageAt } from "./window.ts";

export interface PageHistory {
  readonly kept: CachedHistory;
  /** `null` for the history that is shown first. */
  readonly leaf: Leaf | null;
}

/** A session for a page. `kept` is the history that is shown first. */
export interface PageSession extends HeadNames, ReadHistory {
  /** Further branches, in the order of the leaves. */
  readonly branches: readonly PageHistory[];
  readonly seenFrom: Outline["seenFrom"];
}

/** Turns, 1-based, both included. */
export interface TurnRange {
  readonly from: number;
  readonly to: number;
}

/** Indexes of messages: the first, and the one after the last. */
export interface MessageRange {
  readonly start: number;
  readonly end: number;
}

/** A history of a page, and the range of its messages that are written. */
export interface HistoryParts {
  readonly kept: CachedHistory;
  readonly branch: string | null;
  readonly label: string | null;
  readonly turns: TurnRange;
  readonly shared: number;
  readonly messages: MessageRange;
}

export interface SessionParts {
  readonly session: PageSession;
  /** The history that is shown first, then those of the other branches. */
  readonly histories: readonly [HistoryParts, ...HistoryParts[]];
}

export function messagesIn({ turns, length }: CachedHistory, { from, to }: TurnRange): MessageRange {
  return { start: from <= 1 ? 0 : (turns[from - 1]?.index ?? length), end: turns[to]?.index ?? length };
}

/** Returns the number of messages at the start that are the same in both histories. */
export function sharedBy(a: CachedHistory, b: CachedHistory): number {
  const isSame = (at: number): boolean => a.idAt(at) === b.idAt(at) && a.textAt(at) === b.textAt(at);
  return sharedStart(Math.min(a.length, b.length), isSame);
}

export interface SavedMessage {
  readonly shown: WindowMessage;
  readonly texts: readonly SavedText[];
}

/** Returns the message with the bytes of its images, and with the full texts that were cut in it. */
export function savedMessageAt(kept: CachedHistory, key: string, index: number): SavedMessage {
  const whole = kept.messageAt(index);
  const shown = windowMessageAt(kept, { key }, index);
  const texts = shown.cuts.map(({ path }) => ({
    messageId: whole.id,
    path,
    text: String(valueAt(whole, path) ?? ""),
  }));
  return { shown: { ...shown, message: withImages(shown.message, whole) }, texts };
}

function withImages(message: Message, whole: Message): Message {
  const filled = (blocks: Message["content"], path: string): Message["content"] =>
    blocks.map((block, at) => {
      const here = `${path}/${at}`;
      if (block.type === "tool_result")
        return { ...block, content: filled(block.content, `${here}/content`) };
      if (block.type !== "image" || block.url?.startsWith("/") !== true) return block;
      const { url: _, ...rest } = block;
      const { data } = (valueAt(whole, here) ?? {}) as { readonly data?: string };
      return data === undefined ? rest : { ...rest, data };
    });
  return { ...message, content: filled(message.content, "content") };
}

export function savedOutline(
  kept: CachedHistory,
  { from, to }: TurnRange,
  seenFrom: Outline["seenFrom"],
): Outline {
  const outline = outlineOf(kept, { before: to + 1, limit: to - from + 1 }, seenFrom);
  const files = outline.files.filter(({ firstTurn, lastTurn }) => lastTurn >= from && firstTurn <= to);
  return { ...outline, files, hasOlder: false };
}

export function savedChanges(kept: CachedHistory, { from, to }: TurnRange): ChangesAnswer {
  const files = changedFiles(kept).files.filter(
    ({ firstTurn, lastTurn }) => lastTurn >= from && firstTurn <= to,
  );
  return { files, total: files.length };
}

/** Yields the changes of each file in these turns. */
export function* savedFiles(kept: CachedHistory, range: TurnRange): Generator<FileChanges, void, void> {
  for (const { path } of savedChanges(kept, range).files) {
    const changes: FileChange[] = [];
    let net: FileChanges["net"] = null;
    for (let after: number | null = 0; after !== null; ) {
      const part: FileChanges = changesOfFile(kept, path, after);
      changes.push(...part.changes.filter(({ turn }) => turn >= range.from && turn <= range.to));
      net ??= part.net;
      after = part.nextAfter;
    }
    // The net result covers all turns, so a page with only some turns does not have it.
    const isAll = range.from === 1 && range.to >= kept.turns.length;
    yield { path, changes, net: isAll ? net : null, total: changes.length, nextAfter: null };
  }
}
