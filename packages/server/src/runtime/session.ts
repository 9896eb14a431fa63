/** A session in the form that a program uses: nothing is read before the first call. */

import { randomUUID } from "node:crypto";
import {
  assertChoice,
  assertKnownOptions,
  ContinuoError,
  type EventType,
  isEventType,
  type NewEvent,
  type Payload,
  payloadProblem,
  present,
  RUN_END_STATUSES,
  type Run,
  type Session,
  type Store,
  type StoredEvent,
} from "@continuo/core/model";
import { TranscriptBuilder } from "@continuo/core/transcript";
import {
  assertInput,
  assertPriority,
  latestAttempt,
  openSession,
  type RunInput,
  rootIn,
  runIdOf,
  startRun,
} from "@continuo/store/sessions";
import { type Chat, SENT_AS } from "./chat.ts";
import { chatEvents } from "./chat-events.ts";
import { chatOf, resumedChat, stopChat } from "./chats.ts";
import type { DefinedEvent, IncludedTypes } from "./define-event.ts";
import type { Host } from "./host.ts";
import {
  APPEND_OPTIONS,
  assertEventsOptions,
  MESSAGES_OPTIONS,
  PAGE_OPTIONS,
  RESUME_OPTIONS,
  SEND_OPTIONS,
  SESSION_OPTIONS,
  STOP_OPTIONS,
} from "./options.ts";
import { readerLog } from "./readers.ts";
import { askAgain, deadLetterOf, schedule } from "./retries.ts";
import { createRunHandle, toSentRun } from "./run.ts";
import { sessionEvents } from "./run-events.ts";
import { toSseResponse } from "./sse.ts";
import type {
  AgentDefinition,
  AppendOptions,
  EventsOptions,
  RunHandle,
  SendOptions,
  SentRun,
  SessionHandle,
  SessionOptions,
} from "./types.ts";

const NO_CHAT: Chat = { messages: [], open: [] };

export function createSessionHandle(
  host: Host,
  sessionId: string,
  options: SessionOptions = {},
): SessionHandle {
  const { store, readers } = host;
  assertKnownOptions("session", options, SESSION_OPTIONS);
  let opening: Promise<Session> | undefined;
  /** A failure is not remembered: the next call tries again. */
  const opened = async (): Promise<Session> => {
    opening ??= open(host, sessionId, options);
    try {
      return await opening;
    } catch (error) {
      opening = undefined;
      throw error;
    }
  };
  /** Returns `null` if only a message would create the session. Reading creates the session only if it is a fork. */
  const begun = async (): Promise<Session | null> => {
    const isNew = options.create === true && options.forkedFrom === undefined && opening === undefined;
    if (isNew && (await store.getSession(sessionId)) === null) return null;
    return await opened();
  };
  const chat = async (): Promise<Chat> =>
    (await begun()) === null ? NO_CHAT : await chatOf(host, sessionId);
  return {
    sessionId,
    send: (input, sending) => send(host, { sessionId, opened, input }, sending),
    run: (id) => createRunHandle({ host, sent: findRun(host, sessionId, id) }),
    async messages(reading = {}) {
      assertKnownOptions("messages", reading, MESSAGES_OPTIONS);
      if ((await begun()) === null) return [];
      return (await TranscriptBuilder.fromStore(logOf(host, reading), sessionId)).messages;
    },
    chat,
    async toUIMessageResponse(resuming = {}) {
      assertKnownOptions("toUIMessageResponse", resuming, RESUME_OPTIONS);
      if ((await begun()) === null) return null;
      return await resumedChat(host, sessionId, resuming);
    },
    async toChatEvents(following = {}) {
      await begun();
      return chatEvents(host, sessionId, following);
    },
    async stop(stopping = {}) {
      assertKnownOptions("stop", stopping, STOP_OPTIONS);
      return (await begun()) === null ? [] : await stopChat(host, sessionId, stopping);
    },
    async *events<Own extends IncludedTypes = []>(range: EventsOptions<Own> = {}) {
      assertEventsOptions("events", range);
      await opened();
      yield* readers.read(sessionId, sessionEvents(store, sessionId, range));
    },
    async append<Data>(
      type: EventType | DefinedEvent<Data>,
      data: unknown,
      appending: AppendOptions = {},
    ): Promise<StoredEvent<Data> & StoredEvent<Payload<EventType>>> {
      const event = await newEvent(type, data, appending);
      await opened();
      const [stored] = await store.append(sessionId, [event]);
      return stored as StoredEvent<Data> & StoredEvent<Payload<EventType>>;
    },
    async toHtml(page = {}) {
      assertKnownOptions("toHtml", page, PAGE_OPTIONS);
      const { view = "log", maskSecrets = false } = page;
      assertChoice("view", view, ["log", "chat"]);
      if (view === "chat") {
        const { title } = (await begun()) ?? options;
        const { chatToHtml } = await import("./chat-page.ts");
        return chatToHtml(await chat(), { title: title ?? undefined, maskSecrets });
      }
      await opened();
      const { sessionToHtml } = await import("./html.ts");
      return await sessionToHtml(store, sessionId, { log: logOf(host, page), maskSecrets });
    },
    toSSE: (from, included) =>
      toSseResponse(
        {
          async *open(place) {
            await opened();
            yield* sessionEvents(store, sessionId, place);
          },
          failureText: host.failureText,
          newest: async () => await store.latestSequence((await opened()).sessionId),
        },
        from,
        included,
      ),
  };
}

