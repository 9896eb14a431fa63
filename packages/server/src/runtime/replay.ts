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
import { isInput, type RunInput, runOnce } from "@continuo/store/sessions";
import { contextOf, toDefinition } from "./agents.ts";
import { callsIn, type RecordedCalls, recordedCalls } from "./recorded-calls.ts";
import { REPLAY } from "./retries.ts";
import type { AgentDefinition, ReplayedRun, ReplayOptions } from "./types.ts";
import { openWorkingCopy } from "./working-copy.ts";

/** The largest number of inputs of one replay: each is at least one call of a model, and its result is in memory. */
const MAX_INPUTS = 1_000;

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
  { agent: given, runs, tools = "run", keep = false, signal }: ReplayOptions<Value>,
): Promise<readonly ReplayedRun[]> {
  const agent = toDefinition(given);
  const isRecorded = tools === "recorded";
  if (isRecorded && agent.answersCalls !== true) {
    throw new ContinuoError("unsupported", `the agent ${agent.name} runs its tools by itself`, {
      hint: "Leave out `tools`, or give an agent that `defineAgent` made.",
      hintFor: "program",
    });
  }
  const all = await inputsOf(store, sessionId).catch((error: unknown) => rethrowForSession(error, sessionId));
  const chosen = chosenInputs(all, { sessionId, runs });
  await using forks = await openForks(store, sessionId, keep);
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

/** Errors: `not_found` for a run that is not one of the session, `too_large` for too many inputs. */
function chosenInputs(
  all: readonly RecordedInput[],
  { sessionId, runs }: { readonly sessionId: string; readonly runs: readonly string[] | undefined },
): readonly RecordedInput[] {
  const chosen =
    runs === undefined ? all : all.filter(({ runIds }) => runIds.some((runId) => runs.includes(runId)));
  const missing = runs?.find((runId) => !chosen.some(({ runIds }) => runIds.includes(runId)));
  if (missing !== undefined) {
    throw new ContinuoError("not_found", `the session ${sessionId} has no input of a run ${missing}`, {
      hint: "Read the ids of the runs from `store.listRuns({ sessionId })`.",
      hintFor: "program",
      details: { sessionId, runId: missing },
    });
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
  readonly input: RunInput;
  /** The runs of all attempts; none for an imported input. */
  readonly runIds: string[];
  /** The sequence of the last event before the input, and that of the next imported input. */
  readonly before: number;
  end: number;
  answer: RecordedAnswer;
}

interface RecordedAnswer {
  readonly text: string;
  /** The tools by the ids of their calls: a message that has grown is imported again, with the same calls. */
  readonly calls: ReadonlyMap<string, string>;
  /** The usage of each imported message, which is reported again when the message has grown. */
  readonly usages: ReadonlyMap<string, Usage>;
  readonly usage?: Usage;
}

const NO_ANSWER: RecordedAnswer = { text: "", calls: new Map(), usages: new Map() };

function toAnswer({ text, calls, usage }: RecordedAnswer): ReplayedRun["before"] {
  return { text, tools: [...calls.values()], ...present({ usage }) };
}

/**
 * The inputs of runs and the imported inputs, in their order. The answer to a retry replaces the answer that it
 * repeats.
 */
async function inputsOf(store: Store, sessionId: string): Promise<readonly RecordedInput[]> {
  let inputs: RecordedInput[] = [];
  const byRun = new Map<string, RecordedInput>();
  let imported: RecordedInput | null = null;
  let namesPersons = false;
  for await (const event of readAll(store, sessionId)) {
    const said = inputIn(event);
    const repeated = retriedIn(event);
    if (repeated !== null && event.runId !== undefined) {
      const first = byRun.get(repeated);
      if (first === undefined) continue;
      // A failed attempt has no answer.
      first.answer = NO_ANSWER;
      first.runIds.push(event.runId);
      byRun.set(event.runId, first);
    } else if (said !== null && said.runId !== null) {
      inputs.push(said);
      byRun.set(said.runId, said);
    } else if (said !== null) {
      const isPerson = event.actor?.kind === "person";
      // Agents also receive inputs that no person wrote. Only a log that names persons can tell the two apart.
      if (namesPersons && !isPerson) continue;
      if (isPerson && !namesPersons) inputs = inputs.filter(({ runId }) => runId !== null);
      namesPersons ||= isPerson;
      if (imported !== null) imported.end = said.before + 1;
      inputs.push(said);
      imported = said;
    } else {
      const answered = event.runId === undefined ? imported : byRun.get(event.runId);
      if (answered) answered.answer = withEvent(answered.answer, event);
    }
  }
  return inputs;
}

function inputIn(event: StoredEvent): RecordedInput | null {
  const { runId = null, sequence } = event;
  const runIds = runId === null ? [] : [runId];
  const place = { runId, runIds, before: sequence - 1, end: Number.MAX_SAFE_INTEGER, answer: NO_ANSWER };
  if (isEvent(event, "run_created")) {
    const { input } = event.data;
    return isInput(input) && retriedIn(event) === null ? { ...place, input } : null;
  }
  if (!isEvent(event, "message_sent") || runId !== null) return null;
  const { content, role = "user" } = event.data;
  return role === "user" && isInput(content) ? { ...place, input: content } : null;
}

/** Returns the id of the first run with the input that this run repeats. */
function retriedIn(event: StoredEvent): string | null {
  const retryOf = isEvent(event, "run_created") ? event.data.metadata?.retryOf : undefined;
  return typeof retryOf === "string" ? retryOf : null;
}

function withEvent(answer: RecordedAnswer, event: StoredEvent): RecordedAnswer {
  const made = callsIn(event);
  if (made.length > 0) {
    const calls = new Map(answer.calls);
    for (const { toolCallId, toolName } of made) calls.set(toolCallId, toolName);
    return withWords({ ...answer, calls }, event);
  }
  return withWords(answer, event);
}

function withWords(answer: RecordedAnswer, event: StoredEvent): RecordedAnswer {
  if (isEvent(event, "message_received")) {
    const { content, usage, messageId = event.id } = event.data;
    const text = typeof content === "string" ? content : textOf(content);
    // The end of a run has the usage of the whole run.
    const own = event.runId === undefined && usage !== undefined ? withUsage(answer, messageId, usage) : {};
    // A message that only calls tools keeps the words before it as the answer.
    return { ...answer, ...own, text: text === "" ? answer.text : text };
  }
  if (isEvent(event, "run_completed") || isEvent(event, "run_failed"))
    return { ...answer, ...present({ usage: event.data.usage }) };
  return answer;
}

function withUsage(
  { usages, usage: sum }: RecordedAnswer,
  messageId: string,
  usage: Usage,
): Pick<RecordedAnswer, "usage" | "usages"> {
  const instead = usages.get(messageId);
  return { usage: addUsage(sum, usage, { instead }), usages: new Map(usages).set(messageId, usage) };
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
    input: typeof input === "string" ? input : textOf(input),
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
  let answer = NO_ANSWER;
  for await (const event of readAll(store, sessionId, { runId })) answer = withEvent(answer, event);
  return answer;
}
