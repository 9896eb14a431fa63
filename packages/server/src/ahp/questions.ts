/** Shows questions for permission as calls that wait for a confirmation. Pure. */

import { cutText } from "@continuo/core/model";
import type { ChatQuestion } from "@continuo/core/wire/machine";
import { toMarkdown } from "./edits.ts";
import { LIMITS } from "./limits.ts";
import type { ConfirmationOption, ResponsePart, ToolCall } from "./protocol.ts";

export interface QuestionParts {
  readonly parts: readonly ResponsePart[];
  /** The calls that wait, by the id of their question. */
  readonly waiting: ReadonlyMap<string, ToolCall>;
}

/**
 * A question belongs to the running call with its input. If there is none, it belongs to a running call of its tool
 * that no other question is about, because some agents write the input of a call in another way. A question without a
 * call becomes a separate part when its time is over.
 */
export function withQuestions(
  given: readonly ResponsePart[],
  questions: readonly ChatQuestion[],
  isDue: (approvalId: string) => boolean,
): QuestionParts {
  const parts = [...given];
  const waiting = new Map<string, ToolCall>();
  for (const question of questions) {
    const at = placeOf(parts, question, questions);
    const part = parts[at];
    if (part === undefined && !isDue(question.approvalId)) continue;
    const call = toWaiting(question, part?.kind === "toolCall" ? part.toolCall : null);
    waiting.set(question.approvalId, call);
    parts.splice(at === -1 ? parts.length : at, at === -1 ? 0 : 1, { kind: "toolCall", toolCall: call });
  }
  return { parts, waiting };
}

/** True for a question that is a separate part. */
export function isQuestion(part: ResponsePart): boolean {
  return part.kind === "toolCall" && part.toolCall.toolCallId.startsWith(OWN_PART);
}

const OWN_PART = "ask:";

function placeOf(
  parts: readonly ResponsePart[],
  question: ChatQuestion,
  questions: readonly ChatQuestion[],
): number {
  const lastCall = (isWanted: (call: ToolCall) => boolean): number =>
    parts.findLastIndex(
      (part) => part.kind === "toolCall" && part.toolCall.status === "running" && isWanted(part.toolCall),
    );
  const exact = lastCall((call) => hasInput(call, question));
  if (exact !== -1) return exact;
  const { toolName: name, title } = question;
  return lastCall(
    (call) =>
      (call.toolName === name || call.toolName === title) &&
      !questions.some((other) => hasInput(call, other)),
  );
}

function hasInput({ toolInput }: ToolCall, { input }: ChatQuestion): boolean {
  return toolInput === inputOf(input);
}

function inputOf(input: unknown): string {
  return cutText(JSON.stringify(input) ?? "", LIMITS.callChars);
}

/** A change of files is shown as such, in place of the input: VS Code shows the input as JSON. */
function toWaiting(question: ChatQuestion, call: ToolCall | null): ToolCall {
  const { approvalId, title, toolName, input, options } = question;
  const markdown = toMarkdown(question);
  const base = call ?? {
    toolCallId: `${OWN_PART}${approvalId}`,
    toolName: toolName === "" ? title : toolName,
    displayName: toolName === "" ? title : toolName,
    invocationMessage: title,
    toolInput: inputOf(input),
  };
  const { confirmed: _, ...open } = base as ToolCall;
  const shown = options.map(
    ({ id, name, kind }): ConfirmationOption => ({
      id,
      label: name,
      kind: kind.startsWith("allow") ? "approve" : "deny",
    }),
  );
  return {
    ...open,
    ...(markdown === null ? {} : { invocationMessage: { markdown }, toolInput: "" }),
    status: "pending-confirmation",
    confirmationTitle: title,
    ...(shown.length === 0 ? {} : { options: shown }),
  };
}
