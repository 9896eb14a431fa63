/** The schema of `continuo.yaml`: its keys, their values, and their meaning. */

import { AGENT_NAMES } from "@continuo/core/model";
import { z } from "zod";
import { blobs, type FileBlobs } from "./blobs-schema.ts";
import { type FileMcp, MAX_TEXT_CHARS, mcp, VARIABLE_NAME } from "./mcp-schema.ts";
import { type FileServerLimits, SERVER_LIMIT_KEYS } from "./server-limits.ts";

/** A name that can be used before an id (`NAME:ID`), in the name of a file and in the id of a log. */
const AGENT_NAME = /^[a-z][a-z0-9-]{0,39}$/u;
const MAX_ARGS = 100;
const MAX_AGENTS = 100;
const MAX_PATTERNS = 1_000;
const MAX_PRICES = 1_000;
const MAX_PRICE = 1_000_000;
const MAX_TIME_MS = 24 * 60 * 60 * 1000;

const POLICIES = ["ask", "safe", "unrestricted"] as const;

export interface FileSession {
  readonly resume_id?: "auto" | "load" | "resume" | undefined;
  readonly continue_last?: "auto" | "list" | "agent" | undefined;
  readonly on_missing?: "error" | "replay" | "new" | undefined;
  readonly always_continue?: boolean | undefined;
}

export interface FileContext {
  readonly limit?: number | undefined;
  readonly max_messages?: number | undefined;
  readonly max_chars?: number | undefined;
  readonly max_tokens_approx?: number | undefined;
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
  readonly protocol?: 1 | 2 | undefined;
  readonly session?: FileSession | undefined;
  readonly permissions?: FilePermissions | (typeof POLICIES)[number] | undefined;
  readonly budget?: FileBudget | undefined;
  readonly context?: FileContext | undefined;
}

/** The price of a million tokens in USD. */
export interface FilePrice {
  readonly input: number;
  readonly output: number;
  readonly cache_read?: number | undefined;
  readonly cache_write?: number | undefined;
}

export interface FileEndpoint {
  readonly url: string;
  readonly model: string;
  readonly api_key_env?: string | undefined;
}

export type FileNoteWriter =
  | { readonly url: string; readonly model: string; readonly key_env?: string | undefined }
  | { readonly anthropic: string; readonly key_env?: string | undefined };

export interface FileLive {
  readonly adaptive_batching?: boolean | undefined;
  readonly backpressure?: boolean | undefined;
  readonly replay_nightly?: boolean | undefined;
  readonly note_writer?: string | FileNoteWriter | undefined;
  readonly embedder?: (FileEndpoint & { readonly threshold?: number | undefined }) | undefined;
  readonly transcriber?: FileEndpoint | undefined;
  readonly keep_audio?: boolean | undefined;
  readonly frames?:
    | { readonly full_days?: number | undefined; readonly thumbnail_days?: number | undefined }
    | undefined;
  readonly budget?: Pick<FileBudget, "max_tokens" | "max_cost_usd"> | undefined;
  readonly notes?:
    | {
        readonly overlap?: number | undefined;
        readonly similarity?: number | undefined;
        readonly confidence?: number | undefined;
        readonly open_questions?: number | undefined;
        readonly question_tokens?: number | undefined;
      }
    | undefined;
  readonly levels?:
    | {
        readonly normal?: number | undefined;
        readonly warning?: number | undefined;
        readonly critical?: number | undefined;
      }
    | undefined;
}

/** A model at an OpenAI-compatible endpoint, or a model of Anthropic. */
export type FileModel = FileModelOptions &
  (
    | { readonly url: string; readonly model: string }
    | { readonly anthropic: string; readonly url?: string | undefined }
  );

interface FileModelOptions {
  readonly key_env?: string | undefined;
  readonly window?: number | undefined;
  readonly instructions?: string | undefined;
}

export interface FileContent {
  readonly env?: "pass" | "deny" | undefined;
  readonly agent?: string | undefined;
  readonly continuation?: "auto" | "native" | "replay" | false | undefined;
  readonly always_continue?: boolean | undefined;
  readonly context?: FileContext | undefined;
  readonly agents?: Readonly<Record<string, FileAgent>> | undefined;
  readonly models?: Readonly<Record<string, FileModel>> | undefined;
  readonly prices?: Readonly<Record<string, FilePrice>> | undefined;
  readonly index?:
    | { readonly exclude?: readonly string[] | undefined; readonly background?: boolean | undefined }
    | undefined;
  readonly server?: { readonly limits?: FileServerLimits | undefined } | undefined;
  readonly live?: FileLive | undefined;
  readonly mcp?: FileMcp | undefined;
  readonly updates?: { readonly feed?: string | undefined } | undefined;
  readonly blobs?: FileBlobs | undefined;
}