function logOf(
  { store, failureText }: Host,
  { forReaders = false }: { readonly forReaders?: boolean },
): Pick<Store, "read" | "latestSequence"> {
  return forReaders ? readerLog(store, failureText) : store;
}

async function open({ store }: Host, sessionId: string, options: SessionOptions): Promise<Session> {
  const { create = false, ...described } = options;
  const session = create ? await openSession(store, sessionId, described) : await store.getSession(sessionId);
  if (session !== null) return session;
  throw new ContinuoError("not_found", `there is no session ${JSON.stringify(sessionId)}`, {
    hint: "Create it with `session(id, { create: true })`, or import it with `importNativeSession`.",
    hintFor: "program",
    details: { sessionId },
  });
}

interface NewMessage {
  readonly sessionId: string;
  readonly opened: () => Promise<Session>;
  readonly input: RunInput;
}

function send<Value>(host: Host, message: NewMessage, options: SendOptions<Value> = {}): RunHandle<Value> {
  const definition = agentOf(host, options.agent) as AgentDefinition<Value> | undefined;
  const sent = begin(host, message, options);
  return createRunHandle<Value>({ host, sent, ...present({ parse: definition?.parse }) });
}

/** Errors: `not_found` for a name that no agent of this program has; a program without agents only sends. */
export function assertAgent({ agents }: Pick<Host, "agents">, asked: SendOptions["agent"]): void {
  if (typeof asked !== "string" || agents.size === 0 || agents.has(asked)) return;
  throw new ContinuoError("not_found", `there is no agent ${JSON.stringify(asked)} in this program`, {
    hint: "Give it to `openContinuo`. If another process runs it, give `send` its definition instead of its name.",
    hintFor: "program",
    details: { agent: asked },
  });
}

function agentOf({ agents }: Host, asked: SendOptions["agent"]): AgentDefinition | undefined {
  if (typeof asked === "object") return asked;
  if (asked !== undefined) return agents.get(asked);
  const [first] = agents.values();
  return first;
}

