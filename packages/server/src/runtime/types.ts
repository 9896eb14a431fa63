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
  RunStatus,
  Store,
  StoredEvent,
  Usage,
} from "@continuo/core/model";
import type { OpenStoreOptions } from "@continuo/store";
import type { ContinuationOptions, RunError, RunInput } from "@continuo/store/sessions";
import type { LiveSettings, ServerLimits } from "../server/index.ts";
import type { Approvals } from "./approval-types.ts";
import type { ChannelHandle } from "./channel.ts";
import type { Chat, ChatEventsOptions } from "./chat.ts";
import type { DefinedEvent, EventOf, IncludedTypes } from "./define-event.ts";
import type { DailyTime } from "./every-day.ts";
import type { Failure, FailureText } from "./failure-text.ts";

/** Makes an agent for one run, which is closed after it. */
export interface AgentDefinition<Value = unknown> {
  readonly name: string;
  /** The agent receives this much of the session; everything by default. A function is called for each run. */
  readonly context?: ContinuationOptions | (() => Promise<ContinuationOptions>);
  open(run: {
    readonly onPermission: AskPermission;
    /** Only in a replay with recorded answers. */
    readonly answerCall?: AnswerCall;
  }): Promise<Agent & Partial<AsyncDisposable>>;
  /** True if the agent runs no tool when it gets `answerCall`; false by default. */
  readonly answersCalls?: boolean;
  /** True if a run has a process of its own, which lives while it waits for a person; false by default. */
  readonly hasProcess?: boolean;
  /** Reads the run's `value`. Throws for an invalid value. */
  readonly parse?: (value: unknown) => Value;
}

/** Answers a call of a tool in a replay with recorded answers, or throws the recorded error. */
export type AnswerCall = (call: {
  readonly toolName: string;
  readonly toolInput: unknown;
}) => Promise<unknown>;

export interface ContinuoOptions {
  readonly agents?: readonly (AgentDefinition | Agent)[];
  /**
   * `retry`: if the process of a run ended, the agent of the run gets its input again. `end`: the run ends as
   * interrupted. `end` by default.
   */
  readonly recover?: "retry" | "end";
  /** This process runs the queue for `agents`; true by default. `work()` runs it in any case. */
  readonly work?: boolean;
  /**
   * The number of sessions that run at the same time in this process; further ones wait. 16 by default. Runs that wait
   * for a person do not count: up to 1,000 of them wait in addition, but at most `parallel` of those whose agents have
   * a process of their own.
   */
  readonly parallel?: number;
  readonly retry?: RetryOptions;
  /** Milliseconds after which an approval that nobody answered is denied; by default it stays open. */
  readonly approvalMs?: number;
  /** The interval in milliseconds at which this process looks for work of other processes; 250 by default. */
  readonly pollMs?: number;
  /** A process that does not respond keeps a session for this time in milliseconds; 30,000 by default. */
  readonly leaseMs?: number;
  readonly store?: OpenStoreOptions;
  /**
   * Called with errors that no caller receives: the store did not answer a worker; an agent threw an error that is not
   * a `ContinuoError`, which is a mistake in the program; a request to `handler` failed by such a mistake, also in
   * `authorize`; or a run failed permanently, and nobody in this process reads it by `result()`, its events or
   * `textStream()`: the other streams show people only a plain sentence. The error has its stack and its cause here;
   * the log keeps only its message. By default a warning is emitted.
   */
  readonly onError?: (error: unknown) => void;
  /**
   * The words about a failure that people read in the stream for `useChat`, in `chat()` and in `toSSE`. By default this
   * is a plain sentence with the code, because the words of a provider can name keys, addresses and limits. The words
   * of the provider stay in the log and in the result of the run.
   */
  readonly failureText?: FailureText;
}

export interface RetryOptions {
  /**
   * The number of times that an input is given to its agent, including the first; 3 by default. After that, it is a
   * dead letter. An end of the process while a person is asked does not count; of ends right after a question, before
   * `approvals.list` has it, ten do not count.
   */
  readonly attempts?: number;
  /**
   * Milliseconds before the third attempt; 1,000 by default. Each further attempt waits twice as long, but at most a
   * minute. The second attempt begins at once.
   */
  readonly backoffMs?: number;
  /** The ends after which a run is tried again; only `interrupted` by default. */
  readonly on?: readonly ("interrupted" | "failed" | "timeout")[];
}

