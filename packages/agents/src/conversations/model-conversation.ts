/**
 * A model of the configuration as the agent of a conversation: it has no program, and receives the transcript each
 * time.
 */

import { ContinuoError, type Conversation, present } from "@continuo/core/model";
import type { ModelSettings } from "../config/index.ts";
import type { ModelEndpoint } from "../model-agent/index.ts";
import type { AgentOpenOptions, AgentOptions, ConversationAgent } from "./conversation-agent.ts";

/** Errors: `usage` for a mode or an effort, `not_found` for the variable of its key. */
export async function createModelAgent(
  { settings, places, mode, effort }: AgentOptions,
  endpoint: ModelSettings,
): Promise<ConversationAgent> {
  const { name } = settings;
  if (mode !== undefined || effort !== undefined) {
    throw new ContinuoError(
      "usage",
      `${name} is a model, which has no ${mode === undefined ? "effort" : "mode"}`,
    );
  }
  const { ModelAgent, conversationTokens, openModel, windowOf } = await import("../model-agent/index.ts");
  const chosen = { ...endpoint, model: settings.model ?? endpoint.model };
  const model = await openModel(toModelEndpoint(name, chosen, places.env));
  const agent = new ModelAgent({ name, model, ...present({ instructions: endpoint.instructions }) });
  const close = async (): Promise<void> => undefined;
  return {
    name,
    conversation: null,
    place: null,
    // The window in the file belongs to the model in the file.
    conversationTokens: async () =>
      conversationTokens(
        (chosen.model === endpoint.model ? endpoint.window : undefined) ?? (await windowOf(model)),
      ),
    capabilities: () => agent.capabilities(),
    execute: (request, options) => agent.execute(request, options),
    prepare: () => undefined,
    enter: (entrance) => enter(name, entrance),
    opened: async () => null,
    lister: async () => null,
    rest: close,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Errors: `native_unavailable`. */
async function enter(
  name: string,
  { resumeSessionId, continueLast }: AgentOpenOptions,
): Promise<Pick<Conversation, "sessionId" | "resumption">> {
  if (resumeSessionId === undefined && continueLast !== true) {
    return { sessionId: name, resumption: { requested: "new", happened: "new", verifiedBy: "none" } };
  }
  throw new ContinuoError("native_unavailable", `${name} is a model, which has no sessions of its own`, {
    hint: "Continue a session of Continuo's: `continuo session list`.",
  });
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Errors: `not_found` for a variable that is not set. */
function toModelEndpoint(name: string, settings: ModelSettings, env: Variables): ModelEndpoint {
  const { model, keyEnv = settings.type === "anthropic" ? "ANTHROPIC_API_KEY" : undefined } = settings;
  const apiKey = keyEnv === undefined ? undefined : env[keyEnv];
  if (keyEnv !== undefined && (apiKey === undefined || apiKey === "")) {
    throw new ContinuoError("not_found", `the variable ${keyEnv} is not set, which has the key of ${name}`, {
      hint: `Set ${keyEnv}, or change \`models.${name}\` in continuo.yaml.`,
    });
  }
  if (settings.type === "anthropic") {
    return { type: "anthropic", model, apiKey: apiKey ?? "", ...present({ url: settings.url }) };
  }
  return { type: "openai", url: settings.url, model, ...present({ apiKey }) };
}
