/** OpenAI Responses: `POST /v1/responses`, `POST /v1/responses/compact`. */

import { asObject, asObjects, asText, type JsonObject, textOfContent } from "./json.ts";
import { isAddedByAgent, type OfferedOpenAiTool, toolsOf } from "./openai.ts";
import {
  type ContentStep,
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

export const responses: Protocol = {
  name: "responses",
  speaks: ({ method, path }) => method === "POST" && /\/responses(\/compact)?$/.test(path),
  reply,
};

function reply({ path, body }: Exchange, answer: (asked: PromptTurn) => Answer): Reply {
  const input = inputOf(body);
  const compacting = path.endsWith("/compact") || input.some((item) => item.type === "compaction_trigger");
  const asked = askedIn(body, input, compacting);
  const steps = answer(asked);
  const output = compacting ? [compactionOf(steps)] : outputOf(steps, body);
  const inputTokens = reportedTokens(steps, tokensOf(input));
  const outputTokens = tokensOf(output);
  const done: JsonObject = {
    id: newId("resp_"),
    object: path.endsWith("/compact") ? "response.compaction" : "response",
    created_at: Math.floor(Date.now() / 1000),
    model: body.model,
    status: "completed",
    output: path.endsWith("/compact") ? [...input.filter((item) => item.role === "user"), ...output] : output,
    error: null,
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputTokens + outputTokens,
    },
  };
  return {
    kind: kindOf(asked),
    violations: violationsOf(input),
    answer: steps,
    content:
      body.stream === true
        ? { type: "stream", events: streamOf(done) }
        : { type: "json", status: 200, value: done },
    errorBody: (status, message) => ({ error: { message, type: "scripted_error", code: String(status) } }),
  };
}

function inputOf(body: JsonObject): readonly JsonObject[] {
  return typeof body.input === "string"
    ? [{ type: "message", role: "user", content: body.input }]
    : asObjects(body.input);
}

function askedIn(body: JsonObject, input: readonly JsonObject[], compacting: boolean): PromptTurn {
  const at = input.findLastIndex(isWordOfPerson);
  const since = input.slice(at + 1);
  const schema = asObject(asObject(asObject(body.text).format).schema);
  return {
    prompt: textOfContent(input[at]?.content),
    round: new Set(since.filter((item) => isCall(item)).map(answerOfCall)).size,
    results: since.filter((item) => isOutput(item)).map((item) => textOfContent(item.output)),
    tools: toolsOf(body),
    wants: compacting ? "summary" : Object.keys(schema).length > 0 ? { schema } : "answer",
  };
}

function isWordOfPerson(item: JsonObject): boolean {
  const words = textOfContent(item.content);
  return (item.type ?? "message") === "message" && item.role === "user" && !isAddedByAgent(words);
}

/** Returns true for a call that needs an output; a tool that the service ran itself has none. */
function isCall(item: JsonObject): boolean {
  return asText(item.type).endsWith("_call") && item.call_id !== undefined;
}

/** Returns true for an output that names its call. Codex also adds outputs that name no call. */
function isOutput(item: JsonObject): boolean {
  return /(?:_call|^tool_search)_output$/u.test(asText(item.type)) && item.call_id !== undefined;
}

/** All calls of one answer share the first part of their ids; see `outputOf`. */
function answerOfCall(item: JsonObject): string {
  return asText(item.call_id).replace(/_\d+$/, "");
}

/** Returns the violations: the service refuses a call without its output, and an output without its call. */
function violationsOf(input: readonly JsonObject[]): readonly string[] {
  const calls = new Set(input.filter((item) => isCall(item)).map((item) => item.call_id));
  const outputs = new Set(input.filter((item) => isOutput(item)).map((item) => item.call_id));
  return [
    ...[...calls]
      .filter((id) => !outputs.has(id))
      .map((id) => `No tool output found for function call ${id}.`),
    ...[...outputs].filter((id) => !calls.has(id)).map((id) => `No tool call found for output ${id}.`),
  ];
}

function compactionOf(steps: Answer): JsonObject {
  const words = contentOf(steps).map((step) => (step.type === "text" ? step.text : ""));
  return {
    id: newId("cmp_"),
    type: "compaction",
    encrypted_content: Buffer.from(words.join("\n")).toString("base64"),
  };
}

