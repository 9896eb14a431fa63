/** From what the configuration says of an agent to what `openAgent` is given. Pure. */

import type { OpenAgentOptions } from "../../agents/index.ts";
import { ContinuoError } from "../../model/index.ts";
import type { AgentSettings } from "./settings.ts";

type Driving = Pick<OpenAgentOptions, "command" | "env" | "model" | "transport">;

/** Their ACP adapters are other programs than they are. */
const ADAPTED: readonly string[] = ["claude", "codex", "pi"];

/** Errors: `usage` for arguments of a program that is not named. */
export function drivingOf({ name, command, args, env, model, transport }: AgentSettings): Driving {
  if (command === null && args.length > 0 && transport === "acp" && ADAPTED.includes(name)) {
    throw new ContinuoError("usage", `agents.${name}.args needs the command that they are for`, {
      hint: `With transport: acp it is the adapter's, not ${name}'s own.`,
    });
  }
  const isNamed = command !== null || args.length > 0;
  return {
    env: Object.fromEntries(Object.entries(env).map(([key, value]) => [key, value ?? undefined])),
    ...(isNamed ? { command: [command ?? name, ...args] } : {}),
    ...(model === null ? {} : { model }),
    ...(transport === null ? {} : { transport }),
  };
}
