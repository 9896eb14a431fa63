/** A model, opened for a run. The code that models need is loaded with the first model (see `mounted-server.ts`). */

import {
  conversationTokens,
  ModelAgent,
  type ModelAgentOptions,
  windowOf,
} from "@continuo/agents/model-agent";
import { type Agent, ContinuoError } from "@continuo/core/model";
import type { ToolSet } from "ai";
import type { AnswerCall } from "./types.ts";

/**
 * @param answerCall answers the calls of tools, none of which runs. Errors: `unsupported` for a tool that runs at the
 * provider of the model
 */
export function openModelAgent(options: ModelAgentOptions, answerCall?: AnswerCall): Agent {
  const { tools } = options;
  if (answerCall === undefined || tools === undefined) return new ModelAgent(options);
  const answered = Object.entries(tools).map(([name, tool]) => [name, answeredTool(name, tool, answerCall)]);
  return new ModelAgent({ ...options, tools: Object.fromEntries(answered) as ToolSet });
}

/** Returns the description of the tool, without the functions that take part in a call. */
function answeredTool(toolName: string, tool: ToolSet[string], answerCall: AnswerCall): unknown {
  if (tool.isProviderExecuted === true) {
    throw new ContinuoError("unsupported", `the tool ${toolName} runs at the provider of the model`, {
      hint: 'Leave it out of the tools of this agent, or replay without `tools: "recorded"`.',
      hintFor: "program",
    });
  }
  const told = Object.entries(tool).filter(([key]) => !PARTS_OF_CALLS.has(key));
  // A call of a tool without `execute` ends the turn, as it did.
  const execute = async (toolInput: unknown): Promise<unknown> => await answerCall({ toolName, toolInput });
  return { ...Object.fromEntries(told), ...(tool.execute === undefined ? {} : { execute }) };
}

const PARTS_OF_CALLS: ReadonlySet<string> = new Set([
  "execute",
  "needsApproval",
  "toModelOutput",
  "onInputStart",
  "onInputDelta",
  "onInputAvailable",
]);

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