/** Messages that are not given to an agent again. */
interface DeadLetters {
  /**
   * The list is in the order of the run ids. With `metadata`, it has only messages of sessions that have these values
   * now.
   */
  list(options?: ListDeadLettersOptions): Promise<readonly DeadLetter[]>;
  /** Gives the input to its agent again. Errors: `not_found`, `conflict`. */
  retry(runId: string): Promise<SentRun>;
}

export interface Continuo extends AsyncDisposable {
  readonly store: Store;
  /** Nothing is read or written before the first call of a method. */
  session(sessionId: string, options?: SessionOptions): SessionHandle;
  /** A channel that this program reads and writes without a connection to itself. Errors: `invalid` for its name. */
  channel(name: string): ChannelHandle;
  /**
   * Calls `send` now, and then once a day, with the next time and its day: a message with the day as its `id` and this
   * `runAt` is sent once a day, by any number of processes and after a crash. It ends with `close`. A day on which no
   * process ran is left out, unless its message was sent before. A failure goes to `onError`, and `send` is called
   * again a minute later. Errors: `usage`.
   *
   * @param time `"06:00"` or `"06:00:30"`, in UTC
   */
  everyDay(time: string, send: (next: DailyTime) => unknown): void;
  readonly approvals: Approvals;
  /** Runs the queue of these agents in this process, until `signal` aborts or Continuo is closed. */
  work(options?: WorkOptions): Promise<void>;
  readonly deadLetters: DeadLetters;
  /** The words about a failure for people, as the option `failureText` makes them. */
  failureText(failure: Failure): string;
  /** The runs that this process executes, and the runs of all processes that wait. */
  queue(): Promise<QueueState>;
  /**
   * The server as a handler of fetch requests: sessions, approvals, streams, channels and live, as `authorize` permits.
   */
  handler(options: HandlerOptions): FetchHandler;
  /**
   * Gives inputs of a session to another agent, each in a separate session after the recorded conversation, and returns
   * both answers. Errors: `not_found` for the session or one of `runs`; `too_large` for more than 1,000 inputs, or, without
   * `keep`, for a session of more than about 256 MB; `unsupported` for `tools: "recorded"` with an agent that runs its tools by itself.
   */
  replay<Value>(sessionId: string, options: ReplayOptions<Value>): Promise<readonly ReplayedRun[]>;
  /**
   * Ends the queue and closes the store. Runs that are still executing after `graceMs` (5,000) are given to other
   * processes.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

export interface SessionOptions {
  /**
   * Creates the session if it does not exist, with its first message or event. Until then `messages()` and `chat()` are
   * empty, and so is the page of the chat; reading them creates nothing.
   */
  readonly create?: boolean;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly title?: string;
  readonly cwd?: string;
  /**
   * The session begins with the events of another one, up to the newest by default. If the new session already exists,
   * its origin must be the same (`conflict`).
   */
  readonly forkedFrom?: { readonly logId: string; readonly sequence?: number };
}

