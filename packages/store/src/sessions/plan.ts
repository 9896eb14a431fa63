/**
 * The plan of a turn: which part of the earlier conversation the agent receives, decided before the agent is
 * called.
 */

import {
  type Agent,
  type AgentRequest,
  type AgentTranscript,
  ContinuoError,
  capabilitiesOf,
  isContinuoError,
  type Message,
  type NativeRef,
  present,
  type Resumption,
  type Run,
  type Session,
  type Store,
  toPlainJson,
} from "@continuo/core/model";
import {
  type OmittedMessages,
  planContext,
  type Transcript,
  TranscriptBuilder,
  withoutReason,
  withoutReplaced,
} from "@continuo/core/transcript";
import type { ContinuationOptions, ContinuationWish } from "./continuation.ts";
import { CUT_OFF } from "./interrupt.ts";
import { interruptedReference, type Reference, referenceOf, toNativeRef, usedNative } from "./references.ts";

export interface Plan {
  readonly kind: "native" | "replay" | "new";
  readonly transcript?: AgentTranscript;
  readonly nativeRef?: NativeRef;
  /** The sequence up to which the native session of `nativeRef` has everything. */
  readonly baseSequence?: number;
  readonly resumption: Resumption;
  /** After its answer, the agent knows everything in the log up to this sequence. */
  readonly knownUpTo: number;
}

export interface PlanOptions {
  readonly store: Store;
  readonly agent: Agent;
  readonly session: Session;
  readonly asked: ContinuationWish;
  /** The run's own messages are not part of the earlier conversation. */
  readonly runId: string;
  /** The caller's own word for the continuation. */
  readonly requested: string;
  readonly limits: ContinuationOptions;
  /** The event that holds the same input from an earlier attempt: it is the prompt now, so not part of the history. */
  readonly sentBefore: number | null;
  /** The run that gave the input to an agent at that time. */
  readonly heardBy: Run | null;
  /** If that run was interrupted, its native session continues. */
  readonly resumeInterrupted: boolean;
  readonly signal: AbortSignal;
}

/** Errors: `native_unavailable` if `native` was requested and is not possible; those of the store. */
export async function planRun(options: PlanOptions): Promise<Plan> {
  const { asked, requested, agent, session } = options;
  if (asked === "new") {
    const resumption: Resumption = { requested, happened: "new", verifiedBy: "none" };
    return { kind: "new", resumption, knownUpTo: 0 };
  }
  if (asked === "replay") return replay(options);
  const interrupted = await interruptedIn(options);
  if (interrupted !== null) return native(options, interrupted);
  const obstacle = await obstacleOf(options);
  if (obstacle === null) return native(options, referenceOf(session, agent.name));
  if (asked !== "native") return replay(options, obstacle);
  const beginning = await beginningOf(options);
  if (beginning !== null) return beginning;
  throw nativeUnavailable(agent.name, session.sessionId, obstacle);
}

/**
 * In a session without messages, an agent with native sessions begins one, which is a native continuation too.
 */
async function beginningOf(options: PlanOptions): Promise<Plan | null> {
  const { agent, session, signal } = options;
  if (referenceOf(session, agent.name) !== null) return null;
  if (!(await capabilitiesOf(agent, { signal })).native) return null;
  const plan = await replay(options);
  return plan.kind === "new" && plan.resumption.omitted === undefined ? plan : null;
}

/** The native session of the interrupted run that had this input, if its agent can continue it. */
async function interruptedIn(options: PlanOptions): Promise<Reference | null> {
  const { agent, session, asked, heardBy, resumeInterrupted, signal } = options;
  if (!resumeInterrupted || asked !== "auto" || heardBy?.status !== "interrupted") return null;
  const reference = interruptedReference(session, agent.name, heardBy.metadata);
  if (reference === null) return null;
  return (await capabilitiesOf(agent, { signal })).native ? reference : null;
}

