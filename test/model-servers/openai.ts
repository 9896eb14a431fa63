/** The shared part of the two protocols of OpenAI: tools, and the words of agents in the user's name. */

import { asObject, asObjects, asText, type JsonObject } from "./json.ts";
import type { OfferedTool } from "./script.ts";

export interface OfferedOpenAiTool extends OfferedTool {
  readonly namespace?: string;
}

const ADDED =
  /^\s*(<(environment_context|user_instructions|skills?|turn_aborted|subagent_notification|permissions|collaboration_mode|system-reminder|user_shell_command|hook_prompt|recommended_plugins|apps_instructions|plugins_instructions|world_state)\b|# AGENTS\.md instructions|Attached (image\(s\)|media) from tool result)/i;

/** Words in a user message that no person typed. */
export function isAddedByAgent(words: string): boolean {
  return words.trim() === "" || ADDED.test(words);
}

/** The tools of the request, including those in namespaces and those that newer models get inside the input. */
export function toolsOf(body: JsonObject): readonly OfferedOpenAiTool[] {
  const inside = asObjects(body.input).flatMap((item) => asObjects(item.tools));
  return [...asObjects(body.tools), ...inside].flatMap((tool) => flatten(tool, undefined));
}

function flatten(tool: JsonObject, namespace: string | undefined): readonly OfferedOpenAiTool[] {
  if (tool.type === "namespace") {
    return asObjects(tool.tools).flatMap((inner) => flatten(inner, asText(tool.name)));
  }
  const described = tool.function === undefined ? tool : asObject(tool.function);
  const schema = tool.type === "custom" ? null : asObject(described.parameters ?? described.input_schema);
  const name = asText(described.name ?? tool.type);
  return [{ name, schema, ...(namespace === undefined ? {} : { namespace }) }];
}
