/** The public types of the front door. */

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type {
  Agent,
  AskPermission,
  EventType,
  KnownEvent,
  Message,
  Payload,
  PermissionOption,
  RunStatus,
  Store,
  StoredEvent,
  Usage,
} from "@continuo/core/model";
import type { OpenStoreOptions } from "@continuo/store";
import type { ContinuationOptions, RunError, RunInput } from "@continuo/store/sessions";
import type { LiveSettings, ServerLimits } from "../server/index.ts";
import type { Chat } from "./chat.ts";
import type { DefinedEvent } from "./define-event.ts";
import type { Failure, FailureText } from "./failure-text.ts";

/** Makes an agent for one run, which is closed after it. */
export interface AgentDefinition<Value = unknown> {
  readonly name: string;
  /** The agent gets this much of the session; without it, everything. A function is called for each run. */
  readonly context?: ContinuationOptions | (() => Promise<ContinuationOptions>);
  open(run: { readonly onPermission: AskPermission }): Promise<Agent & Partial<AsyncDisposable>>;
  /** Reads the run's `value`. Throws for an invalid value. */
  readonly parse?: (value: unknown) => Value;
}

export interface ContinuoOptions {
  readonly agents?: readonly (AgentDefinition | Agent)[];
  /**
   * `retry` gives the input of a run whose process ended to its agent again; `end` ends the run as interrupted. `end`
   * if none is given.
   */
  readonly recover?: "retry" | "end";
  /** This process runs the queue for `agents`; true by default. `work()` runs it in any case. */
  readonly work?: boolean;
  /** Sessions that run at the same time in this process; further ones wait. 16 if none is given. */
  readonly parallel?: number;
  readonly retry?: RetryOptions;
  /** Milliseconds after which an approval that nobody answered is denied; it stays open if none is given. */
  readonly approvalMs?: number;
  /** Milliseconds in which this process looks for work of other processes; 250 if none is given. */
  readonly pollMs?: number;
  /** A process that does not respond keeps a session for this time; 30,000 if none is given. */
  readonly leaseMs?: number;
  readonly store?: OpenStoreOptions;
  /**
   * Called with errors that no caller can receive: the store did not answer a worker, or an agent threw an error that
   * is not a `ContinuoError`, which is a mistake in the program. It has its stack and its cause here; the log keeps its
   * message. By default a warning is emitted.
   */
  readonly onError?: (error: unknown) => void;
  /**
   * The words that people read of a failure in the stream for `useChat`, in `chat()` and in `toSSE`. By default a plain sentence with the
   * code: the words of a provider can name keys, addresses and limits. They stay in the log and in the result of the run.
   */
  readonly failureText?: FailureText;
}

export interface RetryOptions {
  /** An input is given to its agent at most this often, the first time included; 3 by default. Then it is a dead letter. */
  readonly attempts?: number;
  /** Milliseconds before the third attempt; each further one waits twice as long, at most a minute. The second one begins at once. */
  readonly backoffMs?: number;
  /** The ends after which a run is tried again; only `interrupted` if none is given. */
  readonly on?: readonly ("interrupted" | "failed" | "timeout")[];
}

export interface Continuo extends AsyncDisposable {
  readonly store: Store;
  /** Nothing is read or written before the first call of a method. */
  session(sessionId: string, options?: SessionOptions): SessionHandle;
  readonly approvals: Approvals;
  /** Runs the queue of these agents in this process, until `signal` aborts or Continuo is closed. */
  work(options?: WorkOptions): Promise<void>;
  readonly deadLetters: {
    /** All of them, in the order of their run ids. */
    list(): Promise<readonly DeadLetter[]>;
    /** Gives the input to its agent again. Errors: `not_found`, `conflict`. */
    retry(runId: string): Promise<SentRun>;
  };
  /** The words of a failure for people, as `failureText` of the options makes them. */
  failureText(failure: Failure): string;
  /** The runs that this process executes, and the runs of all processes that wait. */
  queue(): Promise<QueueState>;
  /** The server as a handler of fetch requests: sessions, approvals, streams, channels and live, as `authorize` permits. */
  handler(options: HandlerOptions): FetchHandler;
  /** The inputs of a session, given to another agent in a session of its own, with both answers. */
  replay<Value>(sessionId: string, options: ReplayOptions<Value>): Promise<readonly ReplayedRun[]>;
  /** Ends the queue and closes the store. Runs that still go on after `graceMs` (5,000) are given to other processes. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

export interface SessionOptions {
  /** Makes the session if there is none. */
  readonly create?: boolean;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly title?: string;
  readonly cwd?: string;
}