/** Why the session cannot continue natively; `null` if it can. */
async function obstacleOf(options: PlanOptions): Promise<string | null> {
  const { agent, session, asked, sentBefore, heardBy, signal } = options;
  const reference = referenceOf(session, agent.name);
  if (reference === null) return `there is no native session of ${agent.name} yet`;
  // A caller that requires `native` accepts that the input may be sent twice; `auto` never sends it twice.
  if (reference.state === "unsure" && asked === "auto") {
    return `a turn on the native session ${reference.sessionId} was cut off, and nobody knows what it received`;
  }
  const isHeard = sentBefore !== null && sentBefore <= reference.baseSequence;
  const heardIn = heardBy === null ? null : usedNative(heardBy.metadata);
  if ((isHeard || heardIn?.sessionId === reference.sessionId) && asked === "auto") {
    return `the native session ${reference.sessionId} has already received this input`;
  }
  const capabilities = await capabilitiesOf(agent, { signal });
  return capabilities.native ? null : `${agent.name} cannot continue a native session`;
}

export function nativeUnavailable(
  agent: string,
  sessionId: string,
  reason: string,
  cause?: unknown,
): ContinuoError {
  const steps = isContinuoError(cause) ? cause.details.steps : undefined;
  return new ContinuoError(
    "native_unavailable",
    `cannot continue the session natively in ${agent}: ${reason}`,
    present({
      hint: "Use the continuation `auto` or `replay`.",
      details: present({ sessionId, agent, reason, steps }),
      cause,
    }),
  );
}

/** Plans to give the agent the whole context as messages. */
export async function replay(options: PlanOptions, reason?: string): Promise<Plan> {
  const { requested } = options;
  const { transcript, omitted, lastSequence } = view(
    options,
    { ...(await readAfter(options, 0)), after: 0 },
    () => true,
  );
  const told = toldOf(omitted);
  if (transcript === null) {
    // A limit may leave out all earlier messages, which differs from having none.
    const said =
      omitted === undefined
        ? "there is no earlier message"
        : "the events that were read contain no earlier message";
    const why = reason === undefined ? said : `${reason}; ${said}`;
    const resumption: Resumption = { requested, happened: "new", verifiedBy: "none", reason: why, ...told };
    return { kind: "new", resumption, knownUpTo: lastSequence };
  }
  const resumption: Resumption = {
    requested,
    happened: "replay",
    verifiedBy: "none",
    ...present({ reason }),
    ...told,
  };
  return { kind: "replay", transcript, resumption, knownUpTo: lastSequence };
}

/** Plans to continue the native session with the messages that it does not have. */
async function native(options: PlanOptions, reference: Reference | null): Promise<Plan> {
  const { agent, session, requested } = options;
  if (reference === null) throw nativeUnavailable(agent.name, session.sessionId, "there is none");
  const nativeRef = toNativeRef(agent.name, reference);
  const after = reference.baseSequence;
  const read = await readAfter(options, after);
  const own = await ownRuns(options, read.messages, nativeRef);
  const here = `${nativeRef.agent}:${nativeRef.sessionId}`;
  const isNews = ({ metadata, stopReason }: Message): boolean =>
    // The log took this turn of the agent's own program from this native session.
    metadata.nativeTurn !== here &&
    (!own.has(String(metadata.runId)) ||
      END_NOTES.has(String(metadata.note)) ||
      // The last words before a process ended may be only in the log.
      stopReason === CUT_OFF);
  const { transcript, omitted, lastSequence } = view(options, { ...read, after }, isNews);
  const unsure = reference.state === "unsure" ? { reason: "an earlier turn on it was cut off" } : {};
  return present({
    kind: "native",
    nativeRef,
    baseSequence: after,
    transcript: transcript ?? undefined,
    resumption: {
      requested,
      happened: "native",
      ref: nativeRef,
      verifiedBy: "none",
      ...unsure,
      ...toldOf(omitted),
    },
    knownUpTo: lastSequence,
  });
}

function toldOf(omitted: OmittedMessages | undefined): Pick<Resumption, "omitted"> {
  return omitted === undefined ? {} : { omitted: { ...omitted } };
}

/** The agent receives these notes even about its own turns, because the native session does not know how they ended. */
const END_NOTES: ReadonlySet<string> = new Set([
  "run_failed",
  "run_cancelled",
  "run_timed_out",
  "run_interrupted",
  "budget_exceeded",
]);

