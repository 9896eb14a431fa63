/** The flags of `stats`, as commander gives them. */

export const GROUPINGS = ["day", "agent", "project", "model"] as const;

export type Grouping = (typeof GROUPINGS)[number];

export interface StatsFlags {
  readonly since?: string;
  readonly by?: Grouping;
  readonly json?: true;
}