const text = z.string().min(1).max(MAX_TEXT_CHARS);
const count = z.int().min(1);
const timeMs = z.int().min(1).max(MAX_TIME_MS);

const usd = z.number().min(0).max(MAX_PRICE);

const price = z.strictObject({
  input: usd.describe("Input that was not in the cache."),
  output: usd.describe("Output, reasoning included."),
  cache_read: usd.optional().describe("Input that was in the cache; the price of `input` if left out."),
  cache_write: usd
    .optional()
    .describe("Input that was written to the cache; the price of `input` if left out."),
});

const session = z.strictObject({
  resume_id: z
    .enum(["auto", "load", "resume"])
    .optional()
    .describe(
      "How to continue a session by its id in an ACP agent: load sends the history to Continuo, resume does not. If the agent offers only one of the two, Continuo uses that one. auto: load if Continuo does not have the history yet, else resume.",
    ),
  continue_last: z
    .enum(["auto", "list", "agent"])
    .optional()
    .describe(
      "Which session --continue continues. list: the newest session in the list of the folder; agent: the one that the agent chooses, else the newest in the list; auto: list, or agent if there is no list.",
    ),
  on_missing: z
    .enum(["error", "replay", "new"])
    .optional()
    .describe(
      "What to do if the session cannot be continued. error: fail; replay: read its history from disk and send it again; new: start without it.",
    ),
  always_continue: z
    .boolean()
    .optional()
    .describe(
      "true: chat and repl continue the newest session of the folder in which this agent took part, without --continue. Default: the value of always_continue for all agents.",
    ),
});

const context = z.strictObject({
  limit: count.optional().describe("How many events of the session are read: the newest ones."),
  max_messages: count.optional().describe("Messages."),
  max_chars: count.optional().describe("Characters."),
  max_tokens_approx: count
    .optional()
    .describe("Tokens: four characters each, or, for a model, the estimate for its text."),
});

const permissions = z.union([
  z.enum(POLICIES),
  z.strictObject({
    policy: z
      .enum(POLICIES)
      .optional()
      .describe("ask: ask you; safe: permit only reading; unrestricted: permit everything."),
    timeout_ms: timeMs.optional().describe("The time after which an unanswered question is denied."),
  }),
]);

const budget = z.strictObject({
  max_tokens: count.optional().describe("Tokens of input and output together."),
  max_cost_usd: z.number().positive().optional().describe("US dollars, if the agent reports its costs."),
  max_tool_calls: count.optional().describe("Tool calls."),
  max_duration_ms: count.optional().describe("Duration of the turn in milliseconds."),
});

const agent = z.strictObject({
  command: text
    .optional()
    .describe(
      "The program: a name on the search path, or a path relative to this file. Default: the name of the agent.",
    ),
  args: z
    .array(z.string().max(MAX_TEXT_CHARS))
    .max(MAX_ARGS)
    .optional()
    .describe("The first arguments of the program; Continuo appends its own."),
  env: z
    .record(z.string().regex(VARIABLE_NAME), z.string().max(MAX_TEXT_CHARS).nullable())
    .optional()
    .describe("Variables of the agent's environment; null removes one."),
  model: text
    // The value becomes an argument of the agent's program, and must not look like a flag.
    .regex(/^[^-]/u)
    .optional()
    .describe("The model, as the agent names it. Default: the agent's choice."),
  transport: z
    .enum(["native", "acp"])
    .optional()
    .describe(
      "native: the agent's own protocol; acp: the Agent Client Protocol. Default: the better one for this agent.",
    ),
  protocol: z
    .literal([1, 2])
    .optional()
    .describe(
      "The version of the Agent Client Protocol that Continuo asks an ACP agent for; the agent may answer with the other one. Default: 1.",
    ),
  session: session.optional().describe("How to continue sessions."),
  permissions: permissions
    .optional()
    .describe("What the agent may do: a policy, or a policy with a time limit for questions."),
  budget: budget.optional().describe("What one turn may use; Continuo cancels a turn that exceeds a limit."),
  context: context
    .optional()
    .describe("The most that the agent receives of the earlier messages when they are sent again."),
});

