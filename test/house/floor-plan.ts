/**
 * The floor plan: where each room lies, and on which floor it stands. Code imports only downwards.
 *
 * Change the plan when the plan is wrong, in a commit of its own with an ADR.
 */

export interface Room {
  /** The path below the root of the repository; a single file can be a room too. */
  readonly folder: string;
  readonly floor: number;
  /** The rooms that this room may use; if left out, it may use all rooms on lower floors. */
  readonly only?: readonly string[];
  /** The code uses no `node:*`, clock, randomness or network, so it runs in a browser and with the clock of a test. */
  readonly pure?: true;
}

/** The rooms that every room above may use. */
const BELOW = ["model", "transcript", "store", "wire", "files"] as const;

export const FLOOR_PLAN: Readonly<Record<string, Room>> = {
  model: { folder: "packages/core/src/model", floor: 0, pure: true },
  wire: { folder: "packages/core/src/wire", floor: 1, pure: true },
  transcript: { folder: "packages/core/src/transcript", floor: 1, pure: true },
  files: { folder: "packages/files/src", floor: 1 },
  store: { folder: "packages/store/src/store", floor: 2, only: ["model", "files"] },
  core: { folder: "packages/core/src", floor: 2 },
  native: { folder: "packages/native/src/native", floor: 2, only: ["model", "transcript", "wire", "files"] },
  "model-agent": {
    folder: "packages/agents/src/model-agent",
    floor: 2,
    only: ["model", "transcript", "wire", "files"],
  },
  client: { folder: "packages/core/src/client", floor: 2, only: ["model", "wire", "transcript"] },
  drivers: { folder: "packages/agents/src/drivers", floor: 3, only: [...BELOW, "native"] },
  editing: { folder: "packages/native/src/editing", floor: 3, only: [...BELOW, "native"] },
  sessions: { folder: "packages/store/src/sessions", floor: 3, only: [...BELOW] },
  channels: { folder: "packages/store/src/channels", floor: 3, only: [...BELOW] },
  adapters: { folder: "packages/store/src/adapters", floor: 4, only: [...BELOW, "sessions"] },
  handoff: {
    folder: "packages/agents/src/handoff",
    floor: 4,
    only: [...BELOW, "native", "editing", "drivers"],
  },
  "index-file": { folder: "packages/native/src/index-file", floor: 4, only: [...BELOW, "native"] },
  config: { folder: "packages/agents/src/config", floor: 4, only: [...BELOW, "drivers"] },
  live: { folder: "packages/live/src", floor: 4, only: [...BELOW, "sessions", "channels"] },
  catalog: {
    folder: "packages/agents/src/catalog",
    floor: 5,
    only: [...BELOW, "native", "editing", "index-file", "drivers", "sessions"],
  },
  conversations: {
    folder: "packages/agents/src/conversations",
    floor: 6,
    only: [
      ...BELOW,
      ...["native", "editing", "catalog", "handoff", "sessions", "drivers", "config", "model-agent"],
    ],
  },
  pages: { folder: "packages/agents/src/pages", floor: 6, only: [...BELOW, "catalog"] },
  search: { folder: "packages/agents/src/search", floor: 6, only: [...BELOW, "catalog", "index-file"] },
  ahp: { folder: "packages/server/src/ahp", floor: 6, only: [...BELOW] },
  server: {
    folder: "packages/server/src/server",
    floor: 7,
    only: [...BELOW, "ahp", "conversations", "search", "catalog", "channels", "live", "sessions"],
  },
  mcp: { folder: "packages/server/src/mcp", floor: 7, only: [...BELOW, "search", "catalog", "handoff"] },
  machine: {
    folder: "packages/server/src/machine",
    floor: 7,
    only: [
      ...BELOW,
      ...[
        "native",
        "editing",
        "sessions",
        "handoff",
        "index-file",
        "catalog",
        "search",
        "conversations",
        "pages",
      ],
    ],
  },
  gateway: {
    folder: "src/gateway",
    floor: 7,
    only: [...BELOW, "native", "editing", "catalog", "conversations", "drivers"],
  },
  runtime: {
    folder: "packages/server/src/runtime",
    floor: 8,
    only: [
      ...BELOW,
      ...["client", "native", "sessions", "channels", "drivers", "handoff", "model-agent"],
      ...["catalog", "pages", "server"],
    ],
  },
  langgraph: { folder: "packages/langgraph/src", floor: 9, only: [...BELOW, "adapters"] },
  "claude-agent-sdk": {
    folder: "packages/claude-agent-sdk/src",
    floor: 9,
    only: [...BELOW, "native", "adapters"],
  },
  "openai-agents": { folder: "packages/openai-agents/src", floor: 9, only: [...BELOW, "adapters"] },
  "ai-sdk": { folder: "packages/ai-sdk/src", floor: 9, only: ["model", "wire", "client"] },
  tanstack: { folder: "packages/tanstack/src", floor: 9, only: [...BELOW, "adapters"] },
  mastra: { folder: "packages/mastra/src", floor: 9, only: [...BELOW, "adapters"] },
  "ag-ui": { folder: "packages/ag-ui/src", floor: 9, only: ["model", "wire", "runtime"] },
  cli: { folder: "src/cli", floor: 9 },
  testing: { folder: "packages/store/src/testing", floor: 9 },
  agents: { folder: "packages/agents/src", floor: 9 },
  "former-names": { folder: "src/former-names", floor: 10 },
  "index.ts": { folder: "src/index.ts", floor: 11 },
};

/** Packages that take long to load. Code loads them when it needs them; no static import from `LIGHT_ENTRIES` may. */
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
export const LIGHT_ENTRIES: readonly string[] = [
  "cli/main.ts",
  "index.ts",
  "agents/index.ts",
  "store/index.ts",
];

/** The files that may read `process.env` and `process.argv`. */
export const ENVIRONMENT_READERS: readonly RegExp[] = [/^cli\//u, /^(files|store)\/environment\.ts$/u];
