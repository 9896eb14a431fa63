/** Evaluation by replay: another agent gets each input of a session, after the same earlier conversation. */

import {
  type Agent,
  addUsage,
  ContinuoError,
  cancellable,
  isEvent,
  present,
  readAll,
  rethrowForSession,
  type Session,
  type Store,
  type StoredEvent,
  textOf,
  type Usage,
} from "@continuo/core/model";
import { spokenText } from "@continuo/core/transcript";
import { isInput, type RunInput, runOnce } from "@continuo/store/sessions";
import { contextOf, toDefinition } from "./agents.ts";
import { isOfImport } from "./imported-messages.ts";
import { callsIn, type RecordedCalls, recordedCalls } from "./recorded-calls.ts";
import { REPLAY } from "./retries.ts";
import type { AgentDefinition, LeftOutInput, ReplayedRun, ReplayOptions } from "./types.ts";
import { openWorkingCopy } from "./working-copy.ts";

/** The largest number of inputs of one replay: each is at least one call of a model, and its result is in memory. */
const MAX_INPUTS = 1_000;
/** Events of one append. */
const HIDDEN_AT_ONCE = 256;

/**
 * Each input is replayed in a fork of the original session, so that the earlier answers are the original ones. The forks
 * are in memory, unless the caller keeps them.
 */
export async function replaySession<Value>(
  store: Store,
  sessionId: string,
  options: ReplayOptions<Value>,
): Promise<readonly ReplayedRun[]> {
  return await cancellable(options.signal, () => replay(store, sessionId, options));
}

async function replay<Value>(
  store: Store,
  sessionId: string,
  { agent: given, runs, tools = "run", keep = false, onLeftOut, signal }: ReplayOptions<Value>,
): Promise<readonly ReplayedRun[]> {
  const agent = toDefinition(given);
  const isRecorded = tools === "recorded";
  if (isRecorded && agent.answersCalls !== true) {
    throw new ContinuoError("unsupported", `the agent ${agent.name} runs its tools by itself`, {
      hint: "Leave out `tools`, or give an agent that `defineAgent` made.",
      hintFor: "program",
    });
  }
  const { inputs, hidden } = await inputsOf(store, sessionId).catch((error: unknown) =>
    rethrowForSession(error, sessionId),
  );
  const chosen = chosenInputs(inputs, { sessionId, runs, onLeftOut });
  await using forks = hidingForks(await openForks(store, sessionId, keep), hidden);
  const replayed: ReplayedRun[] = [];
  for (const said of chosen) {
    signal?.throwIfAborted();
    const recorded = isRecorded ? await recordedCalls(store, sessionId, said) : null;
    replayed.push(await replayInput(forks, { said, agent, recorded, signal }));
  }
  return replayed;
}

interface Forks extends AsyncDisposable {
  readonly store: Store;
  fork(said: RecordedInput): Promise<Session>;
}

