/** A coding agent, opened for a run. The programs of agents are loaded with the first one (see `mounted-server.ts`). */

import { permissionsBy } from "@continuo/agents/drivers/link";
import { openRunAgent, type RunAgentOptions } from "@continuo/agents/handoff";
import type { Agent, AskPermission } from "@continuo/core/model";
import { MAX_TIMER_MS } from "@continuo/store/sessions";

export interface OpenCodingOptions extends Omit<RunAgentOptions, "onPermission" | "name"> {
  readonly name: string;
  readonly onPermission: AskPermission;
}

export async function openCodingAgent(
  agent: string,
  { name, permissions = "ask", onPermission, ...rest }: OpenCodingOptions,
): Promise<Agent & AsyncDisposable> {
  // The time limit is that of the approvals, which outlive this process.
  const ask = permissionsBy({ policy: permissions, ask: onPermission, timeLimitMs: MAX_TIMER_MS });
  const opened = await openRunAgent(agent, { ...rest, permissions, onPermission: ask });
  return name === agent ? opened : renamed(opened, name);
}

function renamed(agent: Agent & AsyncDisposable, name: string): Agent & AsyncDisposable {
  return {
    name,
    capabilities: async (options) => (await agent.capabilities?.(options)) ?? {},
    execute: (request, options) => agent.execute(request, options),
    [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose](),
  };
}
