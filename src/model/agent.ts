/** The agents whose native sessions Continuo reads. */

export const AGENT_NAMES = ["claude", "codex", "gemini", "pi", "opencode"] as const;

export type AgentName = (typeof AGENT_NAMES)[number];

export function isAgentName(value: unknown): value is AgentName {
  return (AGENT_NAMES as readonly unknown[]).includes(value);
}
