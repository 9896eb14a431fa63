/** Settings that a person may change while an agent is open, and the agent's reports of them. */

import { type AgentCommand, type ContextUse, ContinuoError, type Usage } from "@continuo/core/model";
import { isJson, type Json, textField } from "@continuo/files";

/**
 * Limits for the number of commands and the length of their descriptions. Commands come from files of the project, so
 * they can be of any size.
 */
const MAX_COMMANDS = 500;
const MAX_CHARS = 500;

/** Errors: `unsupported` with `details.offered`. If an agent reports no efforts, it is assumed to accept any. */
export function assertEffort(agent: string, effort: string, offered: readonly string[]): void {
  if (offered.length === 0 || offered.includes(effort)) return;
  throw new ContinuoError("unsupported", `${agent} has no effort ${JSON.stringify(effort)}`, {
    hint: `Choose one of ${offered.join(", ")}.`,
    details: { category: "effort", value: effort, offered },
  });
}

/**
 * Reads a list with `name` and `description`, the form of most agents. Names that no prompt can begin with are
 * left out.
 */
export function toCommands(list: unknown, argumentOf: (command: Json) => unknown): readonly AgentCommand[] {
  return (Array.isArray(list) ? list : [])
    .filter(isJson)
    .slice(0, MAX_COMMANDS)
    .flatMap((command) => {
      const name = textField(command, "name") ?? "";
      const argument = argumentOf(command);
      if (!/^[\w:.-]{1,100}$/u.test(name)) return [];
      return [
        {
          name,
          description: (textField(command, "description") ?? "").slice(0, MAX_CHARS),
          argument: typeof argument === "string" ? argument.slice(0, MAX_CHARS) : "",
        },
      ];
    });
}

/** `null` if one of them is not known. */
export function toContextUse(usedTokens: unknown, windowTokens: unknown): ContextUse | null {
  if (typeof usedTokens !== "number" || typeof windowTokens !== "number") return null;
  return usedTokens > 0 && windowTokens > 0 ? { usedTokens, windowTokens } : null;
}

/** Returns the tokens of one call of a model: its input and its answer. The next call receives both. */
export function tokensOf(usage: Usage): number {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
}
