/** The readers, each loaded when it is first needed. Adding an agent begins with a line here. */

import { AGENT_NAMES, type AgentName } from "../../model/index.ts";
import type { AgentReader } from "../reader/index.ts";

const LOADERS: Readonly<Partial<Record<AgentName, () => Promise<AgentReader>>>> = {
  claude: async () => (await import("../claude/index.ts")).claudeReader,
  codex: async () => (await import("../codex/index.ts")).codexReader,
  gemini: async () => (await import("../gemini/index.ts")).geminiReader,
  pi: async () => (await import("../pi/index.ts")).piReader,
  opencode: async () => (await import("../opencode/index.ts")).opencodeReader,
};

/** The agents that this version reads, in the order in which they are named everywhere. */
export const READABLE_AGENTS: readonly AgentName[] = AGENT_NAMES.filter((name) => name in LOADERS);

export async function readerOf(agent: AgentName): Promise<AgentReader> {
  const load = LOADERS[agent];
  if (load === undefined) throw new Error(`no reader for ${agent}`);
  return await load();
}
