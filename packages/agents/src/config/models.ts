/** The models of the configuration, each as an agent with its name. Pure. */

import { AGENT_NAMES, present } from "@continuo/core/model";
import type { ParsedFile } from "./parse.ts";
import type { FileModel } from "./schema.ts";
import {
  type AgentSettings,
  agentsByName,
  type ConfigurationProblem,
  defaultSettings,
  type ModelSettings,
} from "./settings.ts";

export function toModels(models: Readonly<Record<string, FileModel>>): readonly AgentSettings[] {
  return Object.entries(models).map(([name, model]) => ({
    ...defaultSettings(name),
    endpoint: toEndpoint(model),
  }));
}

function toEndpoint(model: FileModel): ModelSettings {
  const { key_env, window, instructions } = model;
  const more = present({ keyEnv: key_env, window, instructions });
  if (!("anthropic" in model)) return { type: "openai", url: model.url, model: model.model, ...more };
  return { type: "anthropic", model: model.anthropic, ...present({ url: model.url }), ...more };
}

/** Adds the person's models to the agents of all files. */
export function withModels(
  agents: Readonly<Record<string, AgentSettings>>,
  models: readonly AgentSettings[],
): Readonly<Record<string, AgentSettings>> {
  return models.length === 0 ? agents : agentsByName([...Object.values(agents), ...models]);
}

/** A model and an agent with the same name could not be distinguished. */
export function takenNames(
  file: string,
  { content, placeOf }: Pick<ParsedFile, "content" | "placeOf">,
): readonly ConfigurationProblem[] {
  const taken: readonly string[] = [...AGENT_NAMES, ...Object.keys(content.agents ?? {})];
  return Object.keys(content.models ?? {})
    .filter((name) => taken.includes(name))
    .map((name) => {
      const message = `an agent has the name ${name} already`;
      return { file, ...placeOf(["models", name]), key: `models.${name}`, message, suggestion: null };
    });
}
