/** The flags of `handoff` and `resume`, as commander gives them. */

import { AGENT_NAMES, type AgentName } from "@continuo/core/model";

export const AGENT_CHOICES: readonly AgentName[] = AGENT_NAMES;

/** The number of blocks that may be left out, by kind. */
export type LossFlag = Readonly<Record<string, number>>;

export interface HandoffFlags {
  readonly to: AgentName;
  readonly cwd?: string;
  readonly fromMessage?: string;
  readonly strategy?: "full" | "recent";
  readonly maxMessages?: number;
  readonly maxTokens?: number;
  readonly dryRun?: true;
  readonly maxLoss?: LossFlag;
  readonly verify: boolean;
  readonly verbose?: true;
  readonly json?: true;
}

export interface ImportFlags {
  readonly into?: string;
  readonly workTree: boolean;
  readonly cwd?: string;
  readonly to?: AgentName;
  readonly dryRun?: true;
  readonly verify: boolean;
  readonly verbose?: true;
  readonly json?: true;
}

export interface ResumeFlags {
  readonly agent?: AgentName;
  readonly print?: true;
  readonly force?: true;
  readonly verbose?: true;
}
