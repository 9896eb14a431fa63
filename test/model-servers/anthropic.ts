/** Anthropic Messages: `POST /v1/messages`, `POST /v1/messages/count_tokens`. */

import { REDACTED_DATA, signThinking, violationsOf } from "./anthropic-rules.ts";
import { asList, asObject, asObjects, asText, type JsonObject, textOfContent } from "./json.ts";
import {
  contentOf,
  type Exchange,
  kindOf,
  newId,
  type Protocol,
  pieces,
  type Reply,
  reportedTokens,
  tokensOf,
} from "./protocol.ts";
import type { Answer, PromptTurn } from "./script.ts";

export const anthropic: Protocol = {
  name: "anthropic",
  speaks: ({ method, path }) => method === "POST" && /\/v1\/messages(\/count_tokens)?$/.test(path),
  reply,
};

/** Texts that Claude Code adds to a conversation in the user's name. */
const ADDED =
  /^\s*(<(system-reminder|tools-used-before-summary|local-command-|command-name|ide_|task-notification)|\[Image: |Image file at path |\[SYSTEM NOTIFICATION)/;

function reply({ path, body }: Exchange, answer: (asked: PromptTurn) => Answer): Reply {
  if (path.endsWith("/count_tokens")) return counted(body);
  const asked = askedIn(body);
  const steps = answer(asked);
  const content = contentOf(steps).map((step): JsonObject => {
    if (step.type === "text") {
      return { type: "text", text: isTagged(asked) ? tagged(step.text) : step.text };
    }
    if (step.type === "thinking") {
      return { type: "thinking", thinking: step.text, signature: signThinking(step.text) };
    }
    if (step.type === "redacted") return { type: "redacted_thinking", data: REDACTED_DATA };
    return { type: "tool_use", id: newId("toolu_"), name: step.name, input: step.input };
  });
  const called = content.some((block) => block.type === "tool_use");
  const stopReason = steps.some((step) => step.type === "max_tokens")
    ? "max_tokens"
    : called
      ? "tool_use"
      : "end_turn";
  const message: JsonObject = {
    id: newId("msg_"),
    type: "message",
    role: "assistant",
    model: body.model,
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage: {
      input_tokens: reportedTokens(steps, tokensOf(body.messages)),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: tokensOf(content),
      service_tier: "standard",
    },
  };
  return {
    kind: asked.tools.length === 0 && asked.wants === "answer" ? "side" : kindOf(asked),
    violations: violationsOf(body),
    answer: steps,
    content:
      body.stream === true
        ? { type: "stream", events: streamOf(message) }
        : { type: "json", status: 200, value: message },
    errorBody,
  };
}

function counted(body: JsonObject): Reply {
  const value = { input_tokens: tokensOf(body.messages) };
  return {
    kind: "side",
    violations: [],
    answer: null,
    content: { type: "json", status: 200, value },
    errorBody,
  };
}

function errorBody(status: number, message: string): unknown {
  const types: Readonly<Record<number, string>> = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
  };
  return { type: "error", error: { type: types[status] ?? "api_error", message } };
}

function askedIn(body: JsonObject): PromptTurn {
  const messages = asObjects(body.messages);
  const at = messages.findLastIndex((message) => wordsOf(message).length > 0);
  const prompt = at < 0 ? "" : (wordsOf(messages[at] ?? {}).at(-1) ?? "");
  const schema = asObject(asObject(asObject(body.output_config).format).schema ?? body.output_format);
  return {
    prompt,
    round: messages.slice(at + 1).filter((message) => message.role === "assistant").length,
    results: blocksOf(messages.findLast((message) => resultsOf(message).length > 0))
      .filter((block) => block.type === "tool_result")
      .map((block) => textOfContent(block.content)),
    tools: asObjects(body.tools).map((offered) => ({
      name: asText(offered.name),
      schema: asObject(offered.input_schema),
    })),
    wants: isSummaryRequest(prompt) ? "summary" : Object.keys(schema).length > 0 ? { schema } : "answer",
  };
}

/** Adds the tags to a summary, because Claude Code asks again if they are missing. */
function tagged(summary: string): string {
  return `<analysis>\nA look back.\n</analysis>\n\n<summary>\n${summary}\n</summary>`;
}

function isTagged({ wants, prompt }: PromptTurn): boolean {
  return wants === "summary" && prompt.includes("<analysis>");
}

/** Returns true for a request for a summary: the prompts of Claude Code and of Copilot each name two tags. */
function isSummaryRequest(prompt: string): boolean {
  const names = (...tags: readonly string[]): boolean => tags.every((tag) => prompt.includes(tag));
  return names("<analysis>", "<summary>") || names("<overview>", "<history>", "<work_done>");
}

function blocksOf(message: JsonObject | undefined): readonly JsonObject[] {
  const content = message?.content;
  return typeof content === "string" ? [{ type: "text", text: content }] : asObjects(asList(content));
}

function resultsOf(message: JsonObject): readonly JsonObject[] {
  return blocksOf(message).filter((block) => block.type === "tool_result");
}

/** Returns the words of a person in a message. */
function wordsOf(message: JsonObject): readonly string[] {
  if (message.role !== "user") return [];
  const texts = blocksOf(message).filter((block) => block.type === "text");
  return texts
    .map((block) => asText(block.text))
    .filter((words) => words.trim() !== "" && !ADDED.test(words));
}

function streamOf(message: JsonObject): readonly string[] {
  const events: string[] = [];
  const event = (type: string, value: JsonObject): void => {
    events.push(`event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`);
  };
  const usage = asObject(message.usage);
  event("message_start", {
    message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  });
  for (const [index, block] of asObjects(message.content).entries()) {
    const { empty, deltas } = deltasOf(block);
    event("content_block_start", { index, content_block: empty });
    for (const delta of deltas) event("content_block_delta", { index, delta });
    event("content_block_stop", { index });
  }
  event("message_delta", { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage });
  event("message_stop", {});
  return events;
}

function deltasOf(block: JsonObject): { readonly empty: JsonObject; readonly deltas: readonly JsonObject[] } {
  switch (block.type) {
    case "text":
      return {
        empty: { type: "text", text: "" },
        deltas: pieces(asText(block.text)).map((text) => ({ type: "text_delta", text })),
      };
    case "thinking":
      return {
        empty: { type: "thinking", thinking: "", signature: "" },
        deltas: [
          ...pieces(asText(block.thinking)).map((thinking) => ({ type: "thinking_delta", thinking })),
          { type: "signature_delta", signature: block.signature },
        ],
      };
    case "tool_use":
      return {
        empty: { ...block, input: {} },
        deltas: pieces(JSON.stringify(block.input)).map((partial_json) => ({
          type: "input_json_delta",
          partial_json,
        })),
      };
    default:
      return { empty: block, deltas: [] };
  }
}
