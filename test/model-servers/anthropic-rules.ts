/**
 * Rules of the Anthropic Messages service that a replayed conversation can break. Each violation is one sentence that
 * begins with its place. The rules imitate the public service, and may differ from it.
 */

import { createHash } from "node:crypto";
import { asObjects, asText, type JsonObject } from "./json.ts";

/**
 * Returns the signature for a thinking block. The service accepts a thinking block only with the signature that it
 * issued.
 */
export function signThinking(words: string): string {
  return `signed.${createHash("sha256").update(words).digest("base64")}`;
}

export const REDACTED_DATA: string = Buffer.from("hidden thinking").toString("base64");

interface PlacedBlock {
  readonly block: JsonObject;
  readonly place: string;
}

interface ApiTurn {
  readonly role: string;
  readonly blocks: PlacedBlock[];
}

/** Keys that a block of a type may have; other types are only checked by name. */
const BLOCK_KEYS: Readonly<Record<string, readonly string[] | null>> = {
  text: ["type", "text", "cache_control", "citations"],
  thinking: ["type", "thinking", "signature"],
  redacted_thinking: ["type", "data"],
  tool_use: ["type", "id", "name", "input", "cache_control", "caller"],
  tool_result: ["type", "tool_use_id", "content", "is_error", "cache_control"],
  image: ["type", "source", "cache_control"],
  document: null,
  server_tool_use: null,
  web_search_tool_result: null,
  search_result: null,
  tool_reference: null,
  mid_conv_system: null,
  fallback: null,
  container_upload: null,
  mcp_tool_use: null,
  mcp_tool_result: null,
  tool_search_tool_result: null,
  web_fetch_tool_result: null,
  code_execution_tool_result: null,
  compaction: null,
};

export function violationsOf(body: JsonObject): readonly string[] {
  const messages = asObjects(body.messages);
  if (messages.length === 0) return ["messages: at least one message is required"];
  const found: string[] = [];
  if (messages[0]?.role !== "user") found.push("messages.0: the first message must be the user's");
  const turns = turnsOf(messages, found);
  const seen = new Set<unknown>();
  for (const [k, turn] of turns.entries()) {
    const answered = idsIn(turns[k + 1], "user", "tool_result", "tool_use_id");
    const called = idsIn(turns[k - 1], "assistant", "tool_use", "id");
    for (const { block, place } of turn.blocks) {
      const complaints = [...shapeOf(block), ...pairOf(block, turn.role, answered, called, seen)];
      found.push(...complaints.map((complaint) => `${place}: ${complaint}`));
    }
  }
  return found;
}

/** Joins messages of one role that follow each other, because the service treats them as one turn. */
function turnsOf(messages: readonly JsonObject[], found: string[]): readonly ApiTurn[] {
  const turns: ApiTurn[] = [];
  for (const [i, message] of messages.entries()) {
    // Newer betas allow system messages between the others.
    if (message.role === "system") continue;
    const role = asText(message.role);
    if (role !== "user" && role !== "assistant") found.push(`messages.${i}.role: unexpected ${role}`);
    const content =
      typeof message.content === "string"
        ? [{ type: "text", text: message.content }]
        : asObjects(message.content);
    if (content.length === 0) found.push(`messages.${i}: content must not be empty`);
    const blocks = content.map((block, j) => ({ block, place: `messages.${i}.content.${j}` }));
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ role, blocks });
  }
  return turns;
}

function idsIn(turn: ApiTurn | undefined, role: string, type: string, key: string): ReadonlySet<unknown> {
  const blocks = turn?.role === role ? turn.blocks : [];
  return new Set(blocks.filter(({ block }) => block.type === type).map(({ block }) => block[key]));
}

function shapeOf(block: JsonObject): readonly string[] {
  const type = asText(block.type);
  const keys = BLOCK_KEYS[type];
  if (keys === undefined) return [`unknown block type ${type}`];
  const found = Object.keys(block)
    .filter((key) => keys?.includes(key) === false)
    .map((key) => `${key}: extra inputs are not permitted`);
  if (type === "text" && asText(block.text).trim() === "") found.push("text must not be blank");
  if (type === "thinking" && block.signature !== signThinking(asText(block.thinking))) {
    found.push("Invalid `signature` in `thinking` block");
  }
  if (type === "redacted_thinking" && block.data !== REDACTED_DATA) {
    found.push("Invalid `data` in `redacted_thinking` block");
  }
  if (type === "image") {
    const source = (block.source ?? {}) as JsonObject;
    if (source.type === "base64" && !/^image\/(png|jpeg|gif|webp)$/.test(asText(source.media_type))) {
      found.push("bad media_type of the image");
    }
    if (source.type === "base64" && asText(source.data) === "") found.push("empty image");
  }
  return found;
}

function pairOf(
  block: JsonObject,
  role: string,
  answered: ReadonlySet<unknown>,
  called: ReadonlySet<unknown>,
  seen: Set<unknown>,
): readonly string[] {
  const found: string[] = [];
  if (block.type === "tool_use") {
    const { id, name, input } = block;
    if (role !== "assistant") found.push(`tool_use in a message of the ${role}`);
    if (!/^[a-zA-Z0-9_-]+$/.test(asText(id))) found.push("id: must match ^[a-zA-Z0-9_-]+$");
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(asText(name))) found.push("name: bad tool name");
    if (typeof input !== "object" || input === null || Array.isArray(input)) {
      found.push("input: must be an object");
    }
    if (seen.has(id)) found.push("id: must be unique");
    seen.add(id);
    if (!answered.has(id)) found.push(`tool_use without tool_result in the next message: ${asText(id)}`);
  }
  if (block.type === "tool_result") {
    if (role !== "user") found.push(`tool_result in a message of the ${role}`);
    if (!called.has(block.tool_use_id)) {
      found.push(`tool_result without tool_use in the message before: ${asText(block.tool_use_id)}`);
    }
  }
  if (block.type === "thinking" && role !== "assistant") found.push(`thinking in a message of the ${role}`);
  return found;
}
