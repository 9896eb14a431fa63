/**
 * Finds the context window of a model in tokens. The endpoint is asked if the model was opened by an address. If it was
 * not, or if the endpoint does not say it, the name of the model determines it.
 */

import type { LanguageModel } from "ai";
import { boundedJson } from "./bounded-json.ts";

/** The assumed window of an unknown model: every current model of a vendor has at least this many tokens. */
export const DEFAULT_WINDOW = 128_000;

/** The rest of the window is for instructions and the answer, and for estimates that were too low. */
const CONVERSATION_SHARE = 0.75;

const ASK_MS = 2_000;
const MAX_BYTES = 4_000_000;

/**
 * Windows by the beginning of a model's name, without the vendor before it. Source: the pages of the vendors, November
 * 2026.
 */
const KNOWN: readonly (readonly [names: RegExp, tokens: number])[] = [
  [/^claude-/u, 200_000],
  [/^gpt-5/u, 272_000],
  [/^gpt-4\.1/u, 1_047_576],
  [/^o[34]\b/u, 200_000],
  [/^gemini-(?:1\.5|[2-9])/u, 1_048_576],
];

/** Returns how many tokens of a conversation fit into a window. */
export function conversationTokens(window: number): number {
  return Math.max(1, Math.floor(window * CONVERSATION_SHARE));
}

/** Returns `null` for a name that is not known. */
export function knownWindow(model: string): number | null {
  const name = model.slice(model.lastIndexOf("/") + 1);
  return KNOWN.find(([names]) => names.test(name))?.[1] ?? null;
}

export interface Endpoint {
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string;
}

const endpoints = new WeakMap<object, Endpoint>();
const windows = new WeakMap<object, Promise<number>>();

/** Remembers the address of a model, so that its window can be requested there. */
export function servedAt<Model extends LanguageModel>(model: Model, endpoint: Endpoint): Model {
  if (typeof model === "object") endpoints.set(model, endpoint);
  return model;
}

/** Asks once for each model. For an unknown model, it returns 128,000 and emits a warning of the process. */
export function windowOf(model: LanguageModel): Promise<number> {
  if (typeof model === "string") return Promise.resolve(knownWindow(model) ?? guessedWindow(model));
  const found = windows.get(model) ?? findWindow(model);
  windows.set(model, found);
  return found;
}

async function findWindow(model: Exclude<LanguageModel, string>): Promise<number> {
  const endpoint = endpoints.get(model);
  const asked = endpoint === undefined ? null : await askWindow(endpoint);
  return asked ?? knownWindow(model.modelId) ?? guessedWindow(model.modelId);
}

const guessed = new Set<string>();

/** Warns, because the server of the model refuses or cuts off a conversation that is larger than the real window. */
function guessedWindow(model: string): number {
  if (!guessed.has(model)) {
    guessed.add(model);
    process.emitWarning(`the window of the model ${model} is not known: 128,000 tokens are assumed`, {
      type: "ContinuoWarning",
      detail: "Set `context: { window }` of defineAgent, or `window` of the model in continuo.yaml.",
    });
  }
  return DEFAULT_WINDOW;
}

/**
 * Asks a server for the window of a model. vLLM, LM Studio, llama.cpp, OpenRouter and others list windows with their
 * models; Ollama shows the window of one model at a time. Returns `null` if the server does not say it in time.
 */
export async function askWindow(endpoint: Endpoint): Promise<number | null> {
  const { url, model } = endpoint;
  const listed = await askJson(endpoint, `${url.replace(/\/+$/u, "")}/models`);
  const { data } = fieldsOf(listed);
  const row = Array.isArray(data) ? data.map(fieldsOf).find(({ id }) => id === model) : undefined;
  const inList = row === undefined ? null : windowIn(row);
  if (inList !== null) return inList;
  const shown = fieldsOf(await askJson(endpoint, new URL("/api/show", url).href, { model }));
  const set = /^num_ctx\s+(\d+)$/mu.exec(String(shown.parameters ?? ""))?.[1];
  const info = Object.entries(fieldsOf(shown.model_info)).find(([key]) => key.endsWith(".context_length"));
  return tokensIn(set === undefined ? info?.[1] : Number(set));
}

/**
 * The names of this field on different servers. The smallest value counts, because a server can load a model with a
 * smaller window than it has.
 */
const NAMES = [
  "max_model_len",
  "loaded_context_length",
  "max_context_length",
  "context_length",
  "context_window",
];

function windowIn(row: Readonly<Record<string, unknown>>): number | null {
  const values = [...NAMES.map((name) => row[name]), fieldsOf(row.meta).n_ctx].map(tokensIn);
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.min(...known);
}

function tokensIn(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

async function askJson({ apiKey }: Endpoint, url: string, body?: object): Promise<unknown> {
  try {
    const answer = await fetch(url, {
      signal: AbortSignal.timeout(ASK_MS),
      redirect: "error",
      headers: {
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    return answer.ok ? await boundedJson(answer, MAX_BYTES) : null;
  } catch {
    // A server that does not answer says nothing about the window.
    return null;
  }
}
