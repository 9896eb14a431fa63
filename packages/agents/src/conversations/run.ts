/** Executes a turn as a run of the session manager, and reports on it. */

import { randomUUID } from "node:crypto";
import {
  type Agent,
  type AgentEvent,
  type Block,
  capabilitiesOf,
  cutText,
  isContinuoError,
  present,
  type Session,
  type Store,
} from "@continuo/core/model";
import { estimateTokens } from "@continuo/core/transcript";
import {
  type Continuation,
  type ContinuationOptions,
  type RunInput,
  type RunResult,
  runOnce,
  wake,
} from "@continuo/store/sessions";
import type { AgentSettings, ContinuationMode } from "../config/index.ts";
import type { ConversationAgent } from "./conversation-agent.ts";
import type { Recovery, UnansweredInput } from "./crash-recovery.ts";
import type { TalkFlags } from "./flags.ts";
import { nativeIdOf } from "./native-id.ts";

/** The origin of an input, for callers that may have to give it again. */
export interface TurnInput {
  /** The caller's own id of the input; `Talk.earlierTurn` finds the turn by it. */
  readonly inputId?: string;
  /** The interrupted run that had this input: the agent does not receive the input twice. */
  readonly retryOf?: string;
  /** The id of the run; a new id by default. */
  readonly runId?: string;
  /** Called with the id of the run that tries again, if the agent could not resume its session. */
  readonly onNextRun?: (runId: string) => void;
}

export interface TurnOptions {
  readonly store: Store;
  readonly agent: Agent & Pick<ConversationAgent, "conversationTokens">;
  readonly session: Session;
  readonly input: RunInput;
  readonly onEvent: (event: AgentEvent) => Promise<void>;
  readonly signal: AbortSignal;
  readonly note: (text: string) => void;
  readonly flags: TalkFlags;
  readonly settings: AgentSettings;
  readonly continuation: ContinuationMode;
  /**
   * The place of earlier messages. `elsewhere`: in the native session from which this session was imported, and no turn
   * was taken in this session yet.
   */
  readonly before: "nothing" | "elsewhere" | "here";
  readonly turnInput?: TurnInput;
  /** True if the agent's own record already has this input, from a run that a crash ended. */
  readonly isHeard?: boolean;
}

export interface TurnResult {
  readonly result: RunResult;
  /** The session after the turn. */
  readonly session: Session;
  /** `false` if the first turn failed before the agent did anything. In that case, the session was deleted. */
  readonly isKept: boolean;
}

/** Errors: as `executeRun`. */
export async function runTurn(options: TurnOptions): Promise<TurnResult> {
  const { store, session, settings, signal } = options;
  const since = await store.latestSequence(session.sessionId);
  const result = await runMissing(options).catch(async (error: unknown) => {
    if (!signal.aborted) await deleteUnanswered(options, since);
    throw error;
  });
  if (result.status === "failed" && (await deleteUnanswered(options, since))) {
    return { result, session, isKept: false };
  }
  const after = (await store.getSession(session.sessionId)) ?? session;
  if (after.agent === settings.name) return { result, session: after, isKept: true };
  const named = await store.updateSession(session.sessionId, { agent: settings.name });
  return { result, session: named, isKept: true };
}

/**
 * Returns true if the first turn failed before the agent did anything. The session is then deleted, because it has
 * only the question, or the copy of an agent's own session.
 */
async function deleteUnanswered(
  { store, session, before, turnInput = {} }: TurnOptions,
  since: number,
): Promise<boolean> {
  // A caller with ids of its own for inputs needs the session to ask again.
  if (before === "here" || turnInput.inputId !== undefined) return false;
  const types = ["message_received", "message_streamed", "tool_call_started"] as const;
  const { events } = await store.read(session.sessionId, { after: since, types: [...types], limit: 1 });
  if (events.length > 0) return false;
  // Another process found the session, and runs a turn in it or waits to run one.
  const { items } = await store.listRuns({ sessionId: session.sessionId, status: ["pending", "running"] });
  if (items.length > 0) return false;
  await store.deleteSession(session.sessionId, {
    reason: "the first turn failed before the agent did anything",
  });
  return true;
}

/** Executes the run, and applies the caller's choice if the agent cannot resume its session. */
async function runMissing(options: TurnOptions): Promise<RunResult> {
  const { settings, note, isHeard = false } = options;
  const asked = continuationOf(options);
  // `auto` must not send the input twice. A person may choose to send it again.
  const continuation = isHeard && asked === "auto" ? "native" : asked;
  try {
    return await runWith(options, continuation);
  } catch (error) {
    const isNew = settings.session.onMissing === "new" && asked === "native";
    const isLost = isContinuoError(error, "native_unavailable") && (isNew || continuation !== asked);
    if (!isLost) throw error;
    if (isNew) note(`${error.message} a new session was started`);
    // This is the next attempt at the same input, which the session already has. Only the run needs a new id.
    const { inputId, retryOf, onNextRun } = options.turnInput ?? {};
    const runId = randomUUID();
    onNextRun?.(runId);
    return await runWith(
      { ...options, turnInput: present({ inputId, retryOf, runId }) },
      isNew ? false : asked,
    );
  }
}