function outputOf(steps: Answer, body: JsonObject): readonly JsonObject[] {
  const answerId = newId("call_");
  const tools = toolsOf(body);
  return contentOf(steps).map((step, k) => itemOf(step, `${answerId}_${k}`, tools));
}

function itemOf(step: ContentStep, callId: string, tools: readonly OfferedOpenAiTool[]): JsonObject {
  switch (step.type) {
    case "text":
      return {
        id: newId("msg_"),
        type: "message",
        status: "completed",
        role: "assistant",
        content: [{ type: "output_text", text: step.text, annotations: [] }],
      };
    case "thinking":
      return reasoning([{ type: "summary_text", text: step.text }], step.text);
    case "redacted":
      return reasoning([], "hidden");
    case "tool": {
      // The client searches among its tools, and its output offers the tools that it found.
      if (step.name === "tool_search") {
        const common = { id: newId("tsc_"), type: "tool_search_call", call_id: callId, execution: "client" };
        return { ...common, arguments: step.input };
      }
      const offered = tools.find((candidate) => candidate.name === step.name);
      const place = offered?.namespace === undefined ? {} : { namespace: offered.namespace };
      const common = { status: "completed", call_id: callId, name: step.name, ...place };
      return typeof step.input === "string"
        ? { id: newId("ctc_"), type: "custom_tool_call", ...common, input: step.input }
        : { id: newId("fc_"), type: "function_call", ...common, arguments: JSON.stringify(step.input) };
    }
  }
}

function reasoning(summary: readonly JsonObject[], words: string): JsonObject {
  const encrypted_content = Buffer.from(`encrypted: ${words}`).toString("base64");
  return { id: newId("rs_"), type: "reasoning", summary, encrypted_content };
}

function streamOf(done: JsonObject): readonly string[] {
  const events: string[] = [];
  const event = (type: string, value: JsonObject): void => {
    const data = { type, sequence_number: events.length, ...value };
    events.push(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const begun = { ...done, status: "in_progress", output: [], usage: null };
  event("response.created", { response: begun });
  event("response.in_progress", { response: begun });
  for (const [output_index, item] of asObjects(done.output).entries()) {
    const place = { output_index, item_id: item.id };
    event("response.output_item.added", { output_index, item: { ...item, ...emptied(item) } });
    if (item.type === "reasoning") {
      for (const [summary_index, part] of asObjects(item.summary).entries()) {
        const at = { ...place, summary_index };
        event("response.reasoning_summary_part.added", { ...at, part: { ...part, text: "" } });
        for (const delta of pieces(asText(part.text))) {
          event("response.reasoning_summary_text.delta", { ...at, delta });
        }
        event("response.reasoning_summary_text.done", { ...at, text: part.text });
        event("response.reasoning_summary_part.done", { ...at, part });
      }
    } else if (item.type === "message") {
      const [part = {}] = asObjects(item.content);
      const at = { ...place, content_index: 0 };
      event("response.content_part.added", { ...at, part: { ...part, text: "" } });
      for (const delta of pieces(asText(part.text))) event("response.output_text.delta", { ...at, delta });
      event("response.output_text.done", { ...at, text: part.text });
      event("response.content_part.done", { ...at, part });
    } else if (item.type === "function_call") {
      event("response.function_call_arguments.delta", { ...place, delta: item.arguments });
      event("response.function_call_arguments.done", { ...place, arguments: item.arguments });
    } else if (item.type === "custom_tool_call") {
      event("response.custom_tool_call_input.delta", { ...place, delta: item.input });
      event("response.custom_tool_call_input.done", { ...place, input: item.input });
    }
    event("response.output_item.done", { output_index, item });
  }
  event("response.completed", { response: done });
  return events;
}

/** Returns an item in the form of its beginning. */
function emptied(item: JsonObject): JsonObject {
  const status = item.status === undefined ? {} : { status: "in_progress" };
  if (item.type === "reasoning") return { summary: [], encrypted_content: "" };
  if (item.type === "message") return { ...status, content: [] };
  if (item.type === "function_call") return { ...status, arguments: "" };
  return item.type === "custom_tool_call" ? { ...status, input: "" } : {};
}
