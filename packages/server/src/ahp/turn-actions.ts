/** Computes the actions that lead from one state of a chat to another. Pure. */

import { present } from "@continuo/core/model";
import type { ChatAction, ChatState, ChatTurn, ResponsePart, ToolCall, ToolResult } from "./protocol.ts";
import { isQuestion } from "./questions.ts";

/** A running turn, as far as it is known. */
export interface RunningTurn {
  readonly id: string;
  readonly parts: readonly ResponsePart[];
}

export interface PartsUpdate {
  readonly actions: readonly ChatAction[];
  /** After these actions, the active turn has exactly these parts. */
  readonly isExact: boolean;
}

/**
 * The active turn only grows. If a running turn became shorter, VS Code would believe that the turn has ended, and
 * would itself confirm the calls that wait for a person. A part that was rewritten is therefore sent only when the
 * turn ends, with the whole turn.
 */
export function actionsForParts(
  { activeTurn }: Pick<ChatState, "activeTurn">,
  { id, parts }: RunningTurn,
): PartsUpdate {
  if (activeTurn?.id !== id) return { actions: [], isExact: true };
  const told = new Map(activeTurn.responseParts.map((part) => [nameOf(part), part]));
  const names = parts.map(nameOf);
  const stay = [...told].filter(([name, part]) => !isQuestion(part) || names.includes(name));
  let isExact = stay.every(([name], at) => names[at] === name);
  const closed = [...told].flatMap(([name, part]) => (names.includes(name) ? [] : closeCall(id, part)));
  const grown = parts.flatMap((part, at) => {
    const before = told.get(names[at] ?? "");
    if (before === undefined) return partActions(id, part);
    const growth = growthActions(id, before, part);
    isExact &&= growth !== null;
    return growth ?? [];
  });
  return { actions: [...closed, ...grown], isExact };
}

/** Returns a name for the part that stays the same while the part grows. */
function nameOf(part: ResponsePart): string {
  if (part.kind === "toolCall") return `call ${part.toolCall.toolCallId}`;
  return "id" in part ? `${part.kind} ${part.id}` : JSON.stringify(part);
}

/** Ends a call that is no longer in the turn, such as a question that is about another call. */
function closeCall(turnId: string, part: ResponsePart): readonly ChatAction[] {
  if (part.kind !== "toolCall") return [];
  const { toolCallId, status, displayName, invocationMessage = "" } = part.toolCall;
  if (status !== "running" && status !== "pending-confirmation") return [];
  const pastTenseMessage = typeof invocationMessage === "string" ? invocationMessage : displayName;
  const result = { success: true, pastTenseMessage };
  return [{ type: "chat/toolCallComplete", turnId, toolCallId, result }];
}

/** Returns the actions that remove the newest turn of a chat and build it again. */
export function actionsForCorrection(
  { turns }: Pick<ChatState, "turns">,
  turn: ChatTurn,
): readonly ChatAction[] {
  return [{ type: "chat/truncated", ...present({ turnId: turns.at(-2)?.id }) }, ...actionsOfTurn(turn)];
}

/** Returns the actions of a whole turn that ran elsewhere. */
export function actionsOfTurn(turn: ChatTurn): readonly ChatAction[] {
  const { id: turnId, startedAt, message, responseParts, usage, duration, state } = turn;
  const error = responseParts.findLast((part) => part.kind === "error");
  return [
    { type: "chat/turnStarted", turnId, startedAt, message },
    ...responseParts.flatMap((part): readonly ChatAction[] =>
      part.kind === "error" ? [] : [{ type: "chat/responsePart", turnId, part }],
    ),
    ...(usage === undefined ? [] : [{ type: "chat/usage" as const, turnId, usage }]),
    error !== undefined && state === "error"
      ? { type: "chat/error", turnId, duration, part: error }
      : { type: state === "cancelled" ? "chat/turnCancelled" : "chat/turnComplete", turnId, duration },
  ];
}

