/** `GET /v1/machine/health`: what happens in the store of Continuo's own sessions. */

export interface HealthRun {
  readonly key: string;
  readonly title: string | null;
  readonly agent: string | null;
  readonly startedAt: string | null;
  /** `nobody`: its process has ended, and the next prompt in its session ends it. */
  readonly runner: "this server" | "another process" | "nobody";
  /** When its lease ends unless it is renewed. */
  readonly leaseUntil: string | null;
}

export interface MachineHealth {
  /** `null` where there is no store yet. Counts are of all workspaces. */
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
  /** Turns that run, oldest first, at most 100. */
  readonly running: readonly HealthRun[];
  /** Prompts that wait for their turn, at most 1,000. */
  readonly waiting: number;
  /** Conversations that this server has open, with the agents' programs. */
  readonly conversations: number;
}
