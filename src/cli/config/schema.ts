/** What a `continuo.yaml` may say: its keys, their values, and what they mean. */

import { z } from "zod";

/** A name that can stand before an id (`NAME:ID`), in a file's name and in a log's id. */
const AGENT_NAME = /^[a-z][a-z0-9-]{0,39}$/u;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/u;
const MAX_ARGS = 100;
const MAX_AGENTS = 100;
const MAX_TEXT_CHARS = 10_000;
const MAX_TIME_MS = 24 * 60 * 60 * 1000;

const POLICIES = ["ask", "safe", "unrestricted"] as const;

export interface FileSession {
  readonly resume_id?: "auto" | "load" | "resume" | undefined;
  readonly continue_last?: "auto" | "list" | "agent" | undefined;
  readonly on_missing?: "error" | "replay" | "new" | undefined;
}

export interface FilePermissions {
  readonly policy?: (typeof POLICIES)[number] | undefined;
  readonly timeout_ms?: number | undefined;
}

export interface FileBudget {
  readonly max_tokens?: number | undefined;
  readonly max_cost_usd?: number | undefined;
  readonly max_tool_calls?: number | undefined;
  readonly max_duration_ms?: number | undefined;
}

export interface FileAgent {
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string | null>> | undefined;
  readonly model?: string | undefined;
  readonly transport?: "native" | "acp" | undefined;
  readonly session?: FileSession | undefined;
  readonly permissions?: FilePermissions | (typeof POLICIES)[number] | undefined;
  readonly budget?: FileBudget | undefined;
}

export interface FileContent {
  readonly agent?: string | undefined;
  readonly continuation?: "auto" | "native" | "replay" | false | undefined;
  readonly agents?: Readonly<Record<string, FileAgent>> | undefined;
}

const text = z.string().min(1).max(MAX_TEXT_CHARS);
const count = z.int().min(1);
const timeMs = z.int().min(1).max(MAX_TIME_MS);

const session = z.strictObject({
  resume_id: z
    .enum(["auto", "load", "resume"])
    .optional()
    .describe(
      "How a session is gone on with by its id, in an agent that speaks ACP: load tells its history, resume does not; the other one where the agent does not offer it. auto: load where Continuo does not have the history yet, else resume.",
    ),
  continue_last: z
    .enum(["auto", "list", "agent"])
    .optional()
    .describe(
      "Which session --continue takes: list, the newest of the folder's list; agent, whichever the agent itself takes, else the newest of its list. auto: list, and agent where there is no list.",
    ),
  on_missing: z
    .enum(["error", "replay", "new"])
    .optional()
    .describe(
      "When the session cannot be gone on with: error; replay, its history is read from disk and sent anew; new, begin without it.",
    ),
});

const permissions = z.union([
  z.enum(POLICIES),
  z.strictObject({
    policy: z.enum(POLICIES).optional().describe("ask: you; safe: only what reads; unrestricted: all."),
    timeout_ms: timeMs.optional().describe("A question that is not answered in this time is denied."),
  }),
]);

const budget = z.strictObject({
  max_tokens: count.optional().describe("Tokens, of input and output together."),
  max_cost_usd: z.number().positive().optional().describe("Dollars, where the agent tells its costs."),
  max_tool_calls: count.optional().describe("Calls of tools."),
  max_duration_ms: count.optional().describe("Milliseconds that the turn takes."),
});

const agent = z.strictObject({
  command: text
    .optional()
    .describe(
      "The program: a name on the search path, or a path, relative to this file. Left out: the agent's own name.",
    ),
  args: z
    .array(z.string().max(MAX_TEXT_CHARS))
    .max(MAX_ARGS)
    .optional()
    .describe("What stands behind the command, before what Continuo adds."),
  env: z
    .record(z.string().regex(VARIABLE_NAME), z.string().max(MAX_TEXT_CHARS).nullable())
    .optional()
    .describe("Variables of the agent's environment; null takes one away."),
  model: text
    // It becomes an argument of the agent's program, and must not be taken for a flag.
    .regex(/^[^-]/u)
    .optional()
    .describe("The model, as the agent calls it. Left out: the agent's own choice."),
  transport: z
    .enum(["native", "acp"])
    .optional()
    .describe(
      "native: the agent's own protocol; acp: the Agent Client Protocol. Left out: what serves this agent best.",
    ),
  session: session.optional().describe("How sessions are gone on with."),
  permissions: permissions
    .optional()
    .describe("What the agent may do: a policy, or a policy and a time limit."),
  budget: budget.optional().describe("What one turn may use at most; what would go beyond ends it."),
});

/** One file, as it is written. */
export const FILE_SCHEMA: z.ZodType<FileContent> = z.strictObject({
  agent: z
    .string()
    .regex(AGENT_NAME)
    .optional()
    .describe("The agent of `continuo chat` and `continuo repl` where none is named."),
  continuation: z
    .literal(["auto", "native", "replay", false])
    .optional()
    .describe(
      "How an agent gets what was said before. native: its own session; replay: the messages anew; auto: native where that can be, else replay; false: not at all.",
    ),
  agents: z
    .record(z.string().regex(AGENT_NAME), agent)
    .refine((agents) => Object.keys(agents).length <= MAX_AGENTS, `at most ${MAX_AGENTS} agents`)
    .optional()
    .describe(
      "By name: claude, codex, gemini, pi, opencode, or any other agent that speaks ACP, with its command.",
    ),
});