/** Returns the actions after which the chat ends with these turns, which are the newest turns of its history. */
export function actionsForTurns(
  { turns: known }: Pick<ChatState, "turns">,
  turns: readonly ChatTurn[],
  turnsNextCursor: string | undefined,
): readonly ChatAction[] {
  const start = known.findIndex(({ id }) => id === turns[0]?.id);
  if (start === -1) {
    if (known.length === 0 && turns.length === 0) return [];
    return toldAgain(turns, turnsNextCursor);
  }
  let same = 0;
  while (same < turns.length && isSame(known[start + same], turns[same])) same += 1;
  if (same === turns.length && start + same === known.length) return [];
  const last = known[start + same - 1];
  // No turn before the change is the same, so the whole chat is sent again.
  if (last === undefined) return toldAgain(turns, turnsNextCursor);
  const cut: readonly ChatAction[] =
    start + same === known.length ? [] : [{ type: "chat/truncated", turnId: last.id }];
  return [...cut, ...turns.slice(same).flatMap(actionsOfTurn)];
}

function toldAgain(turns: readonly ChatTurn[], turnsNextCursor: string | undefined): readonly ChatAction[] {
  return [{ type: "chat/truncated" }, { type: "chat/turnsLoaded", turns, ...present({ turnsNextCursor }) }];
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function partActions(turnId: string, part: ResponsePart): readonly ChatAction[] {
  if (part.kind !== "toolCall") return [{ type: "chat/responsePart", turnId, part }];
  const { toolCallId, toolName, displayName } = part.toolCall;
  const start: ChatAction = { type: "chat/toolCallStart", turnId, toolCallId, toolName, displayName };
  return [start, ready(turnId, part.toolCall), ...complete(turnId, part.toolCall)];
}

/** Returns `null` for a part that did not only grow. */
function growthActions(
  turnId: string,
  before: ResponsePart,
  after: ResponsePart,
): readonly ChatAction[] | null {
  if (before.kind === "toolCall" && after.kind === "toolCall") {
    return before.toolCall.toolCallId === after.toolCall.toolCallId
      ? callActions(turnId, before.toolCall, after.toolCall)
      : null;
  }
  if (before.kind === "markdown" || before.kind === "reasoning") {
    const isGrown =
      before.kind === after.kind && before.id === after.id && after.content.startsWith(before.content);
    if (!isGrown) return null;
    const content = after.content.slice(before.content.length);
    const type = before.kind === "markdown" ? "chat/delta" : "chat/reasoning";
    return content === "" ? [] : [{ type, turnId, partId: before.id, content }];
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : null;
}

function callActions(turnId: string, before: ToolCall, after: ToolCall): readonly ChatAction[] {
  if (before.status === "completed" || before.status === "cancelled") return [];
  const isChanged =
    before.status !== after.status ||
    !isSame(before.invocationMessage, after.invocationMessage) ||
    before.toolInput !== after.toolInput;
  if (after.status === "completed") return complete(turnId, after);
  return isChanged ? [ready(turnId, after)] : [];
}

function ready(turnId: string, call: ToolCall): ChatAction {
  const { toolCallId, invocationMessage = "", toolInput, confirmationTitle, options } = call;
  const isAsked = call.status === "pending-confirmation";
  const confirmed = isAsked ? undefined : (call.confirmed ?? "not-needed");
  return {
    type: "chat/toolCallReady",
    turnId,
    toolCallId,
    invocationMessage,
    ...present({ toolInput, confirmed }),
    ...(isAsked ? present({ confirmationTitle, options }) : {}),
  };
}

function complete(turnId: string, call: ToolCall): readonly ChatAction[] {
  if (call.status !== "completed") return [];
  const { toolCallId, success = true, pastTenseMessage = "", content, error, _meta } = call;
  const result: ToolResult = { success, pastTenseMessage, ...present({ content, error }) };
  return [{ type: "chat/toolCallComplete", turnId, toolCallId, result, ...present({ _meta }) }];
}
