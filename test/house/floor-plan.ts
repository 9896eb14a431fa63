/**
 * The floor plan: which folder of `src/` stands on which floor. Code imports downwards alone.
 *
 * Change the plan when the plan is wrong, in a commit of its own with an ADR.
 */

export interface Room {
  readonly floor: number;
  /** Where a room may use less than every floor below it. */
  readonly only?: readonly string[];
  /** No `node:*`, no clock, no randomness, no network: runs in a browser and under a test's clock. */
  readonly pure?: true;
}

export const FLOOR_PLAN: Readonly<Record<string, Room>> = {
  model: { floor: 0, pure: true },
  wire: { floor: 1, pure: true },
  transcript: { floor: 1, pure: true },
  store: { floor: 1 },
  agents: { floor: 2 },
  client: { floor: 2, only: ["model", "wire", "transcript"] },
  sessions: { floor: 3 },
  channels: { floor: 3 },
  live: { floor: 4 },
  server: { floor: 5 },
  cli: { floor: 6 },
  testing: { floor: 6 },
  "index.ts": { floor: 6 },
};

/** Packages that cost a start-up; only what needs them may load them, so never from here by a static import. */
export const HEAVY_PACKAGES: readonly string[] = [
  "pg",
  "kysely",
  "hono",
  "@agentclientprotocol/sdk",
  "node:sqlite",
  "yaml",
  "zod",
];

/** The entries from which no heavy package may be reached by static imports. */
export const LIGHT_ENTRIES: readonly string[] = [
  "cli/main.ts",
  "index.ts",
  "agents/index.ts",
  "store/index.ts",
];

/** The files that may read `process.env` and `process.argv`. */
export const ENVIRONMENT_READERS: readonly RegExp[] = [
  /^cli\//u,
  /^(agents\/lookup|store)\/environment\.ts$/u,
];
