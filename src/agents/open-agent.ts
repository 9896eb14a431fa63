/** From an agent's name to its driver, loaded when it is asked for. */

import { type AgentDriver, type AgentName, ContinuoError, isAgentName } from "../model/index.ts";
import type { DriverOptions } from "./driver/index.ts";
import { beforeGeminiResumes } from "./gemini-resume.ts";
import { pick, placesOfThisUser, READABLE_AGENTS, readerOf } from "./lookup/index.ts";

export interface OpenAgentOptions extends Partial<Omit<DriverOptions, "reader" | "beforeResume">> {
  /** `acp` drives Claude Code, Codex and pi through their adapters; left out: by their own protocols. */
  readonly transport?: "native" | "acp";
  /** The version of ACP that is asked for; 1 where none is given. */
  readonly protocol?: 1 | 2;
}

type Native = (options: DriverOptions) => Promise<AgentDriver>;

/** Those that have a better protocol of their own than ACP. */
const NATIVE: Readonly<Partial<Record<AgentName, Native>>> = {
  claude: async (options) => (await import("./claude/driver/index.ts")).createClaudeDriver(options),
  codex: async (options) => (await import("./codex/driver/index.ts")).createCodexDriver(options),
  pi: async (options) => (await import("./pi/driver/index.ts")).createPiDriver(options),
};

/**
 * One of the agents that Continuo reads, or any other that speaks ACP: that one needs a `command`. Nothing is
 * started yet.
 *
 * Errors: `usage` for a name that is none of ours and has no command.
 */
export async function openAgent(name: string, options: OpenAgentOptions = {}): Promise<AgentDriver> {
  const places = options.places ?? placesOfThisUser();
  const given = { ...pick(options, "command", "env", "model", "limits"), places };
  if (!isAgentName(name)) {
    if (given.command === undefined) throw unknownAgent(name);
    const { configuredProgram, createAcpDriver } = await import("./acp/index.ts");
    return createAcpDriver(configuredProgram(name, given.command), {
      ...given,
      ...pick(options, "protocol"),
    });
  }
  const reader = await readerOf(name);
  const driving: DriverOptions = {
    ...given,
    reader,
    ...(name === "gemini" ? { beforeResume: beforeGeminiResumes(places) } : {}),
  };
  const native = NATIVE[name];
  if (native !== undefined && options.transport !== "acp") return await native(driving);
  const { ACP_PROGRAMS, createAcpDriver } = await import("./acp/index.ts");
  return createAcpDriver(ACP_PROGRAMS[name], { ...driving, ...pick(options, "protocol") });
}

function unknownAgent(name: string): ContinuoError {
  return new ContinuoError("usage", `There is no agent called ${JSON.stringify(name)}.`, {
    hint: `Known are ${READABLE_AGENTS.join(", ")}; for any other one that speaks ACP name its command.`,
  });
}