/** The runs of these messages that took place in the native session itself. */
async function ownRuns(
  { store, signal }: PlanOptions,
  messages: readonly Message[],
  ref: NativeRef,
): Promise<ReadonlySet<string>> {
  const own = new Set<string>();
  // Messages of other agents are not looked up, so that the cost does not grow with them.
  const isOthers = ({ metadata }: Message): boolean =>
    typeof metadata.agent === "string" && metadata.agent !== ref.agent;
  const others = new Set(messages.filter(isOthers).map(({ metadata }) => metadata.runId));
  for (const runId of new Set(messages.map(({ metadata }) => metadata.runId)).difference(others)) {
    const run = typeof runId === "string" ? await store.getRun(runId, { signal }) : null;
    const used = run === null ? null : usedNative(run.metadata);
    if (run !== null && used?.sessionId === ref.sessionId && used.agent === ref.agent) own.add(run.runId);
  }
  return own;
}

interface View {
  /** `null` if nothing is left. */
  readonly transcript: AgentTranscript | null;
  /** The part that the limits left out, including events that were not read. */
  readonly omitted?: OmittedMessages;
  readonly lastSequence: number;
}

/** Reads the messages after a sequence, only as many as the limits allow. */
async function readAfter(
  { store, session, limits, signal }: PlanOptions,
  after: number,
): Promise<Transcript> {
  return await TranscriptBuilder.readForBudget(store, session.sessionId, { ...limits, after, signal });
}

/** The transcript within the limits, with only the messages that are new to the agent. */
function view(
  { runId, limits, sentBefore }: PlanOptions,
  { after, ...read }: Transcript & { readonly after: number },
  isNews: (message: Message) => boolean,
): View {
  const { limit: _, ...budget } = limits;
  const { tokenizer: __, ...bounds } = budget;
  const lastSequence = Math.max(after, read.lastSequence);
  const messages = withoutReplaced(read.messages)
    .filter(
      (message) =>
        isNews(message) &&
        message.metadata.runId !== runId &&
        (sentBefore === null || message.metadata.sequence !== sentBefore),
    )
    .map(withoutReason);
  // The state of the fold is only needed for updates, and this transcript is not updated.
  const { fold: ___, older, ...metadata } = read.metadata;
  const isLimited = Object.values(bounds).some((bound) => bound !== undefined);
  const isCut = older !== undefined && older.lastSequence > after;
  if (messages.length === 0 && !isCut) return { transcript: null, lastSequence };
  if (!isLimited && !isCut) return { transcript: { ...read, messages, metadata }, lastSequence };
  const plan = planContext(messages, budget);
  const omitted = isCut ? withUnread(plan.omitted, after, read) : plan.omitted;
  if (messages.length === 0) return { transcript: null, omitted, lastSequence };
  const seen = { ...metadata, ...(isCut ? { older } : {}), omitted };
  return { transcript: { ...read, messages: plan.messages, metadata: seen }, omitted, lastSequence };
}

/** Adds the events after a sequence that were not read, and the results whose calls are among them. */
function withUnread(omitted: OmittedMessages, after: number, { metadata }: Transcript): OmittedMessages {
  const { calls, results } = omitted.halves;
  const { events, lastSequence } = metadata.older ?? { events: after, lastSequence: after };
  return {
    ...omitted,
    events: omitted.events + events - after,
    firstSequence: after + 1,
    lastSequence: omitted.lastSequence ?? lastSequence,
    halves: { calls, results: results + metadata.resultsWithoutCall },
  };
}

/** Returns copies, because an agent may change the values that it receives. */
export function requestOf(
  { session, run, input }: Pick<AgentRequest, "run" | "input"> & { readonly session: Session },
  { transcript, nativeRef }: Pick<Plan, "transcript" | "nativeRef">,
): AgentRequest {
  const context = transcript === undefined ? {} : { transcript };
  const own = toPlainJson({ session, run, input, ...present({ nativeRef }) }) as Omit<
    AgentRequest,
    "transcript"
  >;
  return { ...own, session: { ...own.session, context }, ...context };
}