export interface SessionHandle {
  readonly sessionId: string;
  /** See `SentRun`: the message is durable before the promise resolves, and sent once for each `id`. */
  send<Value = unknown>(input: RunInput, options?: SendOptions<Value>): RunHandle<Value>;
  /** The run of an input, by the `id` it was sent with or its `runId`. */
  run(id: string): RunHandle;
  messages(): Promise<readonly Message[]>;
  /** The messages and answers as `useChat` of the AI SDK has them, and the answers that are not complete. */
  chat(): Promise<Chat>;
  /**
   * The answers that are not complete, one after the other, each from its beginning, as the UI message stream of the AI
   * SDK; `null` if there is none. A reader that disappears does not end them.
   */
  toUIMessageResponse(options?: ResumeChatOptions): Promise<Response | null>;
  /** Cancels the answers that are not complete, and returns their ids. Messages about them stay. */
  stop(options?: StopOptions): Promise<readonly string[]>;
  /** Every event of a known type after a sequence, and then those that are appended, until `signal` aborts. */
  events(options?: { readonly after?: number; readonly signal?: AbortSignal }): AsyncIterable<KnownEvent>;
  /** Appends an event of a known type. Errors: `invalid` for a payload of another form. */
  append<Type extends EventType>(type: Type, data: Payload<Type>): Promise<StoredEvent<Payload<Type>>>;
  /** Appends an event of your own type. Errors: `invalid` for a value that its schema refuses. */
  append<Data>(type: DefinedEvent<Data>, data: Data): Promise<StoredEvent<Data>>;
  /** A page without scripts of others, as text. */
  toHtml(): Promise<string>;
  /** All events as server-sent events, without the folders and files of this machine. It goes on after the `Last-Event-ID` of the request, and does not end by itself. */
  toSSE(from?: Request | SseOptions): Response;
}