export interface SessionHandle {
  readonly sessionId: string;
  /** See `SentRun`: the message is durable before the promise resolves, and sent once for each `id`. */
  send<Value = unknown>(input: RunInput, options?: SendOptions<Value>): RunHandle<Value>;
  /** The run of an input, by the `id` with which it was sent, or by its `runId`. */
  run(id: string): RunHandle;
  /**
   * The transcript of the log. Notes about ends of runs and errors have the role `user`, as models read them, and the
   * `origin` `injected`: no person wrote them. With `forReaders`, failures have the words of `failureText` in it, and not those of
   * providers and tools: for people who use the product and do not run it.
   */
  messages(options?: { readonly forReaders?: boolean }): Promise<readonly Message[]>;
  /** The messages and answers in the form of the AI SDK's `useChat`, and the answers that are not complete. */
  chat(): Promise<Chat>;
  /**
   * The answers that are not complete, one after the other, each from its beginning, as the UI message stream of the AI
   * SDK; `null` if there is none. They continue if the reader disappears.
   */
  toUIMessageResponse(options?: ResumeChatOptions): Promise<Response | null>;
  /**
   * The chat as server-sent events, for `openChat` of `continuo/client`: all of it, then what changes. The stream does
   * not end by itself.
   */
  toChatEvents(options?: ChatEventsOptions): Promise<Response>;
  /** Cancels the answers that are not complete, and returns their ids. Messages about them stay. */
  stop(options?: StopOptions): Promise<readonly string[]>;
  /**
   * Every event of Continuo's types and of the types in `include` after a sequence, and then those that are appended,
   * until `signal` aborts.
   */
  events<const Own extends IncludedTypes = []>(options?: EventsOptions<Own>): AsyncIterable<EventOf<Own>>;
  /** Appends an event of a type of Continuo. Errors: `invalid` for another type or a payload of another form. */
  append<Type extends EventType>(
    type: Type,
    data: Payload<Type>,
    options?: AppendOptions,
  ): Promise<StoredEvent<Payload<Type>>>;
  /** Appends an event of your own type. Errors: `invalid` for a value that its schema refuses. */
  append<Data>(type: DefinedEvent<Data>, data: Data, options?: AppendOptions): Promise<StoredEvent<Data>>;
  /**
   * Returns a page as text. Its only scripts are those of the viewer; the page of a chat has none. The page shows the
   * whole log by default, for those who run the product. With `view: "chat"` it shows the messages of `chat()`, without
   * tools, approvals and runs, for the people who take part in the chat. For `forReaders` see `messages`; the page of a
   * chat is always for readers. With `maskSecrets`, keys, tokens and passwords of known forms are masked, as `maskSecrets()`
   * masks them.
   */
  toHtml(options?: {
    readonly view?: "log" | "chat";
    readonly forReaders?: boolean;
    readonly maskSecrets?: boolean;
  }): Promise<string>;
  /**
   * All events as server-sent events, without the folders and files of this machine. The stream continues after the
   * `Last-Event-ID` of the request, and does not end by itself. Events of your own types come as you stored them.
   */
  toSSE(from?: Request | SseOptions, included?: IncludeOptions): Response;
}

