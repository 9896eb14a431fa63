/** Converts the configuration of an agent to the options of `openAgent`. Pure. */

import { ContinuoError, present } from "@continuo/core/model";
import type { OpenAgentOptions } from "../drivers/index.ts";
import type { AgentSettings } from "./settings.ts";

type ProgramSettings = Pick<
  OpenAgentOptions,
  "command" | "env" | "environment" | "model" | "transport" | "protocol"
>;

/** The ACP adapters of these agents are separate programs. */
const ADAPTED: readonly string[] = ["claude", "codex", "pi"];

/** Errors: `usage` for arguments without a program. */
export function agentOptionsOf({
  name,
  environment,
  command,
  args,
  env,
  model,
  transport,
  protocol,
}: AgentSettings): ProgramSettings {
  if (command === null && args.length > 0 && transport === "acp" && ADAPTED.includes(name)) {
    throw new ContinuoError(
      "usage",
      `agents.${name}.args requires agents.${name}.command with transport: acp`,
      {
        hint: `Name the command of the ACP adapter, which is another program than ${name}.`,
      },
    );
  }
  const isNamed = command !== null || args.length > 0;
  return {
    env: Object.fromEntries(Object.entries(env).map(([key, value]) => [key, value ?? undefined])),
    ...present({ environment: environment ?? undefined }),
    ...(isNamed ? { command: [command ?? name, ...args] } : {}),
    ...present({ model: model ?? undefined, transport: transport ?? undefined, protocol }),
  };
}