function continuationOf({ flags, continuation, settings, session, before }: TurnOptions): Continuation {
  if (before === "nothing") return false;
  if (flags.continuation !== undefined) return flags.continuation === "none" ? false : flags.continuation;
  if (continuation !== "auto") return continuation;
  const isStrict =
    (before === "elsewhere" || flags.onMissing !== undefined) && nativeIdOf(session, settings.name) !== null;
  return isStrict && settings.session.onMissing !== "replay" ? "native" : "auto";
}

async function runWith(options: TurnOptions, continuation: Continuation): Promise<RunResult> {
  const { store, agent, session, input, signal, settings, flags, onEvent, note } = options;
  const { inputId, retryOf, runId } = options.turnInput ?? {};
  return await runOnce(store, withListener(agent, onEvent), input, {
    sessionId: session.sessionId,
    continuation,
    signal,
    budget: settings.budget,
    continuationOpts: continuation === false ? settings.context : await contextOf(options),
    ...present({ metadata: inputId === undefined ? undefined : { inputId }, retryOf, runId }),
    onStored: (events) => {
      for (const { type, data } of events) if (type === "budget_exceeded") note(overBudget(data));
    },
    ...present({ timeoutMs: flags.timeout }),
  });
}

/** The settings of the context, limited to the size that the model accepts. */
async function contextOf({ agent, settings: { context } }: TurnOptions): Promise<ContinuationOptions> {
  const most = await agent.conversationTokens?.();
  if (most === undefined) return context;
  const maxTokensApprox = Math.min(most, context.maxTokensApprox ?? most);
  return { ...context, maxTokensApprox, tokenizer: estimateTokens };
}

function overBudget(data: unknown): string {
  const { limit, value, allowed } = data as Readonly<Record<string, unknown>>;
  return `the turn was cancelled, because its budget was exceeded: ${String(limit)} ${String(value)} of ${String(allowed)}`;
}

/** Wraps the agent so that its events are shown to the person while they are stored. */
function withListener(agent: Agent, onEvent: (event: AgentEvent) => Promise<void>): Agent {
  return {
    name: agent.name,
    capabilities: (call) => capabilitiesOf(agent, call),
    execute: (request, call) =>
      agent.execute(request, {
        ...call,
        onEvent: async (event) => {
          await Promise.all([call.onEvent(event), onEvent(event)]);
        },
      }),
  };
}

export interface WokenSession {
  /** The session in its present state. */
  readonly session: Session;
  /** The newest input without an answer. */
  readonly unanswered: UnansweredInput | null;
  /** True if the agent's own record contains that input, so that its native session can continue. */
  readonly isHeard: boolean;
  /**
   * True if a crash may have cut off other inputs too: several are known, or another process still runs the session.
   */
  readonly mayHaveMore: boolean;
}

export interface WakeOptions extends Recovery {
  readonly note: (text: string) => void;
}

/** Ends and reports the runs that a crash left unfinished. */
export async function wakeSession({ note, ...recovery }: WakeOptions): Promise<WokenSession> {
  const { store, session: before } = recovery;
  const { sessionId } = before;
  const { unprocessed, heldBy } = await wake(store, sessionId);
  const session = (await store.getSession(sessionId)) ?? before;
  if (heldBy !== null) note("another process is running this session: your turn waits for its end");
  const last = unprocessed.at(-1);
  const mayHaveMore = heldBy !== null || unprocessed.length > 1;
  if (last === undefined) return { session, unanswered: null, isHeard: false, mayHaveMore };
  note(`the last turn was interrupted; its prompt was: ${titleOf(textIn(last.input))}`);
  const unanswered = { runId: last.runId, sessionId, input: last.input };
  const { referToNativeRecord } = await import("./crash-recovery.ts");
  const now = await referToNativeRecord(unanswered, { ...recovery, session });
  return { session: now ?? session, unanswered, isHeard: now !== null, mayHaveMore };
}

function textIn(blocks: readonly Block[]): string {
  return blocks.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join(" ");
}

const MAX_TITLE_CHARS = 80;

/** Makes a title from the first line of the input. */
export function titleOf(input: RunInput): string {
  const words = typeof input === "string" ? input : textIn(input);
  const [line = ""] = words.trim().split("\n");
  const text = line.trim();
  if (text === "") return "untitled";
  return text.length <= MAX_TITLE_CHARS ? text : `${cutText(text, MAX_TITLE_CHARS - 1).trimEnd()}…`;
}
