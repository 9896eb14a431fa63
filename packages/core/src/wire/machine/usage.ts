/** `GET /v1/machine/usage?since=TIME`: sessions, turns, tokens and cost, as `continuo stats` counts them. */

export interface UsageTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
}

export interface UsageGroup {
  /** A day in the time zone of the machine (`2026-01-31`), a folder, a model or an agent. `null` if it is unknown. */
  readonly key: string | null;
  readonly sessions: number;
  readonly turns: number;
  readonly tokens: UsageTokens;
  /** The known part of the cost; `null` if nothing is known. */
  readonly costUsd: number | null;
  /** True if any of the cost comes from a list of prices and not from the agent. */
  readonly isByPrices: boolean;
  /** Models without a price, whose tokens are not in the cost; `null` for tokens without a model. */
  readonly unpriced: readonly (string | null)[];
}

export interface MachineUsage {
  /** ISO 8601; `null` for everything. */
  readonly since: string | null;
  readonly total: UsageGroup;
  /** In order of time; the newest 1,000. */
  readonly days: readonly UsageGroup[];
  /** The most tokens first, at most 200 each. */
  readonly projects: readonly UsageGroup[];
  readonly models: readonly UsageGroup[];
  readonly agents: readonly UsageGroup[];
  /** Sessions that cannot be read. */
  readonly unreadable: number;
  readonly prices: {
    /** The date of the list of prices, `2026-01-31`. */
    readonly asOf: string;
    readonly source: string;
  };
}
