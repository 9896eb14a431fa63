/** The work of one turn, folded message by message. Pure. */

import {
  type Block,
  type Message,
  shorten,
  type ToolCallBlock,
  type ToolResultBlock,
  typedIn,
} from "../../model/index.ts";
import { messageKind } from "../render/index.ts";
import { type Commit, commitsOf } from "./commits.ts";
import type { FileEdit } from "./file-edit.ts";
import { fileEditsOf } from "./file-edits.ts";
import { type TestRun, testRunOf } from "./test-runs.ts";

type WithMessageId<T> = T & { readonly messageId: string };

/** The items of a turn are in the order of the results of the calls. */
export type WorkItem =
  | {
      readonly type: "edit";
      readonly edit: FileEdit;
      readonly messageId: string;
      readonly isCounted: boolean;
    }
  | { readonly type: "commit"; readonly commit: Commit; readonly messageId: string }
  | { readonly type: "test"; readonly run: TestRun; readonly messageId: string };

export interface TurnWork {
  asked: WithMessageId<{ readonly text: string }> | null;
  readonly items: WorkItem[];
  /** Calls of this turn without a result so far. `earlier` has those of earlier turns, which can get a result here. */
  readonly open: Map<string, WithMessageId<{ readonly call: ToolCallBlock }>>;
  readonly earlier: TurnWork["open"];
  end: TurnEnd;
  /** The number of characters of edits that are kept for the turn. */
  chars: number;
}

/** The last thing in the turn. */
export type TurnEnd = WithMessageId<{
  readonly state: "answered" | "called" | "call_failed" | "error" | "stopped" | "unanswered";
  readonly text: string;
}>;

/** The number of characters of edits that may still be kept; later edits are only counted. */
export interface WorkBudget {
  chars: number;
}

export const MAX_WORK_CHARS = 4_000_000;
const MAX_ITEMS = 20_000;
const MAX_OPEN = 1_000;
const SHOWN_CHARS = 300;

const STOPPED: ReadonlySet<unknown> = new Set(["interrupted", "aborted", "cancelled", "canceled"]);

/** @param before the previous turn */
export function createTurnWork(before: TurnWork | null): TurnWork {
  const end: TurnEnd = { state: "unanswered", text: "", messageId: "" };
  const earlier = new Map([...(before?.earlier ?? []), ...(before?.open ?? [])].slice(-MAX_OPEN));
  return { asked: null, items: [], open: new Map(), earlier, end, chars: 0 };
}

export function foldWork(work: TurnWork, message: Message, budget: WorkBudget): void {
  const kind = messageKind(message);
  const messageId = message.id;
  if (kind === "person") {
    const text = beginningOf(message.content);
    work.asked ??= { text, messageId };
    work.end = { state: "unanswered", text, messageId };
  }
  if (kind === "error") work.end = { state: "error", text: beginningOf(message.content), messageId };
  for (const block of message.content) {
    if (block.type === "tool_call") {
      if (work.open.size < MAX_OPEN) work.open.set(block.id, { call: block, messageId });
      work.end = { state: "called", text: "", messageId };
    } else if (block.type === "tool_result") foldResult(work, block, messageId, budget);
    else if (block.type === "text" && kind === "agent" && block.text.trim() !== "")
      work.end = { state: "answered", text: beginningOf(message.content), messageId };
  }
  if (STOPPED.has(message.stopReason)) work.end = { ...work.end, state: "stopped", messageId };
}

function foldResult(work: TurnWork, result: ToolResultBlock, messageId: string, budget: WorkBudget): void {
  const { toolCallId } = result;
  const made = work.open.get(toolCallId) ?? work.earlier.get(toolCallId);
  work.open.delete(toolCallId);
  work.earlier.delete(toolCallId);
  const isStopped = result.status === "cancelled" || result.status === "interrupted";
  const state = isStopped ? "stopped" : result.isError ? "call_failed" : "called";
  work.end = { state, text: result.isError ? beginningOf(result.content) : "", messageId };
  if (made === undefined || work.items.length >= MAX_ITEMS) return;
  const { call } = made;
  for (const edit of fileEditsOf(call, result)) addEdit(work, edit, made.messageId, budget);
  const run = testRunOf(call, result);
  if (run !== null) work.items.push({ type: "test", run, messageId: made.messageId });
  for (const commit of commitsOf(call, result)) work.items.push({ type: "commit", commit, messageId });
}

function addEdit(work: TurnWork, edit: FileEdit, messageId: string, budget: WorkBudget): void {
  const chars = edit.hunks.reduce(
    (sum, { lines }) => lines.reduce((all, { text }) => all + text.length + 1, sum),
    0,
  );
  const isHeld = chars <= budget.chars;
  if (isHeld) {
    budget.chars -= chars;
    work.chars += chars;
  }
  // Counting needs only the signs of the lines.
  const hunks = isHeld
    ? edit.hunks
    : edit.hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map(({ sign }) => ({ sign, text: "" })) }));
  work.items.push({ type: "edit", edit: { ...edit, hunks }, messageId, isCounted: !isHeld });
}

/** The end of the turn, in which a call may still wait for its result. */
export function endOf({ end, open }: TurnWork): TurnEnd {
  const waiting = [...open.values()];
  const last = waiting.at(-1);
  if (end.state !== "called" || last === undefined) return end;
  const names = [...new Set(waiting.map(({ call }) => call.name))];
  return { state: "called", text: shorten(names.join(", "), SHOWN_CHARS), messageId: last.messageId };
}

function beginningOf(content: readonly Block[]): string {
  for (const block of content) {
    const text = block.type === "text" ? typedIn(block).slice(0, 4_000).trim() : "";
    if (text !== "") return shorten(text.replace(/^#+\s+/u, "").replace(/\s+/gu, " "), SHOWN_CHARS);
  }
  return "";
}
