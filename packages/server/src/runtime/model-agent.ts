/** A model, opened for a run. The code that models need is loaded with the first model (see `mounted-server.ts`). */

import {
  conversationTokens,
  ModelAgent,
  type ModelAgentOptions,
  windowOf,
} from "@continuo/agents/model-agent";
import type { Agent } from "@continuo/core/model";

export function openModelAgent(options: ModelAgentOptions): Agent {
  return new ModelAgent(options);
}

/**
 * The tokens of a conversation that a model receives.
 *
 * @param window the program's facts about the model; without them, the model's server is asked if the name is unknown
 */
export async function tokensFor(
  model: ModelAgentOptions["model"],
  window: number | undefined,
): Promise<number> {
  return conversationTokens(window ?? (await windowOf(model)));
}
