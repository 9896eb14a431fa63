/** The flags of `stats`, as commander gives them. */

export const GROUPINGS = ["day", "week", "month", "block", "session", "agent", "project", "model"] as const;

export type Grouping = (typeof GROUPINGS)[number];

export interface StatsFlags {
  readonly since?: string;
  readonly by?: Grouping;
  readonly agent?: readonly string[];
  readonly limit?: number;
  readonly chart?: true;
  readonly updatePrices?: string;
  readonly json?: true;
}
