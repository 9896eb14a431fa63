/** OpenAI Chat Completions: `POST /v1/chat/completions`. */

import { asObject, asObjects, type JsonObject, textOfContent } from "./json.ts";
import { isAddedByAgent, toolsOf } from "./openai.ts";
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

export const chat: Protocol = {
  name: "chat",
  speaks: ({ method, path }) => method === "POST" && path.endsWith("/chat/completions"),
  reply,
};

interface Parts {
  readonly text: string | null;
  readonly reasoning: string | null;
  readonly calls: readonly JsonObject[];
}

function reply({ body }: Exchange, answer: (asked: PromptTurn) => Answer): Reply {
  const asked = askedIn(body);
  const steps = answer(asked);
  const parts = partsOf(steps);
  const completion_tokens = tokensOf(parts);
  const prompt_tokens = reportedTokens(steps, tokensOf(body.messages));
  const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  const cut = steps.some((step) => step.type === "max_tokens");
  const finish_reason = cut ? "length" : parts.calls.length > 0 ? "tool_calls" : "stop";
  const head = { id: newId("chatcmpl-"), created: Math.floor(Date.now() / 1000), model: body.model };
  return {
    kind: kindOf(asked),
    violations: violationsOf(asObjects(body.messages)),
    answer: steps,
    content:
      body.stream === true
        ? { type: "stream", events: streamOf(head, parts, finish_reason, usage) }
        : { type: "json", status: 200, value: completionOf(head, parts, finish_reason, usage) },
    errorBody: (status, message) => ({ error: { message, type: "scripted_error", code: String(status) } }),
  };
}

function askedIn(body: JsonObject): PromptTurn {
  const messages = asObjects(body.messages);
  const at = messages.findLastIndex(
    (message) => message.role === "user" && !isAddedByAgent(textOfContent(message.content)),
  );
  const since = messages.slice(at + 1);
  const schema = asObject(asObject(asObject(body.response_format).json_schema).schema);
  const instructions = textOfContent(messages[0]?.content);
  return {
    prompt: textOfContent(messages[at]?.content),
    round: since.filter((message) => message.role === "assistant").length,
    results: since
      .filter((message) => message.role === "tool")
      .map((message) => textOfContent(message.content)),
    tools: toolsOf(body),
    wants: wantsBeside(instructions) ?? (Object.keys(schema).length > 0 ? { schema } : "answer"),
  };
}

/**
 * Returns the kind of a side request: pi and opencode ask for a summary, and opencode for a title, each with its own
 * prompt.
 */
function wantsBeside(instructions: string): "summary" | "title" | null {
  if (/context summarization (assistant|agent)/.test(instructions)) return "summary";
  return instructions.includes("title generator") ? "title" : null;
}

export function violationsOf(messages: readonly JsonObject[]): readonly string[] {
  const open = new Set<unknown>();
  const found: string[] = [];
  for (const [i, message] of messages.entries()) {
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id)) found.push(`messages.${i}: a tool result without its call`);
      continue;
    }
    for (const id of open) found.push(`messages.${i}: the call ${String(id)} has no result`);
    open.clear();
    for (const call of asObjects(message.tool_calls)) open.add(call.id);
  }
  return found;
}

function partsOf(steps: Answer): Parts {
  const content = contentOf(steps);
  const texts = content.filter((step) => step.type === "text").map((step) => step.text);
  const thoughts = content.filter((step) => step.type === "thinking").map((step) => step.text);
  const calls = content.filter((step) => step.type === "tool");
  return {
    text: texts.length > 0 ? texts.join("\n") : null,
    reasoning: thoughts.length > 0 ? thoughts.join("\n") : null,
    calls: calls.map((step) => {
      const input = typeof step.input === "string" ? { input: step.input } : step.input;
      const called = { name: step.name, arguments: JSON.stringify(input) };
      return { id: newId("call_"), type: "function", function: called };
    }),
  };
}

function completionOf(head: JsonObject, parts: Parts, finish_reason: string, usage: JsonObject): JsonObject {
  const message = {
    role: "assistant",
    content: parts.text,
    ...(parts.reasoning === null ? {} : { reasoning_content: parts.reasoning }),
    ...(parts.calls.length === 0 ? {} : { tool_calls: parts.calls }),
  };
  return { ...head, object: "chat.completion", choices: [{ index: 0, finish_reason, message }], usage };
}

function streamOf(
  head: JsonObject,
  parts: Parts,
  finish_reason: string,
  usage: JsonObject,
): readonly string[] {
  const events: string[] = [];
  const event = (delta: JsonObject, rest: JsonObject = {}): void => {
    const choices = [{ index: 0, delta, finish_reason: rest.finish_reason ?? null }];
    events.push(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices })}\n\n`);
  };
  event({ role: "assistant", content: "" });
  for (const reasoning_content of parts.reasoning === null ? [] : pieces(parts.reasoning)) {
    event({ reasoning_content });
  }
  for (const content of parts.text === null ? [] : pieces(parts.text)) event({ content });
  for (const [index, call] of parts.calls.entries()) {
    const { arguments: whole, ...named } = asObject(call.function);
    event({ tool_calls: [{ index, ...call, function: { ...named, arguments: "" } }] });
    event({ tool_calls: [{ index, function: { arguments: whole } }] });
  }
  event({}, { finish_reason });
  events.push(
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [], usage })}\n\n`,
  );
  events.push("data: [DONE]\n\n");
  return events;
}