const serverLimits = z.strictObject(
  Object.fromEntries(
    Object.entries(SERVER_LIMIT_KEYS).map(([key, { from, to, says }]) => [
      key,
      z.int().min(from).max(to).optional().describe(says),
    ]),
  ),
);

const endpoint = {
  url: z
    .url({ protocol: /^https?$/u })
    .max(MAX_TEXT_CHARS)
    .describe("The address with the version of the API, such as https://api.openai.com/v1."),
  model: text.describe("The model, as the endpoint names it."),
  api_key_env: z
    .string()
    .regex(VARIABLE_NAME)
    .optional()
    .describe("The environment variable of `continuo serve` that has the key."),
};

const days = z.number().min(0.01).max(36_500);

const share = z.number().min(0).max(1);
const whole = z.int().min(0);

const modelOptions = {
  key_env: endpoint.api_key_env,
  window: z
    .int()
    .min(1_000)
    .max(100_000_000)
    .optional()
    .describe(
      "How many tokens the model can read at once. Default: the value that the server reports, or the known value for the model's name, otherwise 128,000. The conversation may use three quarters of them; if it is longer, its oldest messages are left out.",
    ),
  instructions: z.string().max(MAX_TEXT_CHARS).optional().describe("The system prompt of the model."),
};

const model = z.union([
  z.strictObject({ url: endpoint.url, model: endpoint.model, ...modelOptions }),
  z.strictObject({
    anthropic: text.describe("The model of Anthropic."),
    url: endpoint.url.optional().describe("Another endpoint with the API of Anthropic."),
    ...modelOptions,
  }),
]);

const live = z.strictObject({
  adaptive_batching: z
    .boolean()
    .optional()
    .describe(
      "Whether the window of a batch is 2, 4 or 6 s, depending on the rate of the input; false: always 4 s.",
    ),
  backpressure: z.boolean().optional().describe("Whether levels are recorded and sent to clients."),
  replay_nightly: z
    .boolean()
    .optional()
    .describe("Whether one server replays the sessions of the last day every night. Default: true."),
  note_writer: z
    .union([
      z.string().regex(AGENT_NAME),
      z.strictObject({ url: endpoint.url, model: endpoint.model, key_env: endpoint.api_key_env }),
      z.strictObject({
        anthropic: text.describe("The model of Anthropic."),
        key_env: endpoint.api_key_env,
      }),
    ])
    .optional()
    .describe(
      "What writes notes: an agent, an OpenAI-compatible endpoint, or a model of Anthropic. Default: none; then the most informative sentences become notes.",
    ),
  embedder: z
    .strictObject({
      ...endpoint,
      threshold: z
        .number()
        .min(0)
        .max(1)
        .optional()
        .describe("The cosine from which two notes count as the same. Default: 0.8."),
    })
    .optional()
    .describe(
      "An OpenAI-compatible endpoint whose embeddings compare notes. Default: none; then words are compared.",
    ),
  transcriber: z
    .strictObject(endpoint)
    .optional()
    .describe("An OpenAI-compatible endpoint that makes transcripts of audio. Default: none."),
  keep_audio: z.boolean().optional().describe("Whether audio is kept after its transcript was made."),
  frames: z
    .strictObject({
      full_days: days.optional().describe("How long the pictures of frames are kept. Default: 7 days."),
      thumbnail_days: days.optional().describe("How long their thumbnails are kept. Default: 30 days."),
    })
    .optional()
    .describe("How long pictures are kept. Their hashes and embeddings are not removed."),
  budget: budget
    .pick({ max_tokens: true, max_cost_usd: true })
    .optional()
    .describe("What one continuous session may use; after that, no model is called."),
  notes: z
    .strictObject({
      overlap: share
        .optional()
        .describe(
          "The overlap, as a share of the shorter span, from which two notes are at the same place. Default: 0.5.",
        ),
      similarity: share
        .optional()
        .describe("The cosine from which two notes count as the same. Default: that of the embedder."),
      confidence: share
        .optional()
        .describe("A person is asked about drafts below this confidence. Default: 0.6."),
      open_questions: whole
        .optional()
        .describe(
          "How many questions to a person can be open at once in a session. Default: 20; 0 for none.",
        ),
      question_tokens: whole
        .optional()
        .describe(
          "How many tokens of further evidence the note writer gets before a person is asked. Default: 4,000.",
        ),
    })
    .optional()
    .describe("When drafts become notes."),
  levels: z
    .strictObject({
      normal: count.optional().describe("The depth below which the level is normal again. Default: 25."),
      warning: count.optional().describe("The depth from which the level is warning. Default: 50."),
      critical: count.optional().describe("The depth from which the level is critical. Default: 100."),
    })
    .optional()
    .describe(
      "The depths at which levels change: the number of pieces of evidence that wait for their notes.",
    ),
});

