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

/** What every room above may use. */
const BELOW = ["model", "transcript", "store", "wire", "files"] as const;

export const FLOOR_PLAN: Readonly<Record<string, Room>> = {
  model: { floor: 0, pure: true },
  wire: { floor: 1, pure: true },
  transcript: { floor: 1, pure: true },
  files: { floor: 1 },
  store: { floor: 2, only: ["model", "files"] },
  native: { floor: 2, only: ["model", "transcript", "wire", "files"] },
  "model-agent": { floor: 2, only: ["model", "transcript", "wire", "files"] },
  client: { floor: 2, only: ["model", "wire", "transcript"] },
  drivers: { floor: 3, only: [...BELOW, "native"] },
  editing: { floor: 3, only: [...BELOW, "native"] },
  sessions: { floor: 3, only: [...BELOW] },
  channels: { floor: 3, only: [...BELOW] },
  handoff: { floor: 4, only: [...BELOW, "native", "editing", "drivers"] },
  "index-file": { floor: 4, only: [...BELOW, "native"] },
  config: { floor: 4, only: [...BELOW, "drivers"] },
  live: { floor: 4, only: [...BELOW, "sessions", "channels"] },
  catalog: { floor: 5, only: [...BELOW, "native", "editing", "index-file", "drivers", "sessions"] },
  conversations: {
    floor: 6,
    only: [...BELOW, "native", "editing", "catalog", "handoff", "sessions", "drivers", "config"],
  },
  search: { floor: 6, only: [...BELOW, "catalog", "index-file"] },
  server: {
    floor: 7,
    only: [...BELOW, "conversations", "search", "catalog", "channels", "live", "sessions"],
  },
  mcp: { floor: 7, only: [...BELOW, "search", "catalog", "handoff"] },
  machine: {
    floor: 7,
    only: [
      ...BELOW,
      ...["native", "editing", "sessions", "handoff", "index-file", "catalog", "search", "conversations"],
    ],
  },
  cli: { floor: 8 },
  testing: { floor: 8 },
  "agents.ts": { floor: 8 },
  "index.ts": { floor: 9 },
};

/** Packages that cost a start-up; only what needs them may load them, so never from here by a static import. */
export const HEAVY_PACKAGES: readonly string[] = [
  "pg",
  "kysely",
  "hono",
  "@hono/node-server",
  "ws",
  "@agentclientprotocol/sdk",
  "@modelcontextprotocol/server",
  "@opentelemetry/sdk-metrics",
  "@opentelemetry/exporter-metrics-otlp-http",
  "node:sqlite",
  "yaml",
  "zod",
];

/** The entries from which no heavy package may be reached by static imports. */
export const LIGHT_ENTRIES: readonly string[] = ["cli/main.ts", "index.ts", "agents.ts", "store/index.ts"];

/** The files that may read `process.env` and `process.argv`. */
export const ENVIRONMENT_READERS: readonly RegExp[] = [/^cli\//u, /^(files|store)\/environment\.ts$/u];
