/** The agents whose native sessions Continuo reads. */

export const AGENT_NAMES = ["claude", "codex", "gemini", "pi", "opencode", "copilot"] as const;

export type AgentName = (typeof AGENT_NAMES)[number];

/** The names that people use, in the order in which a page offers them. */
export const AGENT_LABELS: Readonly<Record<AgentName, string>> = {
  claude: "Claude Code",
  codex: "Codex",
  gemini: "Gemini CLI",
  opencode: "opencode",
  pi: "pi",
  copilot: "GitHub Copilot",
};

const known = new Set<unknown>(AGENT_NAMES);

export function isAgentName(value: unknown): value is AgentName {
  return known.has(value);
}

/**
 * Makes the name of an agent that is registered later known to `isAgentName`. Returns a function that makes it unknown
 * again.
 */
export function nameAgent(name: AgentName): () => void {
  known.add(name);
  return () => void known.delete(name);
}
