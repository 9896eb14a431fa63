/** Finds the witness of an agent by the agent's name, and loads it at its first use. */

import type { AgentName } from "@continuo/core/model";
import type { ProgramStart, Witness } from "./witness.ts";

const WITNESSES: Readonly<Partial<Record<AgentName, () => Promise<Witness>>>> = {
  claude: async () => (await import("./claude.ts")).claudeWitness,
  codex: async () => (await import("./codex.ts")).codexWitness,
  gemini: async () => (await import("./gemini.ts")).geminiWitness,
  pi: async () => (await import("./pi.ts")).piWitness,
  copilot: async () => (await import("./copilot.ts")).copilotWitness,
  opencode: async () => (await import("./opencode.ts")).opencodeWitness,
};

/** `null` for an agent that cannot read a session back; Continuo's own reader is used instead. */
export async function witnessOf(agent: AgentName): Promise<Witness | null> {
  return (await WITNESSES[agent]?.()) ?? null;
}

/**
 * Returns the database that the agent's first start creates, for an agent that keeps all sessions in one file; it is
 * started in a private home. `null` for other agents. Errors: `verification_failed`.
 */
export async function firstFileOf(agent: AgentName, start: ProgramStart): Promise<Buffer | null> {
  return agent === "opencode" ? await (await import("./opencode.ts")).firstDatabase(start) : null;
}
