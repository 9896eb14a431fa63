/** Note writers that call a model at an endpoint with the chat API of OpenAI, or at that of Anthropic. */

import {
  type Agent,
  assertKnownOptions,
  type Block,
  ContinuoError,
  type ImageBlock,
  type KnownOptions,
  present,
  textOf,
  type Usage,
} from "@continuo/core/model";
import { isFields, type NoteWriter } from "../kit/index.ts";
import { type AgentWriterOptions, agentWriter } from "./agent-writer.ts";
import { callEndpoint, type OpenAiEndpoint } from "./openai.ts";

export interface ModelWriterOptions extends Pick<AgentWriterOptions, "name" | "price"> {
  readonly model: string;
  readonly apiKey?: string;
}

export interface OpenAiWriterOptions extends ModelWriterOptions {
  /** The address with the version: `https://api.openai.com/v1`, `http://127.0.0.1:11434/v1` for Ollama. */
  readonly url: string;
}

export interface AnthropicWriterOptions extends ModelWriterOptions {
  /** `https://api.anthropic.com/v1` by default. */
  readonly url?: string;
}

const OPTIONS: KnownOptions<OpenAiWriterOptions> = {
  url: true,
  model: true,
  apiKey: true,
  name: true,
  price: true,
};
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/u;
const ANTHROPIC_URL = "https://api.anthropic.com/v1";
const ANTHROPIC_VERSION = "2023-06-01";
/** The API of Anthropic requires a limit. */
const ANSWER_TOKENS = 4_096;

/** Errors of its calls: `unavailable` with `details.status`, `agent_failed` for an answer without text. */
export function openAiWriter(options: OpenAiWriterOptions): NoteWriter {
  assertKnownOptions("openAiWriter", options, OPTIONS);
  const { url, model, apiKey, ...rest } = options;
  const endpoint = present({ url, model, apiKey });
  const call = async (input: readonly Block[], signal: AbortSignal): Promise<ModelAnswer> => {
    const images = imagesIn(input).map(({ mimeType, data }) => {
      return { type: "image_url", image_url: { url: `data:${mimeType};base64,${data}` } };
    });
    const content = images.length === 0 ? textOf(input) : [{ type: "text", text: textOf(input) }, ...images];
    const body = JSON.stringify({ model, messages: [{ role: "user", content }] });
    const { choices, usage } = await post(endpoint, "/chat/completions", { body, signal });
    const [choice]: readonly unknown[] = Array.isArray(choices) ? choices : [];
    const message = isFields(choice) && isFields(choice.message) ? choice.message.content : undefined;
    return { text: textIn(message), usage: usageIn(usage, "prompt_tokens", "completion_tokens") };
  };
  const writer = agentWriter({ ...rest, agent: modelAgent(model, call) });
  return isFree(options) ? { ...writer, isFree: true } : writer;
}

/** True for a model on this machine that needs no key, such as one of Ollama or LM Studio. */
function isFree({ url, apiKey, price }: OpenAiWriterOptions): boolean {
  if (apiKey !== undefined || price !== undefined || !URL.canParse(url)) return false;
  return LOOPBACK.test(new URL(url).hostname);
}

/** Errors of its calls: as `openAiWriter`. */
export function anthropicWriter(options: AnthropicWriterOptions): NoteWriter {
  assertKnownOptions("anthropicWriter", options, OPTIONS);
  const { url = ANTHROPIC_URL, model, apiKey, ...rest } = options;
  const headers = present({ "anthropic-version": ANTHROPIC_VERSION, "x-api-key": apiKey });
  const call = async (input: readonly Block[], signal: AbortSignal): Promise<ModelAnswer> => {
    const images = imagesIn(input).map(({ mimeType, data }) => {
      return { type: "image", source: { type: "base64", media_type: mimeType, data } };
    });
    const asked = images.length === 0 ? textOf(input) : [...images, { type: "text", text: textOf(input) }];
    const messages = [{ role: "user", content: asked }];
    const body = JSON.stringify({ model, max_tokens: ANSWER_TOKENS, messages });
    const { content, usage } = await post({ url, model }, "/messages", { body, signal, headers });
    return { text: textIn(content), usage: usageIn(usage, "input_tokens", "output_tokens") };
  };
  return agentWriter({ ...rest, agent: modelAgent(model, call) });
}

interface ModelAnswer {
  readonly text: string;
  readonly usage: Usage;
}

interface Post {
  readonly body: string;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

function post(
  endpoint: OpenAiEndpoint,
  path: string,
  { headers = {}, ...init }: Post,
): Promise<Readonly<Record<string, unknown>>> {
  return callEndpoint(endpoint, path, {
    ...init,
    headers: { "content-type": "application/json", ...headers },
  });
}

function modelAgent(
  name: string,
  call: (input: readonly Block[], signal: AbortSignal) => Promise<ModelAnswer>,
): Agent {
  return {
    name,
    execute: async ({ input }, { signal, onEvent }) => {
      const { text, usage } = await call(input, signal);
      if (text === "") throw new ContinuoError("agent_failed", `${name} returned no text`);
      await onEvent({ type: "text", delta: text });
      return { usage };
    },
  };
}

function imagesIn(input: readonly Block[]): readonly Required<Pick<ImageBlock, "mimeType" | "data">>[] {
  return input.flatMap((block) =>
    block.type === "image" && block.data !== undefined
      ? [{ mimeType: block.mimeType, data: block.data }]
      : [],
  );
}

/** The text of a message: a text, or the text parts of a list. */
function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (isFields(part) && typeof part.text === "string" ? part.text : "")).join("");
}

function usageIn(usage: unknown, input: string, output: string): Usage {
  const fields = isFields(usage) ? usage : {};
  const count = (name: string): number => (Number.isSafeInteger(fields[name]) ? Number(fields[name]) : 0);
  return { inputTokens: count(input), outputTokens: count(output) };
}