/** Errors: `not_found` for a session that was deleted in the meantime. */
async function openForks(store: Store, sessionId: string, keep: boolean): Promise<Forks> {
  if (keep) {
    const keptFork = ({ runId, before }: RecordedInput): Promise<Session> =>
      store.createSession({
        forkedFrom: { logId: sessionId, sequence: before },
        metadata: {
          replayOf: sessionId,
          replayAt: before + 1,
          ...present({ replayedRun: runId ?? undefined }),
        },
      });
    return { store, fork: keptFork, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const original = await store.getSession(sessionId);
  if (original === null) throw new ContinuoError("not_found", `there is no session ${sessionId}`);
  const copy = await openWorkingCopy(store, original);
  return {
    store: copy.store,
    fork: ({ before, input }) => copy.fork(before, input),
    [Symbol.asyncDispose]: () => copy[Symbol.asyncDispose](),
  };
}

/**
 * A later import hides the messages of a branch that a person left. An imported input of another branch had an earlier
 * conversation without them.
 */
function hidingForks(forks: Forks, hidden: RecordedInputs["hidden"]): Forks {
  return {
    store: forks.store,
    async fork(said) {
      const session = await forks.fork(said);
      const left = [...hidden].filter(([, sequence]) => said.runId === null && sequence <= said.before);
      const events = left.map(([messageId]) => ({ type: "message_deleted", data: { messageId } }));
      for (let at = 0; at < events.length; at += HIDDEN_AT_ONCE) {
        await forks.store.append(session.sessionId, events.slice(at, at + HIDDEN_AT_ONCE));
      }
      return session;
    },
    [Symbol.asyncDispose]: () => forks[Symbol.asyncDispose](),
  };
}

interface Choice {
  readonly sessionId: string;
  readonly runs: ReplayOptions["runs"] | undefined;
  readonly onLeftOut: ReplayOptions["onLeftOut"] | undefined;
}

/** Errors: `not_found` for a run that is not one of the session, `too_large` for too many inputs. */
function chosenInputs(
  all: readonly RecordedInput[],
  { sessionId, runs, onLeftOut }: Choice,
): readonly RecordedInput[] {
  const wanted =
    runs === undefined ? all : all.filter(({ runIds }) => runIds.some((runId) => runs.includes(runId)));
  const missing = runs?.find((runId) => !wanted.some(({ runIds }) => runIds.includes(runId)));
  if (missing !== undefined) {
    throw new ContinuoError("not_found", `the session ${sessionId} has no input of a run ${missing}`, {
      hint: "Read the ids of the runs from `store.listRuns({ sessionId })`.",
      hintFor: "program",
      details: { sessionId, runId: missing },
    });
  }
  const chosen: RecordedInput[] = [];
  for (const said of wanted) {
    const { leftOut: reason, before, input } = said;
    if (reason === null) chosen.push(said);
    else onLeftOut?.({ sequence: before + 1, input: wordsIn(input), reason });
  }
  if (chosen.length <= MAX_INPUTS) return chosen;
  throw new ContinuoError("too_large", `a replay of ${chosen.length} inputs is larger than ${MAX_INPUTS}`, {
    hint: "Choose inputs with `runs`.",
    hintFor: "program",
    details: { inputs: chosen.length, maximum: MAX_INPUTS },
  });
}

/** An input, and its answer as it is in the log. */
interface RecordedInput {
  /** `null` for an imported input, which no run of Continuo has. */
  readonly runId: string | null;
  input: RunInput;
  /** The runs of all attempts; none for an imported input. */
  readonly runIds: string[];
  /** The sequence of the last event before the input, and that of the next imported input. */
  readonly before: number;
  end: number;
  answer: RecordedAnswer;
  /** True if the log has the message of the run. */
  isSent: boolean;
  /** `null` for an input that is replayed. */
  leftOut: LeftOutInput["reason"] | null;
}

interface RecordedAnswer {
  /** The key is the id of a message or of a call outside of a message. A message that has grown is stored again. */
  readonly parts: Map<string, AnswerPart>;
  /** The usage of the whole run. */
  usage?: Usage;
}

interface AnswerPart {
  readonly text: string;
  /** The tools by the ids of their calls: an event can repeat a call. */
  readonly calls: ReadonlyMap<string, string>;
  /** Only of a message without a run. */
  readonly usage?: Usage;
}

function noAnswer(): RecordedAnswer {
  return { parts: new Map() };
}

function toAnswer({ parts, usage }: RecordedAnswer): ReplayedRun["before"] {
  const all = [...parts.values()];
  const calls = new Map(all.flatMap((part) => [...part.calls]));
  const sum = all
    .flatMap((part) => part.usage ?? [])
    .reduce<Usage | undefined>((before, more) => addUsage(before, more), undefined);
  return {
    // A message that only calls tools keeps the words before it as the answer.
    text: all.findLast(({ text }) => text !== "")?.text ?? "",
    tools: [...calls.values()],
    ...present({ usage: usage ?? sum }),
  };
}

interface RecordedInputs {
  /** In their order, with those that are not replayed. */
  readonly inputs: readonly RecordedInput[];
  /** The messages that a later import hid, with the sequence of their first event. */
  readonly hidden: ReadonlyMap<string, number>;
}

/** The state of the fold over the log. */
interface InputFold {
  readonly inputs: RecordedInput[];
  readonly hidden: Map<string, number>;
  readonly byRun: Map<string, RecordedInput>;
  /** The inputs that messages are, or that they answer. */
  readonly byMessage: Map<string, MessagePlace>;
  imported: RecordedInput | null;
  namesPersons: boolean;
}

interface MessagePlace {
  readonly sequence: number;
  readonly said: RecordedInput;
  readonly isInput: boolean;
}

/**
 * The inputs of runs and the imported inputs, in their order. The answer to a retry replaces the answer that it
 * repeats.
 */
async function inputsOf(store: Store, sessionId: string): Promise<RecordedInputs> {
  const fold: InputFold = {
    inputs: [],
    hidden: new Map(),
    byRun: new Map(),
    byMessage: new Map(),
    imported: null,
    namesPersons: false,
  };
  for await (const event of readAll(store, sessionId)) foldInput(fold, event);
  return fold;
}

function foldInput(fold: InputFold, event: StoredEvent): void {
  if (isEvent(event, "message_deleted")) {
    deleteMessage(fold, event.id, event.data.messageId);
    return;
  }
  const { runId } = event;
  const repeated = retriedIn(event);
  if (repeated !== null && runId !== undefined) {
    const first = fold.byRun.get(repeated);
    if (first === undefined) return;
    // A failed attempt has no answer.
    first.answer = noAnswer();
    first.runIds.push(runId);
    fold.byRun.set(runId, first);
    return;
  }
  const said = inputIn(event);
  if (said?.runId === null) {
    foldImported(fold, event, said);
  } else if (said !== null) {
    fold.inputs.push(said);
    fold.byRun.set(said.runId, said);
  } else {
    foldAnswer(fold, event);
  }
}

function foldAnswer(fold: InputFold, event: StoredEvent): void {
  const known = importedPlace(fold, event)?.said ?? fold.imported;
  const said = event.runId === undefined ? known : fold.byRun.get(event.runId);
  if (said === null || said === undefined) return;
  const isInput = said.runId !== null && !said.isSent && isEvent(event, "message_sent");
  said.isSent ||= isInput;
  notePlace(fold, event, { said, isInput });
  addPart(said.answer, event);
}

/** The place of a message that an import stores again, because it has grown or is shown again. */
function importedPlace(fold: InputFold, event: StoredEvent): MessagePlace | undefined {
  const [messageId = ""] = namesOf(event);
  return isOfImport(event.id, messageId) ? fold.byMessage.get(messageId) : undefined;
}

function notePlace(fold: InputFold, event: StoredEvent, place: Pick<MessagePlace, "said" | "isInput">): void {
  for (const name of namesOf(event)) {
    const sequence = fold.byMessage.get(name)?.sequence ?? event.sequence;
    fold.byMessage.set(name, { ...place, sequence });
    fold.hidden.delete(name);
  }
}

/** The names under which later events refer to the message of an event. */
function namesOf(event: StoredEvent): readonly string[] {
  if (!isEvent(event, "message_sent") && !isEvent(event, "message_received")) return [];
  const { messageId } = event.data;
  return messageId === undefined ? [event.id] : [messageId, event.id];
}

function foldImported(fold: InputFold, event: StoredEvent, said: RecordedInput): void {
  const known = importedPlace(fold, event);
  if (known?.isInput === true) {
    known.said.input = said.input;
    known.said.leftOut = said.leftOut;
    notePlace(fold, event, known);
    return;
  }
  notePlace(fold, event, { said, isInput: true });
  const isPerson = authorOf(event) === "person";
  if (isPerson && !fold.namesPersons) {
    for (const earlier of fold.inputs) if (earlier.runId === null) earlier.leftOut ??= "injected";
  }
  fold.namesPersons ||= isPerson;
  // Agents also receive inputs that no person wrote. Only a log that names persons can tell the two apart.
  if (fold.namesPersons && !isPerson) said.leftOut = "injected";
  fold.inputs.push(said);
  // After such a text, the agent continues its answer to the person.
  if (said.leftOut === "injected") return;
  if (fold.imported !== null) fold.imported.end = said.before + 1;
  fold.imported = said;
}

/** The origin that an import found counts before the actor of the event. */
function authorOf(event: StoredEvent): unknown {
  return originIn(event) ?? event.actor?.kind;
}

function originIn({ data }: StoredEvent): unknown {
  return (data as { readonly origin?: unknown } | null)?.origin;
}

function deleteMessage(fold: InputFold, eventId: string, name: string): void {
  const place = fold.byMessage.get(name);
  if (place === undefined) return;
  const { said, isInput, sequence } = place;
  if (isInput) said.leftOut ??= "deleted";
  // The conversation that an import shows never had these messages.
  if (!isOfImport(eventId, name)) return;
  fold.hidden.set(name, sequence);
  if (!isInput) said.answer.parts.delete(name);
}

function inputIn(event: StoredEvent): (RecordedInput & { readonly runId: string | null }) | null {
  const { runId = null, sequence } = event;
  const runIds = runId === null ? [] : [runId];
  const end = Number.MAX_SAFE_INTEGER;
  const place = {
    runId,
    runIds,
    before: sequence - 1,
    end,
    answer: noAnswer(),
    isSent: false,
    leftOut: null,
  };
  if (isEvent(event, "run_created")) {
    const { input } = event.data;
    return isInput(input) && retriedIn(event) === null ? { ...place, input } : null;
  }
  if (!isEvent(event, "message_sent") || runId !== null) return null;
  const { content, role = "user" } = event.data;
  if (role !== "user" || !isInput(content)) return null;
  const origin = originIn(event);
  if (origin !== undefined && origin !== "person") return { ...place, input: content, leftOut: "injected" };
  const text = wordsIn(content);
  // Agents record a person's commands to their own program in tags.
  return { ...place, input: content, leftOut: spokenText(text) === text ? null : "command" };
}

/** Returns the id of the first run with the input that this run repeats. */
function retriedIn(event: StoredEvent): string | null {
  const retryOf = isEvent(event, "run_created") ? event.data.metadata?.retryOf : undefined;
  return typeof retryOf === "string" ? retryOf : null;
}

function wordsIn(content: RunInput): string {
  return typeof content === "string" ? content : textOf(content);
}

function addPart(answer: RecordedAnswer, event: StoredEvent): void {
  if (isEvent(event, "run_completed") || isEvent(event, "run_failed")) {
    if (event.data.usage !== undefined) answer.usage = event.data.usage;
    return;
  }
  for (const [key, part] of partsIn(event)) {
    const before = answer.parts.get(key);
    const calls = new Map([...(before?.calls ?? []), ...part.calls]);
    const text = part.text === "" ? (before?.text ?? "") : part.text;
    answer.parts.set(key, { text, calls, ...present({ usage: part.usage ?? before?.usage }) });
  }
}

function partsIn(event: StoredEvent): readonly (readonly [string, AnswerPart])[] {
  const calls = callsIn(event).map(({ toolCallId, toolName }) => [toolCallId, toolName] as const);
  if (!isEvent(event, "message_received")) {
    return calls.map((call) => [`call ${call[0]}`, { text: "", calls: new Map([call]) }]);
  }
  const { content, usage, messageId = event.id } = event.data;
  // The end of a run has the usage of the whole run.
  const own = event.runId === undefined ? { usage } : {};
  return [[messageId, { text: wordsIn(content), calls: new Map(calls), ...present(own) }]];
}

interface InputReplay {
  readonly said: RecordedInput;
  readonly agent: AgentDefinition;
  /** `null` if the tools of the agent run. */
  readonly recorded: RecordedCalls | null;
  readonly signal: AbortSignal | undefined;
}

async function replayInput(
  { store, fork }: Forks,
  { said, agent, recorded, signal }: InputReplay,
): Promise<ReplayedRun> {
  const { runId, input, answer } = said;
  const opened = await agent.open({
    onPermission: async () => ({ outcome: "denied", by: "policy", reason: "nobody is asked in a replay" }),
    ...present({ answerCall: recorded?.answer }),
  });
  const result = await execute({ store, fork }, opened, { said, agent, signal });
  return {
    runId,
    input: wordsIn(input),
    before: toAnswer(answer),
    after: {
      ...toAnswer(await answerOf(store, result)),
      status: result.status,
      ...present({
        unrecorded: recorded?.unrecorded,
        value: "value" in result ? result.value : undefined,
      }),
    },
  };
}

/** The agent is open before the session of the input is made, so that no session stays for an agent that cannot open. */
async function execute(
  { store, fork }: Pick<Forks, "store" | "fork">,
  opened: Agent & Partial<AsyncDisposable>,
  { said, agent, signal }: Omit<InputReplay, "recorded">,
): ReturnType<typeof runOnce> {
  try {
    const { sessionId } = await fork(said);
    const options = present({ continuationOpts: await contextOf(agent), signal });
    const replayed = withOwnName(opened);
    const metadata = { [REPLAY]: true };
    return await runOnce(store, replayed, said.input, {
      sessionId,
      continuation: "replay",
      metadata,
      ...options,
    });
  } finally {
    await opened[Symbol.asyncDispose]?.();
  }
}

/** A worker must not take the run of a kept session for its own agent of the same name, whose tools would run. */
function withOwnName(agent: Agent): Agent {
  return { name: `replay of ${agent.name}`, execute: (request, options) => agent.execute(request, options) };
}

async function answerOf(
  store: Store,
  { sessionId, runId }: Awaited<ReturnType<typeof runOnce>>,
): Promise<RecordedAnswer> {
  const answer = noAnswer();
  for await (const event of readAll(store, sessionId, { runId })) addPart(answer, event);
  return answer;
}
