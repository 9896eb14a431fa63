/** A run as its sender sees it: a promise of the durable message, and the events until its end. */

import {
  assertKnownOptions,
  ContinuoError,
  cancellable,
  completedStatus,
  type ErrorCode,
  hintOfCode,
  isEvent,
  type KnownEvent,
  knownCode,
  type Payload,
  present,
  RUN_END_STATUSES,
  type Run,
  type RunStatus,
  textOf,
  type Usage,
} from "@continuo/core/model";
import { cancelRun, latestAttempt, type RunError } from "@continuo/store/sessions";
import type { EventOf, IncludedTypes } from "./define-event.ts";
import { GIVEN_UP, runErrorOf } from "./failure-text.ts";
import type { Host } from "./host.ts";
import { assertEventsOptions } from "./options.ts";
import { deadLetterOf, isDead, retriedBy } from "./retries.ts";
import { type FollowOptions, type FollowRun, runEvents } from "./run-events.ts";
import { type StreamEnd, toSseResponse } from "./sse.ts";
import { textOfEvents } from "./text-stream.ts";
import type { EventsOptions, RunHandle, RunOutcome, SentRun } from "./types.ts";
import { toUIMessageResponse } from "./ui-message.ts";

export interface RunHandleOptions<Value> {
  readonly host: Host;
  readonly sent: Promise<SentRun>;
  readonly parse?: ((value: unknown) => Value) | undefined;
}

export function createRunHandle<Value>({ host, sent, parse }: RunHandleOptions<Value>): RunHandle<Value> {
  let isCancelledHere = false;
  // Readers of the run get the error. If nobody reads, the error must not end the process.
  sent.catch(() => undefined);
  const shown = async function* <Own extends IncludedTypes = []>(
    place: FollowOptions<Own> = {},
  ): AsyncGenerator<EventOf<Own>, void> {
    const { sessionId, runId } = await sent;
    yield* followRun(host, { sessionId, runId, ...place });
  };
  const events = async function* <Own extends IncludedTypes = []>(
    place: FollowOptions<Own> = {},
  ): AsyncGenerator<EventOf<Own>, void> {
    const { runId } = await sent;
    yield* host.readers.read(runId, shown(place));
  };
  const handle: RunHandle<Value> = {
    // biome-ignore lint/suspicious/noThenProperty: A run is a promise of its message.
    then: (onSent, onError) => sent.then(onSent, onError),
    [Symbol.asyncIterator]: () => events(),
    async result(waiting = {}) {
      assertKnownOptions("result", waiting, { signal: true });
      const { signal } = waiting;
      return await cancellable(signal, async () => {
        const outcome = await outcomeOf(events(waiting), parse);
        // If the signal aborts, the events end without an error, as if the run had ended.
        signal?.throwIfAborted();
        return outcome;
      });
    },
    async cancel(reason) {
      isCancelledHere = true;
      const { runId } = await sent;
      await cancelRun(host.store, await latestAttempt(host.store, runId, {}), present({ reason }));
    },
    async *textStream(reading = {}) {
      assertKnownOptions("textStream", reading, { signal: true });
      const { runId, sessionId } = await sent;
      const [latest, known] = await Promise.all([
        latestAttempt(host.store, runId),
        host.store.latestSequence(sessionId),
      ]);
      yield* textOfEvents(events(reading), { latest, known });
      // A reader who left, or who cancelled the run, knows that there is more to the answer.
      if (reading.signal?.aborted === true) return;
      const run = await host.store.getRun(await latestAttempt(host.store, runId));
      if (run?.status === "cancelled" && isCancelledHere) return;
      const error = run === null ? null : errorOfEnd(run);
      if (error !== null) throw error;
    },
    async *events<Own extends IncludedTypes = []>(range: EventsOptions<Own> = {}) {
      assertEventsOptions("events", range);
      yield* events(range);
    },
    toUIMessageResponse: (call = {}) => {
      assertKnownOptions("toUIMessageResponse", call, { signal: true });
      const run = sent.then(({ runId }) => ({ messageId: runId, open: shown }));
      return toUIMessageResponse([run], { from: call, failureText: host.failureText });
    },
    toSSE: (from, included) =>
      toSseResponse(
        {
          open: shown,
          failureText: host.failureText,
          newest: async () => await host.store.latestSequence((await sent).sessionId),
          end: async () => await endOf(host, (await sent).runId),
        },
        from,
        included,
      ),
  };
  SHOWN.set(handle, shown);
  return handle;
}

const SHOWN = new WeakMap<object, (place: FollowOptions<[]>) => AsyncIterable<KnownEvent>>();

/**
 * The events of a run for a stream that shows people a plain sentence instead of the cause of a failure. Its reader
 * does not count as one who learns of the failure, so the program gets it.
 */
export function shownEvents(run: RunHandle<unknown>, place: FollowOptions<[]>): AsyncIterable<KnownEvent> {
  return SHOWN.get(run)?.(place) ?? run.events(place as EventsOptions<[]>);
}

const CUT_OFF: Readonly<Partial<Record<RunStatus, readonly [ErrorCode, string]>>> = {
  cancelled: ["cancelled", "was cancelled"],
  timeout: ["interrupted", "took too long"],
  interrupted: ["interrupted", "was interrupted"],
};

