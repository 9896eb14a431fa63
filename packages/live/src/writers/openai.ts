/** Embeddings from an endpoint with the API of OpenAI. */

import { assertKnownOptions, ContinuoError, type KnownOptions, present } from "@continuo/core/model";
import { type Embedder, isFields, LIMITS } from "../kit/index.ts";

export interface OpenAiEndpoint {
  /** The address with the version: `https://api.openai.com/v1`. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string;
}

export const ENDPOINT: KnownOptions<OpenAiEndpoint> = { url: true, model: true, apiKey: true };

export interface OpenAiEmbedderOptions extends OpenAiEndpoint {
  /** The cosine from which two notes count as the same; 0.8 by default. */
  readonly threshold?: number;
}

/** Errors: `unavailable`, `agent_failed` for an answer without vectors. */
export function openAiEmbedder(options: OpenAiEmbedderOptions): Embedder {
  assertKnownOptions("openAiEmbedder", options, { ...ENDPOINT, threshold: true });
  return {
    name: options.model,
    threshold: options.threshold ?? LIMITS.sameCosine,
    embed: async (texts, { signal }) => {
      const body = JSON.stringify({ model: options.model, input: texts, encoding_format: "float" });
      const headers = { "content-type": "application/json" };
      const answer = await callEndpoint(options, "/embeddings", {
        body,
        headers,
        ...(signal ? { signal } : {}),
      });
      const rows: unknown = answer.data;
      const vectors = Array.isArray(rows) ? rows.filter(isFields).toSorted(byIndex).map(vectorIn) : [];
      if (vectors.length === texts.length) return vectors;
      throw new ContinuoError("agent_failed", `${options.model} returned no vector for some texts`);
    },
  };
}

function byIndex(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): number {
  return Number(a.index ?? 0) - Number(b.index ?? 0);
}

function vectorIn({ embedding }: Readonly<Record<string, unknown>>): readonly number[] {
  return Array.isArray(embedding) ? embedding.map(Number) : [];
}

/** Errors: `unavailable` with `details.status`, `agent_failed` for an answer that is not a JSON object. */
export async function callEndpoint(
  { url, apiKey }: OpenAiEndpoint,
  path: string,
  init: Pick<RequestInit, "body" | "headers" | "signal">,
): Promise<Readonly<Record<string, unknown>>> {
  const limit = AbortSignal.timeout(LIMITS.endpointMs);
  const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
  const key = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const headers = { ...(init.headers as Record<string, string>), ...key };
  let status = 0;
  let value: unknown;
  try {
    const response = await fetch(`${url.replace(/\/+$/u, "")}${path}`, {
      method: "POST",
      redirect: "error",
      ...init,
      headers,
      signal,
    });
    status = response.status;
    value = JSON.parse(await textWithin(response));
  } catch (cause) {
    if (cause instanceof SyntaxError && status === 200) {
      throw new ContinuoError("agent_failed", "the answer of the endpoint is not JSON", { cause });
    }
    throw unavailable(status, cause);
  }
  if (status < 200 || status > 299) throw unavailable(status);
  if (isFields(value)) return value;
  throw new ContinuoError("agent_failed", "the answer of the endpoint is not an object");
}

async function textWithin(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LIMITS.endpointChars) throw new Error("the answer of the endpoint is too long");
  }
  return text + decoder.decode();
}

function unavailable(status: number, cause?: unknown): ContinuoError {
  const why = status === 0 || status === 200 ? "it cannot be reached" : `it answered ${status}`;
  return new ContinuoError(
    "unavailable",
    `cannot use the model endpoint: ${why}`,
    present({ hint: "Check the URL and the key of the endpoint.", details: { status }, cause }),
  );
}
