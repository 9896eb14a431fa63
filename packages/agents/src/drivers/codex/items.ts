/**
 * Converts items of a turn, as `codex app-server` reports them, to tool calls and their results. Pure. Seen in 0.169.0.
 */

import { type AgentEvent, type Block, present, type ToolStatus } from "@continuo/core/model";
import { entryOf, isJson, type Json, textField } from "@continuo/files";

export type ToolCall = Extract<AgentEvent, { type: "tool_call" }>;
export type ToolResult = Extract<AgentEvent, { type: "tool_result" }>;

export const COMMAND_TOOL = "exec_command";
export const PATCH_TOOL = "apply_patch";

/**
 * The app-server reports items by kind. A call gets the name by which the model called its tool, as in the session's
 * file, so that people and agents read the same name everywhere.
 */
const TOOLS: Readonly<Record<string, string>> = {
  commandExecution: COMMAND_TOOL,
  fileChange: PATCH_TOOL,
  mcpToolCall: "mcp",
  dynamicToolCall: "tool",
  collabAgentToolCall: "spawn_agent",
  webSearch: "web_search",
  imageView: "view_image",
  imageGeneration: "image_generation",
  sleep: "sleep",
};

export function isToolItem(item: Json): boolean {
  return entryOf(TOOLS, String(item.type)) !== undefined;
}

/** Converts an item that starts. */
export function toCall(item: Json): ToolCall {
  const title = titleOf(item);
  return present({
    type: "tool_call",
    toolCallId: String(item.id),
    toolName: nameOf(item),
    toolInput: inputOf(item),
    title: title ?? undefined,
  });
}

/** Converts an item that is completed. */
export function toResult(item: Json): ToolResult {
  return {
    type: "tool_result",
    toolCallId: String(item.id),
    toolName: nameOf(item),
    content: outputOf(item),
    status: statusOf(item),
  };
}

function nameOf(item: Json): string {
  if (item.type === "mcpToolCall") return `${String(item.server)}/${String(item.tool)}`;
  if (item.type === "dynamicToolCall") return String(item.tool);
  if (item.type === "collabAgentToolCall" && typeof item.tool === "string") return toSnakeCase(item.tool);
  return entryOf(TOOLS, String(item.type)) ?? String(item.type);
}

/** `spawnAgent` becomes `spawn_agent`, the name by which the model calls the tool. */
function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}

function inputOf(item: Json): unknown {
  switch (item.type) {
    case "commandExecution":
      return { command: item.command, cwd: item.cwd };
    case "fileChange":
      return { changes: item.changes };
    case "mcpToolCall":
    case "dynamicToolCall":
      return item.arguments;
    default: {
      const { id: _, type: __, status: ___, startedAtMs: ____, completedAtMs: _____, ...input } = item;
      return input;
    }
  }
}

function titleOf(item: Json): string | null {
  if (item.type === "fileChange")
    return changesOf(item)
      .map(({ path }) => String(path))
      .join(", ");
  return textField(item, "command") ?? textField(item, "query") ?? textField(item, "path");
}

function outputOf(item: Json): string | readonly Block[] {
  switch (item.type) {
    case "commandExecution":
      return textField(item, "aggregatedOutput") ?? "";
    case "fileChange":
      return changesOf(item)
        .map(({ kind, path }) => `${isJson(kind) ? String(kind.type) : "change"} ${String(path)}`)
        .join("\n");
    case "mcpToolCall":
      if (isJson(item.error)) return textField(item.error, "message") ?? "";
      return isJson(item.result) ? toParts(item.result.content) : "";
    case "dynamicToolCall":
      return toParts(item.contentItems);
    default:
      return "";
  }
}

function toParts(parts: unknown): readonly Block[] {
  return (Array.isArray(parts) ? parts : []).map((part): Block => {
    const text = isJson(part) ? textField(part, "text") : null;
    return text === null ? { type: "unknown", raw: part } : { type: "text", text };
  });
}

const STATUSES: Readonly<Record<string, ToolStatus>> = {
  completed: "ok",
  failed: "error",
  declined: "denied",
  interrupted: "interrupted",
};

function statusOf(item: Json): ToolStatus {
  return entryOf(STATUSES, String(item.status)) ?? "ok";
}

function changesOf(item: Json): readonly Json[] {
  return Array.isArray(item.changes) ? item.changes.filter(isJson) : [];
}
