/** `GET /v1/machine/health`: what happens in the store of Continuo's own sessions. */

export interface HealthRun {
  readonly key: string;
  readonly title: string | null;
  readonly agent: string | null;
  readonly startedAt: string | null;
  /** `nobody`: the process of the turn has ended, and the next prompt in the session ends the turn. */
  readonly runner: "this server" | "another process" | "nobody";
  /** The time at which the lease of the turn ends, if it is not renewed. */
  readonly leaseUntil: string | null;
}

export interface MachineHealth {
  /** `null` if there is no store yet. The counts include all workspaces. */
  readonly store: {
    readonly engine: string;
    readonly location: string;
    readonly schemaVersion: number;
    readonly sessions: number;
    readonly runs: number;
    readonly events: number;
    readonly blobs: number;
    readonly sizeBytes: number;
  } | null;
  /** The turns that are running, at most 100, the oldest one first. */
  readonly running: readonly HealthRun[];
  /** The number of prompts that wait, at most 1,000. */
  readonly waiting: number;
  /** Conversations that this server has open, with the agents' programs. */
  readonly conversations: number;
}
