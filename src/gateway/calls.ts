/** Calls of tools as editors show them. Pure. */

import type {
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolKind,
} from "@agentclientprotocol/sdk/unstable";
import { filesOfCall } from "@continuo/agents/catalog";
import type { Block, ToolStatus } from "@continuo/core/model";
import { changesOf, mainArgument } from "@continuo/core/transcript";
import { isJson } from "@continuo/files";
import { toContent } from "./content.ts";
import { GATEWAY_LIMITS } from "./limits.ts";

/** By the words in the names of tools; a tool of an unknown name is `other`. */
const KINDS: readonly (readonly [RegExp, ToolKind])[] = [
  [/^(?:bash|shell|exec|execute|run|terminal|local_shell|run_shell_command|exec_command)/iu, "execute"],
  [/(?:^|_)(?:edit|write|patch|replace|notebookedit|multiedit|str_replace|apply)/iu, "edit"],
  [/web|fetch|browse|url/iu, "fetch"],
  [/grep|glob|search|find|^ls$|list/iu, "search"],
  [/read|view|cat(?:$|_)|open/iu, "read"],
  [/delete|remove|^rm$/iu, "delete"],
  [/move|rename|^mv$/iu, "move"],
  [/think|plan|todo|task|agent/iu, "think"],
];

export function kindOf(name: string): ToolKind {
  return KINDS.find(([words]) => words.test(name))?.[1] ?? "other";
}

/** One line: the tool, and what it is about. */
export function titleOfCall(name: string, input: unknown): string {
  const about = isJson(input) ? mainArgument(input) : null;
  const line = about === null ? name : `${name}: ${about}`;
  const text = line.replace(/\s+/gu, " ").trim();
  const { titleChars } = GATEWAY_LIMITS;
  return text.length <= titleChars ? text : `${text.slice(0, titleChars - 1).toWellFormed()}…`;
}

export function locationsOf(input: unknown): ToolCallLocation[] {
  return isJson(input) ? filesOfCall(input).map((path) => ({ path })) : [];
}

const ENDS: Readonly<Record<ToolStatus, ToolCallStatus>> = {
  ok: "completed",
  error: "failed",
  denied: "failed",
  cancelled: "failed",
  interrupted: "failed",
};

export function endOf(status: ToolStatus): ToolCallStatus {
  return ENDS[status];
}

/** The change that an edit makes, where its input or its content has the texts before and after. */
export function diffsOf(input: unknown, content: unknown): ToolCallContent[] {
  const shown = Array.isArray(content) ? content.filter(isDiff) : [];
  if (shown.length > 0) return shown;
  if (!isJson(input) || changesOf(input).length === 0) return [];
  const path = input.file_path ?? input.filePath ?? input.path;
  if (typeof path !== "string") return [];
  const edits = Array.isArray(input.edits) ? input.edits.filter(isJson) : [input];
  return edits.flatMap((edit): ToolCallContent[] => {
    const before = edit.old_string ?? edit.oldString ?? edit.oldText ?? edit.old_str;
    const after = edit.new_string ?? edit.newString ?? edit.newText ?? edit.new_str;
    if (typeof before === "string" && typeof after === "string") {
      return [{ type: "diff", path, oldText: before, newText: after }];
    }
    const written = edit.content ?? edit.file_text;
    return typeof written === "string" ? [{ type: "diff", path, oldText: null, newText: written }] : [];
  });
}

function isDiff(shown: unknown): shown is Extract<ToolCallContent, { type: "diff" }> {
  return (
    isJson(shown) &&
    shown.type === "diff" &&
    typeof shown.path === "string" &&
    typeof shown.newText === "string"
  );
}

/** A result, or what a call has shown so far: texts, pictures and diffs. */
export function contentOfCall(content: unknown): ToolCallContent[] {
  if (typeof content === "string") {
    return content === "" ? [] : [{ type: "content", content: { type: "text", text: content } }];
  }
  if (!Array.isArray(content)) return [];
  return content.flatMap((shown: unknown): ToolCallContent[] => {
    if (isDiff(shown)) return [shown];
    if (!isJson(shown)) return [];
    // Agents that speak ACP have wrapped what they show; the readers keep their diffs as unknown blocks.
    if (shown.type === "unknown" && isDiff(shown.raw)) return [shown.raw];
    const block = shown.type === "content" ? shown.content : shown;
    return toContent([block as Block]).map((one) => ({ type: "content", content: one }));
  });
}
