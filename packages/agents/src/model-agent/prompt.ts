/**
 * The prompt of a turn: the transcript and the input. If the turn crashed while calls waited for permission, the
 * prompt is the transcript up to these calls. If the turn crashed after tools had ended, the input comes before the
 * results of the tools. Pure.
 */

import type { AgentRequest, Block, ExecuteOptions, Message } from "@continuo/core/model";
import { earlierAttempt } from "@continuo/core/transcript";
import type { AssistantModelMessage, ModelMessage } from "ai";
import type { HeldCall } from "./approvals.ts";
import { toPromptMessages } from "./messages.ts";

export interface TurnPrompt {
  readonly prompt: readonly ModelMessage[];
  /** Calls at the end of the prompt that wait for permission. */
  readonly held: readonly HeldCall[];
  readonly system: string;
  readonly leftOut: Readonly<Record<string, number>>;
}

export interface PromptOptions {
  readonly instructions: string | undefined;
  readonly heldCalls: ExecuteOptions["heldCalls"];
}

export function toPrompt(request: AgentRequest, { instructions, heldCalls }: PromptOptions): TurnPrompt {
  const before = request.transcript?.messages ?? [];
  const left = leftTurn(before, heldCalls ?? []);
  const input = inputOf(request);
  // The messages of the crashed turn come after the question that it answered.
  const crashed = left ?? crashedTurn(request);
  const ordered = crashed === null ? [...before, input] : [...crashed.before, input, ...crashed.turn];
  const waiting = new Set(left?.held.map(({ toolCallId }) => toolCallId));
  const made = toPromptMessages(ordered, waiting);
  const system = [...(instructions === undefined ? [] : [instructions]), ...made.instructions].join("\n\n");
  const { leftOut } = made;
  if (left === null) return { prompt: made.messages, held: [], system, leftOut };
  return { prompt: withRequests(made.messages, left.held), held: left.held, system, leftOut };
}

interface CrashedTurn {
  readonly before: readonly Message[];
  readonly turn: readonly Message[];
}

interface UnfinishedTurn extends CrashedTurn {
  readonly held: readonly HeldCall[];
}

/**
 * Returns earlier attempts at the same input; `null` if there are none. The input comes before them. After the results
 * of tools, the input would make the model call the tools again; after half an answer, it would make the model take the
 * half for a complete earlier answer. If others spoke since then, or if a call was cut off, the input is repeated at
 * the end.
 */
function crashedTurn(request: AgentRequest): CrashedTurn | null {
  const earlier = earlierAttempt(request);
  if (earlier === null) return null;
  const { before, since } = earlier;
  const isOwn = since.every(({ role, metadata }) => role !== "user" || typeof metadata.note === "string");
  if (!isOwn || since.some(({ content }) => content.some(isCutOff))) {
    return { before, turn: [...since, inputOf(request)] };
  }
  // The words that were cut off after the last result are left out, because the model says them again. The note about
  // the crash is left out too.
  const last = since.findLastIndex(({ role }) => role === "tool");
  return { before, turn: since.slice(0, last + 1).filter(({ role }) => role !== "user") };
}

/** Returns true for the result of a call that was cut off; a call that was denied, or whose tool failed, was not. */
export function isCutOff(block: Block): boolean {
  if (block.type !== "tool_result" || !block.isError) return false;
  return block.status === undefined || block.status === "interrupted" || block.status === "cancelled";
}

/** Finds the turn whose last message called tools that wait for permission; `null` if there is none. */
function leftTurn(
  messages: readonly Message[],
  heldCalls: NonNullable<ExecuteOptions["heldCalls"]>,
): UnfinishedTurn | null {
  if (heldCalls.length === 0) return null;
  const last = messages.findLast(({ role }) => role === "assistant");
  const calls = last?.content.filter((block) => block.type === "tool_call") ?? [];
  const held = heldCalls.flatMap((request): HeldCall[] => {
    const call = calls.find(({ id }) => id === request.toolCallId);
    return call === undefined ? [] : [{ request, toolCallId: call.id }];
  });
  if (held.length === 0 || last === undefined) return null;
  const ids = new Set(held.map(({ toolCallId }) => toolCallId));
  const first = messages.findIndex(({ metadata }) => metadata.runId === last.metadata.runId);
  // The note about the crash, and results which say that a held call did not begin, are left out, because the call
  // begins now.
  const turn = messages
    .slice(first)
    .filter(({ role, toolCallId = "" }) => role === "assistant" || (role === "tool" && !ids.has(toolCallId)));
  return { before: messages.slice(0, first), turn, held };
}

/** The `ai` package finds the request for a call's permission in the message that has the call. */
function withRequests(messages: readonly ModelMessage[], held: readonly HeldCall[]): readonly ModelMessage[] {
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  return messages.map((message, index) => {
    if (index !== at || message.role !== "assistant" || typeof message.content === "string") return message;
    const requests = held.map(({ request: { approvalId }, toolCallId }) => ({
      type: "tool-approval-request" as const,
      approvalId,
      toolCallId,
    }));
    return { ...message, content: [...message.content, ...requests] } satisfies AssistantModelMessage;
  });
}

function inputOf({ input, run }: AgentRequest): Message {
  return { id: `input ${run.runId}`, role: "user", content: input, metadata: {} };
}
