/** Gemini: `POST /v1beta/models/NAME:generateContent`, `:streamGenerateContent`, `:countTokens`. */

import { asObject, asObjects, asText, type JsonObject } from "./json.ts";
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

export const gemini: Protocol = {
  name: "gemini",
  speaks: ({ method, path }) => method === "POST" && /\/models\/[^/:]+:\w+$/.test(path),
  reply,
};

/** The text that Gemini CLI puts in front of a conversation. */
const SESSION_CONTEXT = /<session_context>[\s\S]*?<\/session_context>/g;
const THOUGHT_SIGNATURE = Buffer.from("signed thought").toString("base64");

function reply({ path, body }: Exchange, answer: (asked: PromptTurn) => Answer): Reply {
  const [, model = "", method = ""] = /\/models\/([^/:]+):(\w+)$/.exec(path) ?? [];
  if (method === "countTokens") {
    const value = { totalTokens: tokensOf(body.contents) };
    return {
      kind: "side",
      violations: [],
      answer: null,
      content: { type: "json", status: 200, value },
      errorBody,
    };
  }
  const asked = askedIn(body);
  const steps = answer(asked);
  const parts = partsOf(steps);
  const promptTokenCount = reportedTokens(steps, tokensOf(body.contents));
  const candidatesTokenCount = tokensOf(parts);
  const usageMetadata = {
    promptTokenCount,
    candidatesTokenCount,
    totalTokenCount: promptTokenCount + candidatesTokenCount,
  };
  const responseId = newId("resp-");
  const finish = steps.some((step) => step.type === "max_tokens") ? "MAX_TOKENS" : "STOP";
  const chunk = (some: readonly JsonObject[], finishReason?: string): JsonObject => ({
    candidates: [
      {
        index: 0,
        content: { role: "model", parts: some },
        ...(finishReason === undefined ? {} : { finishReason }),
      },
    ],
    usageMetadata,
    modelVersion: model,
    responseId,
  });
  const streamed = [...parts.flatMap(split).map((part) => chunk([part])), chunk([{ text: "" }], finish)];
  return {
    kind: kindOf(asked),
    violations: violationsOf(asObjects(body.contents)),
    answer: steps,
    content:
      method === "streamGenerateContent"
        ? { type: "stream", events: streamed.map((value) => `data: ${inAscii(value)}\r\n\r\n`) }
        : { type: "json", status: 200, value: chunk(parts, finish) },
    errorBody,
  };
}

/**
 * Escapes all characters beyond ASCII, as the real service does: Gemini CLI reads a raw U+2028 as the end of a line.
 */
function inAscii(value: unknown): string {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(/[\u0080-\uffff]/g, escaped);
}

function errorBody(code: number, message: string): unknown {
  return { error: { code, message, status: code === 400 ? "INVALID_ARGUMENT" : "UNAVAILABLE" } };
}

function askedIn(body: JsonObject): PromptTurn {
  const contents = asObjects(body.contents);
  const at = contents.findLastIndex((content) => content.role !== "model" && wordsOf(content) !== "");
  const since = contents.slice(at + 1);
  const config = asObject(body.generationConfig);
  const schema = asObject(config.responseJsonSchema ?? config.responseSchema);
  const results = since
    .flatMap((content) => asObjects(content.parts))
    .filter((part) => part.functionResponse);
  return {
    prompt: wordsOf(contents[at] ?? {}),
    round: since.filter((content) => content.role === "model").length,
    results: results.map((part) => JSON.stringify(asObject(part.functionResponse).response)),
    tools: asObjects(body.tools)
      .flatMap((group) => asObjects(group.functionDeclarations))
      .map((tool) => ({
        name: asText(tool.name),
        schema: asObject(tool.parametersJsonSchema ?? tool.parameters),
      })),
    wants: wantsSummary(contents)
      ? "summary"
      : config.responseMimeType === "application/json"
        ? { schema }
        : "answer",
  };
}

/**
 * Returns true for the words with which Gemini CLI 0.61.0 asks for a summary of a conversation, also when it
 * asks again.
 */
function wantsSummary(contents: readonly JsonObject[]): boolean {
  return /<state_snapshot>/.test(wordsOf(contents.at(-1) ?? {}));
}

function wordsOf(content: JsonObject): string {
  const parts = asObjects(content.parts).filter((part) => part.thought !== true);
  const words = parts.map((part) => asText(part.text)).join("");
  return words.replaceAll(SESSION_CONTEXT, "").trim();
}

/** A call must be answered in the next content. Gemini CLI answers some calls more than once. */
function violationsOf(contents: readonly JsonObject[]): readonly string[] {
  const count = (content: JsonObject | undefined, key: string): number =>
    asObjects(content?.parts).filter((part) => part[key] !== undefined).length;
  return contents.flatMap((content, i) => {
    const calls = count(content, "functionCall");
    const answered = count(contents[i + 1], "functionResponse");
    return calls <= answered ? [] : [`contents.${i}: ${calls} calls are followed by ${answered} responses`];
  });
}

function partsOf(steps: Answer): readonly JsonObject[] {
  return contentOf(steps).map(partOf);
}

function partOf(step: ContentStep): JsonObject {
  switch (step.type) {
    case "text":
      return { text: step.text };
    case "thinking":
      return { text: `**Thinking** ${step.text}`, thought: true };
    case "redacted":
      return { text: "", thought: true, thoughtSignature: THOUGHT_SIGNATURE };
    case "tool": {
      const args = typeof step.input === "string" ? { input: step.input } : step.input;
      return {
        functionCall: { id: newId("fc"), name: step.name, args },
        thoughtSignature: THOUGHT_SIGNATURE,
      };
    }
  }
}

/** Splits a text into pieces for the stream; other parts are sent at once. */
function split(part: JsonObject): readonly JsonObject[] {
  const isPlain = Object.keys(part).length === 1 && typeof part.text === "string";
  return isPlain ? pieces(asText(part.text)).map((text) => ({ text })) : [part];
}