const ASK_AGAIN =
  "Send the message with `again: true` to ask again under its id; without it, the id keeps this end.";

/**
 * Returns the error of a run whose answer is not complete, for a reader who gets no outcome; `null` for a complete
 * answer.
 */
function errorOfEnd({ runId, sessionId, status, error }: Run): ContinuoError | null {
  if (status === "failed") return toContinuoError(runErrorOf(error));
  const [code, how] = CUT_OFF[status] ?? [];
  if (code === undefined) return null;
  return new ContinuoError(code, `the answer is not complete: its run ${how}`, {
    hint: ASK_AGAIN,
    hintFor: "program",
    details: { runId, sessionId, status },
  });
}

/** A code that Continuo does not know becomes `agent_failed`. */
function toContinuoError({ code, message, details }: RunError): ContinuoError {
  const known = knownCode(code, "agent_failed");
  const hint = hintOfCode(known) ?? ASK_AGAIN;
  return new ContinuoError(known, message, { hint, hintFor: "program", ...present({ details }) });
}

function wholeText({ content }: Payload<"message_received">): string {
  return typeof content === "string" ? content : textOf(content);
}

/** These events do not count as read: `RunReaders.read` counts the readers who see the cause of a failure. */
export function followRun<Own extends IncludedTypes = []>(
  host: Host,
  follow: Omit<FollowRun<Own>, "isRetried" | "isOver">,
): AsyncGenerator<EventOf<Own>, void> {
  const isRetried = retriedBy(host);
  const isOver = (): Promise<boolean> => isRunOver(host, follow.runId);
  return runEvents(host.store, { ...follow, isRetried, isOver });
}

async function endOf({ store, failureText }: Host, runId: string): Promise<StreamEnd> {
  const run = await store.getRun(await latestAttempt(store, runId));
  if (run === null) return {};
  if (run.status === "failed") {
    const error = runErrorOf(run.error);
    return { status: "failed", code: error.code, message: failureText(error) };
  }
  const dead = run.status === "interrupted" ? await deadLetterOf(store, runId) : null;
  if (dead !== null) {
    const message = failureText({ code: GIVEN_UP, message: dead.reason });
    return { status: run.status, code: GIVEN_UP, message };
  }
  const { stopReason } = (run.result ?? {}) as { readonly stopReason?: string };
  return { status: run.status === "completed" ? completedStatus(stopReason) : run.status };
}

/** True when no attempt of the input follows. @param runId the run of the first attempt */
export async function isRunOver(host: Host, runId: string): Promise<boolean> {
  const run = await host.store.getRun(await latestAttempt(host.store, runId));
  if (run === null || !RUN_END_STATUSES.includes(run.status)) return false;
  return !retriedBy(host)(run.status) || (await isDead(host.store, runId));
}

async function outcomeOf<Value>(
  events: AsyncIterable<KnownEvent>,
  parse: ((value: unknown) => Value) | undefined,
): Promise<RunOutcome<Value>> {
  let text = "";
  let isCutOff = false;
  let usage: Usage | undefined;
  let last: KnownEvent | undefined;
  let givenUp: string | undefined;
  for await (const event of events) {
    // Another attempt takes the place of words that were cut off.
    if (event.type === "run_started" && isCutOff) text = "";
    if (event.type === "message_received") {
      text = wholeText(event.data);
      isCutOff = event.data.stopReason === "interrupted";
    }
    if (event.type in STATUS_OF) last = event;
    if (event.type === "run_started") givenUp = undefined;
    if (event.type === "error_raised" && event.data.code === GIVEN_UP) givenUp = event.data.message;
    if (event.type === "run_completed" || event.type === "run_failed") usage = event.data.usage;
  }
  const base = { runId: last?.runId ?? "", sessionId: last?.logId ?? "", text, ...present({ usage }) };
  if (last === undefined) return { ...base, status: "interrupted" };
  if (isEvent(last, "run_completed")) {
    const { stopReason, value } = (last.data.result ?? {}) as { stopReason?: string; value?: unknown };
    const read = value === undefined || parse === undefined ? (value as Value | undefined) : parse(value);
    return {
      ...base,
      status: completedStatus(stopReason),
      ...present({ stopReason, value: read }),
    } as RunOutcome<Value>;
  }
  if (isEvent(last, "run_failed")) {
    const error = (last.data.error ?? { code: "agent_failed", message: "it failed" }) as RunError;
    return { ...base, status: "failed", error };
  }
  const { reason } = last.data as { readonly reason?: string };
  const status = STATUS_OF[last.type] ?? "interrupted";
  return { ...base, status, ...present({ reason: givenUp ?? reason }) };
}

const STATUS_OF: Readonly<Record<string, "cancelled" | "timeout" | "interrupted">> = {
  run_completed: "interrupted",
  run_failed: "interrupted",
  run_cancelled: "cancelled",
  run_timed_out: "timeout",
  run_interrupted: "interrupted",
};

export function toSentRun({ runId, sessionId, agent, status }: Run, id: string | null): SentRun {
  return { id, runId, sessionId, agent, status };
}
