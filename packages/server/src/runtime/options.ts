/**
 * The options of the calls of the front door; any other option is refused (`usage`). The compiler checks that the
 * tables are complete.
 */

import {
  assertChoice,
  assertKnownOptions,
  assertNumbers,
  ContinuoError,
  type KnownOptions,
} from "@continuo/core/model";
import type { ApprovalAnswer, ListApprovalsOptions } from "./approval-types.ts";
import type { ChatEventsOptions } from "./chat.ts";
import type { IncludedTypes } from "./define-event.ts";
import type {
  AppendOptions,
  Continuo,
  ContinuoOptions,
  EventsOptions,
  HandlerOptions,
  IncludeOptions,
  ListDeadLettersOptions,
  ReplayOptions,
  ResumeChatOptions,
  RetryOptions,
  SendOptions,
  SessionHandle,
  SessionOptions,
  StopOptions,
  WorkOptions,
} from "./types.ts";

type CloseOptions = NonNullable<Parameters<Continuo["close"]>[0]>;

const OPEN_OPTIONS: KnownOptions<ContinuoOptions> = {
  agents: true,
  recover: true,
  work: true,
  parallel: true,
  retry: true,
  approvalMs: true,
  pollMs: true,
  leaseMs: true,
  store: true,
  onError: true,
  failureText: true,
};

const RETRY_OPTIONS: KnownOptions<RetryOptions> = { attempts: true, backoffMs: true, on: true };

export const SESSION_OPTIONS: KnownOptions<SessionOptions> = {
  create: true,
  metadata: true,
  title: true,
  cwd: true,
  forkedFrom: true,
};

export const SEND_OPTIONS: KnownOptions<SendOptions> = {
  id: true,
  again: true,
  agent: true,
  runAt: true,
  priority: true,
};

const EVENT_OPTIONS: KnownOptions<EventsOptions> = { after: true, signal: true, include: true };
export const INCLUDE_OPTIONS: KnownOptions<IncludeOptions> = { include: true };
export const APPEND_OPTIONS: KnownOptions<AppendOptions> = { id: true, runId: true };

type PageOptions = NonNullable<Parameters<SessionHandle["toHtml"]>[0]>;
export const PAGE_OPTIONS: KnownOptions<PageOptions> = { view: true, forReaders: true, maskSecrets: true };

type MessagesOptions = NonNullable<Parameters<SessionHandle["messages"]>[0]>;
export const MESSAGES_OPTIONS: KnownOptions<MessagesOptions> = { forReaders: true };

export const RESUME_OPTIONS: KnownOptions<ResumeChatOptions> = { open: true, signal: true };

export const CHAT_EVENTS_OPTIONS: KnownOptions<ChatEventsOptions> = { limit: true, signal: true };

export const STOP_OPTIONS: KnownOptions<StopOptions> = { open: true, reason: true };

const WORK_OPTIONS: KnownOptions<WorkOptions> = { agents: true, parallel: true, signal: true };

export const CLOSE_OPTIONS: KnownOptions<CloseOptions> = { graceMs: true };

export const HANDLER_OPTIONS: KnownOptions<HandlerOptions> = {
  authorize: true,
  origins: true,
  limits: true,
  live: true,
};

export const LIMIT_OPTIONS: KnownOptions<NonNullable<HandlerOptions["limits"]>> = {
  requestsPerSecond: true,
  connections: true,
  channels: true,
  requestBytes: true,
  frameBytes: true,
  blobBytes: true,
  bytesPerSecond: true,
  bytesPerDay: true,
  blobBytesPerDay: true,
  logsPerDay: true,
  openMessages: true,
  sessionStreams: true,
  historyItems: true,
};

/** The tables in it are checked with the first request, which loads the server. */
export const LIVE_OPTIONS: KnownOptions<NonNullable<HandlerOptions["live"]>> = {
  clock: true,
  noteWriters: true,
  writerOffers: true,
  embedder: true,
  budget: true,
  transcriber: true,
  keepAudio: true,
  frameDays: true,
  adaptiveBatching: true,
  backpressure: true,
  rules: true,
  levels: true,
  replayNightly: true,
  serverName: true,
  kind: true,
  role: true,
};

const REPLAY_OPTIONS: KnownOptions<ReplayOptions> = {
  agent: true,
  runs: true,
  tools: true,
  keep: true,
  onLeftOut: true,
  signal: true,
};

export const DEAD_LETTER_FILTERS: KnownOptions<ListDeadLettersOptions> = { metadata: true };

const APPROVAL_FILTERS: KnownOptions<ListApprovalsOptions> = {
  status: true,
  sessionId: true,
  metadata: true,
  filter: true,
};

export const APPROVAL_ANSWER: KnownOptions<ApprovalAnswer> = {
  outcome: true,
  by: true,
  reason: true,
  optionId: true,
};

const LEAST = { parallel: 1, approvalMs: 0, pollMs: 1, leaseMs: 1 } as const;

/** Errors: `usage`. */
export function assertOpenOptions(options: ContinuoOptions): void {
  assertKnownOptions("openContinuo", options, OPEN_OPTIONS);
  const { agents, recover, retry = {} } = options;
  if (agents !== undefined && !Array.isArray(agents)) {
    throw new ContinuoError("usage", "agents must be an array", { hint: "Write `agents: [agent]`." });
  }
  assertChoice("recover", recover, ["retry", "end"]);
  assertNumbers(options, LEAST);
  assertKnownOptions("retry", retry, RETRY_OPTIONS);
  assertNumbers(retry, { attempts: 1, backoffMs: 0 });
  for (const end of retry.on ?? []) assertChoice("retry.on", end, ["interrupted", "failed", "timeout"]);
}

/** Errors: `usage`. */
export function assertEventsOptions(call: string, options: EventsOptions<IncludedTypes>): void {
  assertKnownOptions(call, options, EVENT_OPTIONS);
  const { include = [] } = options;
  if (Array.isArray(include) && include.every((one: unknown) => isDefinedEvent(one))) return;
  throw new ContinuoError("usage", "`include` must be an array of types that `defineEvent` returned", {
    hint: "Give what `defineEvent` returned, such as `include: [placed]`.",
    hintFor: "program",
  });
}

function isDefinedEvent(value: unknown): boolean {
  return typeof value === "object" && value !== null && "types" in value && "read" in value;
}

/** Errors: `usage`. */
export function assertWorkOptions(options: WorkOptions): void {
  assertKnownOptions("work", options, WORK_OPTIONS);
  assertNumbers(options, { parallel: 1 });
}

/** Errors: `usage`. */
export function assertReplayOptions(options: ReplayOptions): void {
  assertKnownOptions("replay", options, REPLAY_OPTIONS);
  const { tools, runs } = options;
  assertChoice("tools", tools, ["run", "recorded"]);
  if (runs === undefined || (Array.isArray(runs) && runs.every((runId) => typeof runId === "string"))) return;
  throw new ContinuoError("usage", "runs must be an array of the ids of runs", {
    hint: "Write `runs: [runId]`.",
    hintFor: "program",
  });
}

/** Errors: `usage`. */
export function assertApprovalFilters(options: ListApprovalsOptions): void {
  assertKnownOptions("approvals.list", options, APPROVAL_FILTERS);
  assertChoice("status", options.status, ["open", "granted", "denied", "cancelled"]);
}