/** The content of one file. */
export const FILE_SCHEMA: z.ZodType<FileContent> = z.strictObject({
  env: z
    .literal(["pass", "deny"])
    .optional()
    .describe(
      "Which environment variables agents inherit. pass: all; deny: only those on a list of variables that programs and agents need. Default: pass in a folder that you trust, deny elsewhere.",
    ),
  agent: z
    .string()
    .regex(AGENT_NAME)
    .optional()
    .describe("The default agent of `continuo chat` and `continuo repl`."),
  continuation: z
    .literal(["auto", "native", "replay", false])
    .optional()
    .describe(
      "How an agent receives the earlier messages. native: in its own session; replay: sent again; auto: native if possible, else replay; false: not at all.",
    ),
  always_continue: z
    .boolean()
    .optional()
    .describe(
      "true: chat and repl continue the newest session of the folder in which their agent took part, without --continue; --new begins a new one. Default: false.",
    ),
  context: context.optional().describe("The same as context of an agent, for every agent."),
  agents: z
    .record(z.string().regex(AGENT_NAME), agent)
    .refine((agents) => Object.keys(agents).length <= MAX_AGENTS, `at most ${MAX_AGENTS} agents`)
    .optional()
    .describe(`The agents by name: ${AGENT_NAMES.join(", ")}, or any other ACP agent with its command.`),
  models: z
    .record(z.string().regex(AGENT_NAME), model)
    .refine((models) => Object.keys(models).length <= MAX_AGENTS, `at most ${MAX_AGENTS} models`)
    .optional()
    .describe(
      "Models that Continuo calls itself, by name: each is an agent without tools, and can write notes. Only in the file in CONTINUO_HOME.",
    ),
  prices: z
    .record(text, price)
    .refine((prices) => Object.keys(prices).length <= MAX_PRICES, `at most ${MAX_PRICES} models`)
    .optional()
    .describe(
      "What calls of a model cost, in USD for a million tokens, for `continuo stats` and `session info`: by the name of the model. A price here replaces the list price. Only in the file in CONTINUO_HOME.",
    ),
  index: z
    .strictObject({
      exclude: z
        .array(text)
        .max(MAX_PATTERNS)
        .optional()
        .describe(
          "Sessions whose text is not indexed: patterns for the project folder or the file of a session, or a folder above it. * is any text without a slash, ** any text, ~ your home folder.",
        ),
      background: z
        .boolean()
        .optional()
        .describe(
          "Whether commands that read sessions start a background process that indexes them. Default: true.",
        ),
    })
    .optional()
    .describe("What `continuo search` may find. Only in the file in CONTINUO_HOME."),
  server: z
    .strictObject({
      limits: serverLimits
        .optional()
        .describe("What clients may use; `continuo serve --limit` overrides it. Defaults: docs/server.md."),
    })
    .optional()
    .describe("How `continuo serve` works. Only in the file in CONTINUO_HOME."),
  live: live
    .optional()
    .describe("How `continuo serve` runs continuous sessions. Only in the file in CONTINUO_HOME."),
  mcp: mcp
    .optional()
    .describe("MCP servers for agents, and the tools of `continuo mcp`. Only in the file in CONTINUO_HOME."),
  updates: z
    .strictObject({
      feed: z
        .url({ protocol: /^https?$/u })
        .max(MAX_TEXT_CHARS)
        .optional()
        .describe(
          "The address of the changelog of the releases, which `continuo update` reads. Default: none; then no address is requested.",
        ),
    })
    .optional()
    .describe("Where `continuo update` looks for newer releases. Only in the file in CONTINUO_HOME."),
  blobs: blobs
    .optional()
    .describe(
      "Where large blobs of the store are kept. Default: files next to a SQLite database, rows of Postgres. Only in the file in CONTINUO_HOME.",
    ),
});
