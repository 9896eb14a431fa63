/** One call of an agent: its input, the native session that it reports, and how it ends. */

import {
  type Agent,
  type AgentEvent,
  type AgentRequest,
  type ContinuoError,
  isContinuoError,
  knownError,
  type NativeRef,
  type ReplayForm,
  type ResumptionStep,
  type VerifiedBy,
} from "@continuo/core/model";
import { type CheckedResult, checkRef, checkResult } from "./agent-result.ts";
import { createRecorder, type Journal, type TurnJournal } from "./journal/index.ts";
import { nativeUnavailable } from "./plan.ts";
import { pause, type Stops, WAIT_OVER } from "./stops.ts";

/** The native session that the agent reports to use. */
export interface NativePlace {
  readonly ref: NativeRef;
  readonly verifiedBy: VerifiedBy;
  readonly happened: "resumed" | "created" | "forked";
  readonly replayedAs?: ReplayForm;
  readonly reason?: string;
  readonly steps?: readonly ResumptionStep[];
}

export type Outcome =
  | ({ readonly type: "done" } & CheckedResult)
  | { readonly type: "failed"; readonly error: Error }
  /**
   * The agent cannot continue natively, or another program has the session open (`session_live`); nothing reached the
   * model.
   */
  | { readonly type: "unavailable"; readonly error: ContinuoError }
  /** The agent was cancelled, and did not end in time. */
  | { readonly type: "left" };

export interface AttemptOptions {
  readonly agent: Agent;
  readonly request: AgentRequest;
  readonly adapterOpts: Readonly<Record<string, unknown>>;
  readonly turn: TurnJournal;
  readonly journal: Journal;
  readonly stops: Stops;
  readonly graceMs: number;
  /** Called each time that the agent reports its native session. */
  readonly onWhere: (where: NativePlace) => void;
  readonly onHeard: (event: AgentEvent) => void;
}

export async function attempt(options: AttemptOptions): Promise<Outcome> {
  const { agent, request, adapterOpts, turn, journal, stops } = options;
  const own = new AbortController();
  const confirmation = createConfirmation(options, (error) => own.abort(error));
  const recorder = createRecorder({
    turn,
    journal,
    inspect: confirmation.inspect,
    onHeard: options.onHeard,
  });
  const signal = AbortSignal.any([stops.signal, own.signal]);
  const call = async (): Promise<unknown> =>
    agent.execute(request, { ...adapterOpts, signal, onEvent: recorder.onEvent, onTools: recorder.onTools });
  try {
    const outcome = await ended(call(), { agent: agent.name, signal, graceMs: options.graceMs });
    const { error } = confirmation;
    if (error !== null) return { type: "unavailable", error };
    if (outcome.type !== "done") return outcome;
    return confirmation.confirm(outcome);
  } finally {
    recorder.close();
  }
}

interface OutcomeOptions {
  readonly agent: string;
  readonly signal: AbortSignal;
  readonly graceMs: number;
}

/** Only this function reads what the agent returns or throws. */
async function ended(call: Promise<unknown>, { agent, signal, graceMs }: OutcomeOptions): Promise<Outcome> {
  const settled = call.then(
    (result): Outcome => ({ type: "done", ...checkResult(result, agent) }),
    (thrown: unknown): Outcome => {
      const error = knownError(thrown);
      return isContinuoError(error, "native_unavailable") || (isLive(error) && error.details.began !== true)
        ? { type: "unavailable", error }
        : { type: "failed", error };
    },
  );
  const over = new AbortController();
  const left = aborted(signal, over.signal).then(async (): Promise<Outcome> => {
    await pause(graceMs, over.signal);
    return { type: "left" };
  });
  try {
    return await Promise.race([settled, left]);
  } finally {
    over.abort(WAIT_OVER);
  }
}

/** Another program writes to the native session; `details.began`: it began after the agent was called. */
export function isLive(error: unknown): error is ContinuoError {
  return isContinuoError(error, "session_live");
}

function aborted(signal: AbortSignal, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      signal.removeEventListener("abort", done);
      over.removeEventListener("abort", done);
      resolve();
    };
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", done, { once: true });
    over.addEventListener("abort", done, { once: true });
  });
}

interface Confirmation {
  readonly error: ContinuoError | null;
  readonly inspect: (event: AgentEvent) => void;
  /** The result, unless the agent was asked to continue natively and never confirmed it. */
  confirm(done: Extract<Outcome, { type: "done" }>): Outcome;
}

/** Events that do not belong to the turn may come before the agent reports its native session. */
const BEFORE: ReadonlySet<string> = new Set(["diagnostics", "mode", "title"]);

function createConfirmation(
  { agent, request, onWhere }: AttemptOptions,
  refuse: (error: ContinuoError) => void,
): Confirmation {
  const asked = request.nativeRef;
  let state: "open" | "confirmed" = asked === undefined ? "confirmed" : "open";
  let error: ContinuoError | null = null;
  const fail = (reason: string): ContinuoError => {
    error ??= nativeUnavailable(agent.name, request.session.sessionId, reason);
    refuse(error);
    return error;
  };
  const settle = (told: NativePlace): void => {
    const isOther = asked !== undefined && told.ref.sessionId !== asked.sessionId;
    if (asked !== undefined && told.happened === "created") {
      throw fail(`${agent.name} began another native session instead`);
    }
    state = "confirmed";
    onWhere(isOther ? { ...told, happened: "forked" } : told);
  };
  return {
    get error() {
      return error;
    },
    inspect: (event) => {
      if (error !== null) throw error;
      if (event.type === "native_session") settle({ ...event, ref: checkRef(event.ref, agent.name) });
      else if (state === "open" && !BEFORE.has(event.type)) {
        throw fail(`${agent.name} did not confirm that it continued ${asked?.sessionId}`);
      }
    },
    confirm: (done) => {
      const { nativeRef } = done.result;
      if (state === "open" && nativeRef === undefined) {
        return { type: "unavailable", error: fail(`${agent.name} did not report its native session`) };
      }
      if (state === "open" && nativeRef !== undefined) {
        settle({ ref: nativeRef, verifiedBy: "none", happened: "resumed" });
      }
      return done;
    },
  };
}