export interface ResumeChatOptions {
  /** The answers of `chat().open`; answers that are already complete are streamed too. */
  readonly open?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface StopOptions {
  /** Only these answers. */
  readonly open?: readonly string[];
  readonly reason?: string;
}

export interface IncludeOptions<Own extends IncludedTypes = IncludedTypes> {
  /** Types of `defineEvent` whose events come too, in the newest form; those with data of another form are left out. */
  readonly include?: Own;
}

export interface EventsOptions<Own extends IncludedTypes = IncludedTypes> extends IncludeOptions<Own> {
  readonly after?: number;
  readonly signal?: AbortSignal;
}

export interface AppendOptions {
  /** Your id of the event: it is appended once, however often `append` is called with it. */
  readonly id?: string;
  /** The run to which the event belongs. */
  readonly runId?: string;
}

export interface SseOptions extends EventsOptions {}

export interface SendOptions<Value = unknown> {
  /**
   * Your id of the message within the session: the message is sent once, however often `send` is called with this id.
   */
  readonly id?: string;
  /**
   * Asks the agent again, with all its attempts, if the last attempt of the message with this id failed, was stopped,
   * or was given up. A complete answer stays.
   */
  readonly again?: boolean;
  /** The agent that answers; by default the first of the agents of this program. */
  readonly agent?: string | AgentDefinition<Value>;
  /** The time at which the message is sent, ISO 8601. */
  readonly runAt?: string;
  /**
   * From -100 to 100; 0 by default. From the messages that are next in their sessions, a free worker takes the most
   * urgent one. Messages of a session keep their order, and a running answer is not interrupted.
   */
  readonly priority?: number;
}

/** `send` resolves with this when the message is durable. */
export interface SentRun {
  readonly id: string | null;
  readonly runId: string;
  readonly sessionId: string;
  readonly agent: string | null;
  /**
   * `scheduled` before its time (`runAt`); `dead_letter` if it was sent before, and given up after its last attempt.
   */
  readonly status: RunStatus | "scheduled" | "dead_letter";
}

/** A promise of the durable message, and the events of its run, once each and in order, until the run has ended. */
export interface RunHandle<Value = unknown> extends PromiseLike<SentRun>, AsyncIterable<KnownEvent> {
  /**
   * Resolves when the run has ended, even if another process executes it. `signal` ends the wait with `cancelled`, and
   * not the run.
   */
  result(options?: { readonly signal?: AbortSignal }): Promise<RunOutcome<Value>>;
  cancel(reason?: string): Promise<void>;
  /**
   * The words of the answers while they are written, each once, with an empty line between two messages. `signal` ends
   * the words, and not the run. Errors if the answer is not complete: the error of a run that failed permanently;
   * `interrupted` if the run took too long or its process ended; `cancelled`, unless `cancel` of this handle did it.
   */
  textStream(options?: { readonly signal?: AbortSignal }): AsyncIterable<string>;
  /**
   * The events of the run after a sequence of the log, until it has ended or `signal` aborts. An event of your own is
   * one of the run if it was appended with its `runId`.
   */
  events<const Own extends IncludedTypes = []>(options?: EventsOptions<Own>): AsyncIterable<EventOf<Own>>;
  /** The UI message stream of the AI SDK, for `useChat`. */
  toUIMessageResponse(options?: { readonly signal?: AbortSignal }): Response;
  /** The events of the run as server-sent events; see `SessionHandle.toSSE`. The stream ends with the event `end`. */
  toSSE(from?: Request | SseOptions, included?: IncludeOptions): Response;
}

interface EndedRun {
  readonly runId: string;
  readonly sessionId: string;
  /**
   * The text of the last message, with an empty line between its blocks. What the agent said before a call of a tool is a
   * message of its own: `textStream()` has the text of all messages.
   */
  readonly text: string;
  readonly usage?: Usage;
}

/** `max_steps`: the agent was not done when it reached its `maxSteps`. */
export type RunOutcome<Value = unknown> =
  | (EndedRun & {
      readonly status: "completed" | "max_steps";
      readonly stopReason?: string;
      readonly value?: Value;
    })
  | (EndedRun & { readonly status: "failed"; readonly error: RunError })
  | (EndedRun & { readonly status: "cancelled" | "timeout" | "interrupted"; readonly reason?: string });

export interface WorkOptions {
  /** Names of agents of this program; all of them by default. */
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

export interface ListDeadLettersOptions {
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** The part of the second argument of a tool of `defineAgent` that Continuo provides. */
export interface ToolCall {
  readonly toolCallId: string;
  /**
   * Give this key to the provider. If the call is repeated after a crash, because it has no result, it has the same
   * key.
   */
  readonly idempotencyKey?: string;
}

export interface QueueState {
  readonly running: number;
  /** The runs of this process that wait for a person. */
  readonly asking: number;
  readonly waiting: number;
  readonly parallel: number;
}

/**
 * `"*"` for all names, an array of exact names, or all names with a beginning. Exact names may come from outside, such
 * as the id of a user: a name with a `*` covers nothing. A beginning with such an id must end with a character that no
 * id has, because `ann-` is also the beginning of the names of `ann-2`.
 */
export type Names = "*" | readonly string[] | { readonly beginsWith: string | readonly string[] };

/** The names that a request may access; a kind that is left out allows none. */
export interface Authorization {
  /** Ids of sessions. */
  readonly sessions?: Names;
  readonly channels?: Names;
  /** Paths of streams. */
  readonly streams?: Names;
  /** Keys of continuous sessions. */
  readonly live?: Names;
  /**
   * `write` includes `read`. `chat` is for customers: reading, sending and stopping at `/v1/sessions/ID/chat`, and
   * nothing else of the session; `channels`, `live`, `streams` and `logs` cannot be given with it.
   */
  readonly access: "read" | "write" | "chat";
  /** Names of agents that the person may ask; the first answers if a message names none. Any agent by default. */
  readonly agents?: readonly string[];
  /** Describes a session that the person creates with its first message, such as the folder of its agent. */
  readonly newSession?: (sessionId: string) => Omit<SessionOptions, "create">;
  /** True if the person may answer approvals of these sessions; false by default, regardless of `access`. */
  readonly approve?: boolean;
  /**
   * True if the person may read, and with `write` change, the logs of these sessions as they are stored, at
   * `/v1/stream/sessions/ID`: the logs name folders and files of this machine, and a person with write access can forge
   * answers. False by default.
   */
  readonly logs?: boolean;
  /** The person: the author of answers in the log, and the name under which requests are limited. */
  readonly by?: string;
  /** The participant as which the person writes in channels; `by` by default. */
  readonly handle?: string;
  /** True if the person may write in channels as any participant; false by default. */
  readonly anyHandle?: boolean;
}

export interface HandlerOptions {
  /**
   * `null` refuses the request with 401. For a WebSocket, this is called with the headers of its handshake; a token is
   * sent as a bearer token. While a WebSocket or a stream is open, this is called again every 5 seconds with the same
   * request: `null`, another `by` or `handle`, or fewer rights end the connection with `unauthorized`.
   */
  authorize(request: Request): Authorization | null | Promise<Authorization | null>;
  /** Exact origins of other pages that may send requests. */
  readonly origins?: readonly string[];
  /** Limits for each person. */
  readonly limits?: Partial<ServerLimits>;
  /** The settings of continuous sessions: note writers, for example. */
  readonly live?: Omit<LiveSettings, "workspaceIds">;
}

/** Hono, Next, Bun and Deno take this function; for `node:http` see `toNodeListener` of `continuo/server`. */
export interface FetchHandler {
  (request: Request): Promise<Response>;
  /** The WebSockets of channels and continuous sessions: for the event `upgrade` of a server of `node:http`. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export interface ReplayOptions<Value = unknown> {
  readonly agent: AgentDefinition<Value> | Agent;
  /** Only the inputs of these runs; by default all inputs of the session, at most 1,000. */
  readonly runs?: readonly string[];
  /**
   * `recorded`: no tool runs. A call gets the answer that the same tool had for the same arguments after this input; a
   * call that was not recorded gets an error, and is listed in `unrecorded`. `run` by default.
   */
  readonly tools?: "run" | "recorded";
  /**
   * Keeps a session of the store for each input, with `replayOf` (the id of the session), `replayAt` (the sequence of the
   * input) and, for the input of a run, `replayedRun` in its metadata. By default, a replay works in memory and leaves
   * nothing, also if it is killed.
   */
  readonly keep?: boolean;
  /** Called for each input that is not replayed, before the first replay. */
  readonly onLeftOut?: (input: LeftOutInput) => void;
  readonly signal?: AbortSignal;
}

/** An input of a session that a replay leaves out. */
export interface LeftOutInput {
  /** The place of the input in the log. */
  readonly sequence: number;
  readonly input: string;
  /**
   * - `injected`: an agent's program added it, such as a description of the folder, or a notice
   * - `command`: a command of a person to the agent's own program, such as `/compact` or `! ls`, in the form that the
   *   program recorded
   * - `deleted`: the message was deleted, or the native session does not have it any more
   */
  readonly reason: "injected" | "command" | "deleted";
}

/** One input of a session: the recorded answer, and the answer of the other agent after the same conversation. */
export interface ReplayedRun {
  /** The run with the input: the first one, if there were several attempts; `null` for an imported input. */
  readonly runId: string | null;
  readonly input: string;
  /** The answer of the last attempt. */
  readonly before: { readonly text: string; readonly tools: readonly string[]; readonly usage?: Usage };
  readonly after: {
    readonly status: RunOutcome["status"] | RunStatus;
    readonly text: string;
    readonly tools: readonly string[];
    /** With `tools: "recorded"`, the tools of calls that have no recorded answer. */
    readonly unrecorded?: readonly string[];
    readonly usage?: Usage;
    readonly value?: unknown;
  };
}
