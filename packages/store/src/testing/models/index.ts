/**
 * A model for tests: it answers from a script, and records what it was asked.
 *
 * Promises: it has the interface of a language model of the AI SDK (version 4); it never answers what no script says.
 * Does not know: agents, tools, any provider.
 */

export type { ModelScript, ModelStep } from "./model-script.ts";
export { type ModelCall, ScriptedModel, type ScriptedModelOptions } from "./scripted-model.ts";
