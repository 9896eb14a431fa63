/** Calls of tools as the protocol shows them, with their outcomes. Pure. */

import {
  cutText,
  nameOfBlock,
  present,
  shorten,
  type ToolCallBlock,
  type ToolResultBlock,
  type ToolStatus,
  textOf,
} from "@continuo/core/model";
import { mainArgument } from "@continuo/core/transcript";
import { commandOf } from "@continuo/core/transcript/work";
import { type EditPlace, editsOf, toContent } from "./edits.ts";
import { LIMITS } from "./limits.ts";
import type { ToolCall, ToolResult } from "./protocol.ts";

export interface CallFacts {
  readonly toolCallId: string;
  readonly call: ToolCallBlock;
  readonly result: ToolResultBlock | undefined;
  /** Names the call in the contents of its edits; see `EditPlace`. */
  readonly place: EditPlace;
}

/**
 * VS Code hides a call that waited for a person as soon as it is complete, unless the call ran a command or changed
 * files. The kind and the edits of the call tell VS Code that it did so. A call that still waits has no kind, because
 * VS Code would otherwise offer its own answers in place of the agent's.
 */
export function toCall({ toolCallId, call, result, place }: CallFacts): ToolCall {
  const { name, args } = call;
  const about = mainArgument(args);
  const invocationMessage =
    about === null ? name : shorten(`${name}: ${about}`.replaceAll(/\s+/gu, " "), LIMITS.titleChars);
  const command = commandOf(call);
  const base = {
    toolCallId,
    toolName: name,
    displayName: name,
    invocationMessage,
    toolInput: cutText(inputOf(call, command), LIMITS.callChars),
    confirmed: "not-needed",
  };
  if (result === undefined) return { ...base, status: "running" };
  return {
    ...base,
    status: "completed",
    ...(command === null ? {} : { _meta: { toolKind: "terminal" } as const }),
    ...toResult(result, invocationMessage, toContent(editsOf(call, result), place)),
  };
}

/** Sends a command that is a list of words as one line, because VS Code shows the text under `command`. */
function inputOf({ args, rawArgs }: ToolCallBlock, command: string | null): string {
  const isLine = command === null || typeof args.command === "string" || rawArgs !== undefined;
  return isLine ? (rawArgs ?? JSON.stringify(args)) : command;
}

const ENDS: Readonly<Record<ToolStatus, string | null>> = {
  ok: null,
  error: "the call failed",
  denied: "the call was denied",
  cancelled: "the call was cancelled",
  interrupted: "the call was interrupted",
};

function toResult(
  { content, isError, status }: ToolResultBlock,
  message: string,
  edits: NonNullable<ToolResult["content"]>,
): ToolResult {
  const text = [textOf(content), ...content.flatMap(nameOfBlock)].filter((one) => one !== "").join("\n\n");
  const end = ENDS[status ?? (isError ? "error" : "ok")];
  const told = [
    ...(text === "" ? [] : [{ type: "text" as const, text: cutText(text, LIMITS.callChars) }]),
    ...(end === null ? edits : []),
  ];
  return {
    success: end === null,
    pastTenseMessage: message,
    ...present({
      content: told.length === 0 ? undefined : told,
      error: end === null ? undefined : { message: end },
    }),
  };
}
