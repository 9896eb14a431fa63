/** Opens a model by its settings: at an endpoint with the API of OpenAI, or at an endpoint of Anthropic. */

import { assertKnownOptions, ContinuoError, present } from "@continuo/core/model";
import type { LanguageModel } from "ai";
import { servedAt } from "./window.ts";

export type ModelEndpoint =
  | { readonly type: "openai"; readonly url: string; readonly model: string; readonly apiKey?: string }
  | { readonly type: "anthropic"; readonly url?: string; readonly model: string; readonly apiKey: string };

/**
 * Opens a model for `ModelAgent` and `defineAgent`. The address includes the version, such as
 * `http://127.0.0.1:11434/v1`.
 *
 * Errors: `usage`; `agent_missing` if the package of the provider is not installed.
 */
export async function openModel(endpoint: ModelEndpoint): Promise<LanguageModel> {
  assertKnownOptions("openModel", endpoint, { type: true, url: true, model: true, apiKey: true });
  const { type, url, model, apiKey } = endpoint;
  if (type === "anthropic") {
    const { createAnthropic } = await provider("@ai-sdk/anthropic", () => import("@ai-sdk/anthropic"));
    return createAnthropic(present({ baseURL: url, apiKey }))(model);
  }
  const { createOpenAICompatible } = await provider(
    "@ai-sdk/openai-compatible",
    () => import("@ai-sdk/openai-compatible"),
  );
  const name = new URL(url).hostname;
  const create = createOpenAICompatible({ name, baseURL: url, includeUsage: true, ...present({ apiKey }) });
  return servedAt(create(model), present({ url, model, apiKey }));
}

async function provider<Package>(name: string, load: () => Promise<Package>): Promise<Package> {
  try {
    return await load();
  } catch (cause) {
    throw new ContinuoError(
      "agent_missing",
      `cannot call a model: the package \`${name}\` is not installed`,
      {
        hint: `Run \`npm install ai ${name}\`.`,
        cause,
      },
    );
  }
}
