/**
 * Makes the outline of a history, and lists the files that its turns changed, from the facts that are kept for each
 * turn. Pure, except that messages are read from the spool file.
 */

import { ContinuoError, type SessionFacts, type ToolCallBlock } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { numbered } from "@continuo/core/transcript/html";
import { createNetFold, factsOfTurns } from "@continuo/core/transcript/work";
import type {
  ChangedPath,
  ChangesAnswer,
  FileChange,
  FileChanges,
  Outline,
  OutlineMark,
  TouchedFile,
} from "@continuo/core/wire/machine";
import type { CachedHistory } from "./cached-history.ts";
import { HISTORY_LIMITS } from "./limits.ts";
import { type Change, changesOfCall, spentIn, toOutlineTurn } from "./turn-facts.ts";

export interface OutlineQuery {
  /** Only turns before this number. */
  readonly before?: number;
  readonly limit?: number;
  /** `include` adds the `print` of each turn: hashes of its content. */
  readonly prints?: "include";
}

export function outlineOf(
  { turns }: CachedHistory,
  { before, limit = HISTORY_LIMITS.outlineTurns, prints }: OutlineQuery,
  seenFrom: Outline["seenFrom"],
): Outline {
  const end = Math.min(turns.length, (before ?? turns.length + 1) - 1);
  const start = Math.max(0, end - limit);
  const marks: OutlineMark[] = [];
  for (let at = end - 1; at >= start && marks.length < HISTORY_LIMITS.outlineMarks; at--) {
    for (const mark of [...(turns[at]?.marks ?? [])].reverse()) marks.push({ ...mark, turn: at + 1 });
  }
  return {
    turns: turns.slice(start, end).map((turn, at) => toOutlineTurn(turn, start + at + 1, prints)),
    total: turns.length,
    spent: spentIn(turns),
    hasOlder: start > 0,
    marks: marks.slice(0, HISTORY_LIMITS.outlineMarks).reverse(),
    files: filesOf(turns).slice(0, HISTORY_LIMITS.outlineFiles),
    seenFrom,
  };
}

/**
 * Returns the first message that the model still sees, given the ids of all messages that the model sees; `null` if
 * this is the first message of the history.
 */
export function seenFromOf(kept: CachedHistory, ids: readonly string[]): Outline["seenFrom"] {
  const places = ids.flatMap((id) => kept.indexOf(id) ?? []);
  const index = places.reduce((least, place) => Math.min(least, place), kept.length);
  const messageId = kept.idAt(index);
  return messageId === undefined || index === 0 ? null : { messageId, index };
}

/** Returns the files; the files of the newest turns come first. */
function filesOf(turns: CachedHistory["turns"]): readonly TouchedFile[] {
  const files = new Map<string, { -readonly [K in keyof TouchedFile]: TouchedFile[K] }>();
  for (const [at, turn] of turns.entries()) {
    for (const [path, { calls, changes }] of turn.files) {
      const file = files.get(path) ?? { path, calls: 0, changes: 0, firstTurn: at + 1, lastTurn: at + 1 };
      file.calls += calls;
      file.changes += changes.length;
      file.lastTurn = at + 1;
      files.set(path, file);
    }
  }
  return [...files.values()].sort((a, b) => b.lastTurn - a.lastTurn || (a.path < b.path ? -1 : 1));
}

/**
 * Returns the facts of the turns from `from` to `to`, or of all turns if none are given.
 *
 * @param cwd the folder of the session
 */
export function factsOf(
  { turns }: CachedHistory,
  cwd: string | null,
  { from, to }: { readonly from: number; readonly to: number } = { from: 1, to: turns.length },
): SessionFacts {
  return factsOfTurns(turns.slice(from - 1, to), { cwd, from });
}

/** Returns the files in the order of their first change. */
export function changedFiles({ turns }: CachedHistory): ChangesAnswer {
  const files = new Map<string, { -readonly [K in keyof ChangedPath]: ChangedPath[K] }>();
  for (const [at, turn] of turns.entries()) {
    for (const [path, { changes }] of turn.files) {
      const made = changes.filter(({ status }) => status !== "failed");
      if (made.length === 0) continue;
      const numbers = { changes: 0, added: 0, removed: 0, firstTurn: at + 1, lastTurn: at + 1 };
      const file = files.get(path) ?? { path, ...numbers };
      file.changes += made.length;
      file.lastTurn = at + 1;
      for (const { added, removed } of made) {
        file.added += added;
        file.removed += removed;
      }
      files.set(path, file);
    }
  }
  return { files: [...files.values()].slice(0, HISTORY_LIMITS.changedFiles), total: files.size };
}

/** Returns the changes of one file in their order. Errors: `not_found` if there are none. */
export function changesOfFile(kept: CachedHistory, path: string, after = 0): FileChanges {
  const all = kept.turns.flatMap(({ files }, at) =>
    (files.get(path)?.changes ?? []).map((change) => ({ change, turn: at + 1 })),
  );
  if (all.length === 0) {
    throw new ContinuoError("not_found", `the session does not change ${JSON.stringify(path)}`, {
      hint: "Leave out the path to list the changed files.",
    });
  }
  const changes: FileChange[] = [];
  let lines = 0;
  for (const { change, turn } of all.slice(after)) {
    if (changes.length >= HISTORY_LIMITS.fileChanges || lines > HISTORY_LIMITS.changeLines) break;
    const shown = { ...linesOf(kept, change, path), turn };
    lines += shown.lines.length;
    changes.push(shown);
  }
  const next = after + changes.length;
  const net = after === 0 ? netOf(kept, path) : null;
  return { path, changes, net, total: all.length, nextAfter: next < all.length ? next : null };
}

function linesOf(kept: CachedHistory, change: Change, path: string): Omit<FileChange, "turn"> {
  const { index, messageId, callId, at, tool, status } = change;
  const call = callOf(kept, change);
  const files = call === null ? [] : changesOfCall(call).filter((file) => file.path === path);
  const lines = numbered(files, detailsOf(kept, change)).flatMap((file) => file.lines);
  return { messageId, index, callId, at, tool, status, lines: lines.slice(0, HISTORY_LIMITS.changeLines) };
}

function callOf(kept: CachedHistory, { index, callId }: Change): ToolCallBlock | null {
  const call = kept
    .messageAt(index)
    .content.find((block) => block.type === "tool_call" && block.id === callId);
  return call?.type === "tool_call" ? call : null;
}

/** Returns the `details` of the result that belongs to the call; they may contain the line numbers. */
function detailsOf(kept: CachedHistory, { index, callId }: Change): unknown {
  const end = Math.min(kept.length, index + 1 + HISTORY_LIMITS.resultMessages);
  for (let at = index + 1; at < end; at++) {
    for (const block of kept.messageAt(at).content) {
      if (block.type === "tool_result" && block.toolCallId === callId) return block.details;
    }
  }
  return undefined;
}

/** Returns the net result of all changes; `null` if a change is too large to keep, or if there are fewer than two. */
function netOf({ turns }: CachedHistory, path: string): FileChanges["net"] {
  const items = turns.flatMap(({ work }) => work.items).filter((item) => item.type === "edit");
  const made = items.filter(({ edit }) => visibleLine(edit.path.trim()) === path);
  if (made.length < 2 || made.some(({ isCounted }) => isCounted)) return null;
  const fold = createNetFold();
  for (const { edit } of made) fold.apply(edit);
  const lines = fold.lines()?.slice(0, HISTORY_LIMITS.changeLines) ?? null;
  return lines?.map(({ before = null, after = null, ...line }) => ({ ...line, before, after })) ?? null;
}
