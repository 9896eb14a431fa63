/** The flags of `continuo agent …`. */

import type { TalkFlags } from "@continuo/agents/conversations";
import type { ServerFlags } from "../channel/index.ts";

export interface JoinFlags extends ServerFlags, Pick<TalkFlags, "cwd" | "permissions" | "model"> {
  readonly agent: string;
  readonly as: string;
  readonly workspace: string;
  /** Messages of agents since a person's last one, before this agent waits for a person. */
  readonly maxTurns?: number;
  readonly json?: true;
}