async function begin(
  host: Host,
  { sessionId, opened, input }: NewMessage,
  options: SendOptions,
): Promise<SentRun> {
  assertKnownOptions("send", options, SEND_OPTIONS);
  const { id, again = false, agent, runAt, priority } = options;
  assertAgent(host, agent);
  // A message that cannot be sent creates no session.
  assertInput(input);
  assertPriority(priority);
  const named = agentOf(host, agent)?.name ?? (typeof agent === "string" ? agent : undefined);
  const session = await opened();
  const answering = named ?? session.agent ?? undefined;
  if (answering === undefined) {
    throw new ContinuoError(
      "usage",
      `cannot send a message to ${JSON.stringify(sessionId)}: no agent was given`,
      {
        hint: "Give agents to `openContinuo`, or the name of one to `send`.",
        hintFor: "program",
      },
    );
  }
  if (runAt === undefined) {
    const metadata = id === undefined ? undefined : { [SENT_AS]: id };
    const run = await startRun(
      host.store,
      sessionId,
      input,
      present({ id, agent: answering, priority, metadata }),
    );
    if (again) await askAgain(host, run);
    host.poke();
    return await knownRun(host, run, id ?? null);
  }
  const time = Date.parse(runAt);
  if (Number.isNaN(time)) throw new ContinuoError("usage", `runAt is not a time: ${runAt}`);
  const inputId = id ?? randomUUID();
  const runId = runIdOf(sessionId, { id: inputId });
  if ((await host.store.getRun(runId)) !== null) {
    // The input was already sent when its time came, so other content with the same id is a conflict.
    const run = await startRun(host.store, sessionId, input, present({ id, agent: answering, priority }));
    if (again) await askAgain(host, run);
    return await knownRun(host, run, id ?? null);
  }
  const at = new Date(time).toISOString();
  await schedule(host.store, at, {
    sessionId,
    input,
    agent: answering,
    id: inputId,
    ...present({ priority }),
  });
  return { id: id ?? null, runId, sessionId, agent: answering, status: "scheduled" };
}

/** Returns the input with its first run, and the status of its newest attempt. */
async function knownRun({ store }: Host, run: Run, id: string | null): Promise<SentRun> {
  const sent = toSentRun(run, id);
  if (run.status === "pending") return sent;
  const { status } = (await store.getRun(await latestAttempt(store, run.runId))) ?? run;
  const isWithoutAnswer = status !== "completed" && RUN_END_STATUSES.includes(status);
  const isDead = isWithoutAnswer && (await deadLetterOf(store, run.runId)) !== null;
  return { ...sent, status: isDead ? "dead_letter" : status };
}

/** Errors: `not_found`. */
async function findRun({ store }: Host, sessionId: string, id: string): Promise<SentRun> {
  const sent = await store.getRun(runIdOf(sessionId, { id }));
  const run = sent ?? (await store.getRun(id));
  if (run !== null && run.sessionId === sessionId) {
    // The events of an input are those of its first run and of every attempt after it.
    return { ...toSentRun(run, sent === null ? null : id), runId: rootIn(run) };
  }
  throw new ContinuoError(
    "not_found",
    `there is no run ${JSON.stringify(id)} in ${JSON.stringify(sessionId)}`,
  );
}

/** Errors: `invalid`, `usage`. */
async function newEvent(
  type: string | DefinedEvent<unknown>,
  data: unknown,
  options: AppendOptions,
): Promise<NewEvent> {
  assertKnownOptions("append", options, APPEND_OPTIONS);
  const { id = randomUUID(), runId } = options;
  const own = { id, ...present({ runId }) };
  if (typeof type === "string") return { ...own, type, data: checked(type, data) };
  return { ...own, type: type.type, data: await type.parse(data) };
}

/** Errors: `invalid`. */
function checked(type: string, data: unknown): unknown {
  if (!isEventType(type)) {
    throw new ContinuoError("invalid", `cannot append ${type}: this is not a type of Continuo`, {
      hint: "Correct the type (docs/events.md lists them), or define a type of your own with `defineEvent`.",
      hintFor: "program",
      details: { type },
    });
  }
  const problem = payloadProblem(type, data);
  if (problem === undefined) return data;
  throw new ContinuoError("invalid", `cannot append ${type}: ${problem.replace(/\.$/u, "")}`, {
    hint: "See docs/events.md for the payloads of events.",
    details: { type },
  });
}