export interface ResumeChatOptions {
  /** The answers that `chat().open` had; answers that are already complete are streamed too. */
  readonly open?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface StopOptions {
  /** Only these answers. */
  readonly open?: readonly string[];
  readonly reason?: string;
}

export interface SseOptions {
  readonly after?: number;
  readonly signal?: AbortSignal;
}

export interface SendOptions<Value = unknown> {
  /** Your id of the message within the session: it is sent once, however often `send` is called with it. */
  readonly id?: string;
  /** The agent that answers; the first of the agents of this program if none is given. */
  readonly agent?: string | AgentDefinition<Value>;
  /** The time at which the message is sent, ISO 8601. */
  readonly runAt?: string;
  /**
   * From -100 to 100; 0 if none is given. A free worker takes the most urgent message of those that are next in their
   * sessions. Messages of a session keep their order, and a running answer is not interrupted.
   */
  readonly priority?: number;
}

/** `send` resolves with it when the message is durable. */
export interface SentRun {
  readonly id: string | null;
  readonly runId: string;
  readonly sessionId: string;
  readonly agent: string | null;
  /** `scheduled` before its time (`runAt`). */
  readonly status: RunStatus | "scheduled";
}

/** A promise of the durable message, and the events of its run, once each and in order, until the run has ended. */
export interface RunHandle<Value = unknown> extends PromiseLike<SentRun>, AsyncIterable<KnownEvent> {
  /** Resolves when the run has ended; also that of another process. */
  result(): Promise<RunOutcome<Value>>;
  cancel(reason?: string): Promise<void>;
  /** The words of the answers while they are written, each once; an empty line between two messages. */
  textStream(): AsyncIterable<string>;
  /** The events of the run after a sequence of the log, until it has ended or `signal` aborts. */
  events(options?: { readonly after?: number; readonly signal?: AbortSignal }): AsyncIterable<KnownEvent>;
  /** The UI message stream of the AI SDK, for `useChat`. */
  toUIMessageResponse(options?: { readonly signal?: AbortSignal }): Response;
  /** The events of the run as server-sent events; see `SessionHandle.toSSE`. It ends with the event `end`. */
  toSSE(from?: Request | SseOptions): Response;
}

interface EndedRun {
  readonly runId: string;
  readonly sessionId: string;
  /** The text of the last message. */
  readonly text: string;
  readonly usage?: Usage;
}

/** With `max_steps` the agent was not done when it reached its `maxSteps`. */
export type RunOutcome<Value = unknown> =
  | (EndedRun & {
      readonly status: "completed" | "max_steps";
      readonly stopReason?: string;
      readonly value?: Value;
    })
  | (EndedRun & { readonly status: "failed"; readonly error: RunError })
  | (EndedRun & { readonly status: "cancelled" | "timeout" | "interrupted"; readonly reason?: string });

export type ApprovalStatus = "open" | "granted" | "denied" | "cancelled";

/** A question of an agent: may it use this tool? */
export interface Approval {
  readonly id: string;
  readonly status: ApprovalStatus;
  readonly sessionId: string;
  /** The run that asked; of several attempts the newest. */
  readonly runId: string;
  readonly agent: string;
  readonly toolName?: string;
  readonly toolInput?: unknown;
  readonly title?: string;
  readonly options: readonly PermissionOption[];
  /** The metadata that the program gave the session, as they were when it was asked. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly requestedAt: string;
  readonly resolvedAt?: string;
  readonly by?: string;
  readonly reason?: string;
}

export interface ListApprovalsOptions {
  readonly status?: ApprovalStatus;
  readonly sessionId?: string;
  /** Only those of sessions whose metadata have these values. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface ApprovalAnswer {
  readonly outcome: "granted" | "denied";
  /** The author of the answer, as the log keeps it. */
  readonly by?: string;
  readonly reason?: string;
  readonly optionId?: string;
}

export interface Approvals {
  /** `id`: the id in the list, or the `approvalId` of the event. `null` if there is no such approval. */
  get(id: string): Promise<Approval | null>;
  /** Oldest first, at most 1,000. The list is yours: frameworks that answer with JSON take no readonly one. */
  list(options?: ListApprovalsOptions): Promise<Approval[]>;
  /**
   * Answers from any process, even when the run that asked was killed: its next attempt finds the answer. The id is
   * that of the list, or the `approvalId` of the event. The same answer again returns the approval; another one is a
   * `conflict`. Errors: `not_found`, `conflict`; `run_ended` for a question whose run has ended, or is being stopped.
   */
  resolve(id: string, answer: ApprovalAnswer): Promise<Approval>;
}

export interface WorkOptions {
  /** Names of agents of this program; all of them if none are given. */
  readonly agents?: readonly string[];
  readonly parallel?: number;
  readonly signal?: AbortSignal;
}

export interface DeadLetter {
  readonly runId: string;
  readonly sessionId: string;
  readonly attempts: number;
  readonly reason: string;
  readonly at: string;
}

export interface QueueState {
  readonly running: number;
  readonly waiting: number;
  readonly parallel: number;
}

/** A name or several, or `*` for all. A name that ends with `*` stands for all that begin so. */
export type Names = string | readonly string[];

/** The names that a request may reach; none of the kinds that are left out. */
export interface Authorization {
  /** Ids of sessions. */
  readonly sessions?: Names;
  readonly channels?: Names;
  /** Paths of streams. */
  readonly streams?: Names;
  /** Keys of continuous sessions. */
  readonly live?: Names;
  /** `write` includes `read`. */
  readonly access: "read" | "write";
  /** Approvals of these sessions may be answered; false by default, whatever the access is. */
  readonly approve?: boolean;
  /**
   * The logs of these sessions may be read at `/v1/stream/sessions/ID`, and with `write` changed, as they are stored:
   * they name folders and files of this machine, and a person with write access can forge answers. False by default.
   */
  readonly logs?: boolean;
  /** The person: the author of answers, as the log keeps it, and the name under which their requests are limited. */
  readonly by?: string;
  /** The participant as which the person writes in channels, or `*` for any; `by` if none is given. */
  readonly handle?: string;
}

export interface HandlerOptions {
  /**
   * `null` for nobody: the answer is 401. A WebSocket asks once, with the headers of its handshake; its token is sent as a
   * bearer token.
   */
  authorize(request: Request): Authorization | null | Promise<Authorization | null>;
  /** Exact origins of other pages that may send requests. */
  readonly origins?: readonly string[];
  /** Limits for each person. */
  readonly limits?: Partial<ServerLimits>;
  /** The settings of continuous sessions: note writers, for example. */
  readonly live?: Omit<LiveSettings, "workspaceIds">;
}

/** Hono, Next, Bun and Deno take the function; for `node:http` see `toNodeListener` of `continuo/server`. */
export interface FetchHandler {
  (request: Request): Promise<Response>;
  /** The WebSockets of channels and continuous sessions: for the event `upgrade` of a server of `node:http`. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export interface ReplayOptions<Value = unknown> {
  readonly agent: AgentDefinition<Value> | Agent;
  /** Keeps the sessions that the replay made; they are deleted where it is left out. */
  readonly keep?: boolean;
  readonly signal?: AbortSignal;
}

/** One input of a session: how it was answered, and how the other agent answers it after the same conversation. */
export interface ReplayedRun {
  /** The first run with the input, where it was tried more than once; `null` for an input that was imported. */
  readonly runId: string | null;
  readonly input: string;
  /** The answer of the last attempt. */
  readonly before: { readonly text: string; readonly tools: readonly string[]; readonly usage?: Usage };
  readonly after: {
    readonly status: RunOutcome["status"] | RunStatus;
    readonly text: string;
    readonly tools: readonly string[];
    readonly usage?: Usage;
    readonly value?: unknown;
  };
}
