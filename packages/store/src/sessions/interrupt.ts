/** Ends runs whose process ended, as interrupted or cancelled, and closes the messages that they had begun. */

import {
  isEvent,
  type NewEvent,
  type Payload,
  present,
  type Run,
  readAll,
  type Store,
  type Write,
} from "@continuo/core/model";
import { isTrusted, type RunEnd, runEnd } from "./ends.ts";
import { newId } from "./ids.ts";
import { unsaidInput } from "./input-message.ts";
import { unsurePatch, usedNative } from "./references.ts";
import { nextRun, type RetryDecision } from "./retries.ts";

interface Lease {
  readonly name: string;
  readonly token: number;
}

export const PROCESS_ENDED = "the process that ran it ended";
export const HANDED_BACK = "the process that ran it was closed";
export const NOBODY_WAITS = "nobody waits with it any more";

/** The reason for the end of a message if its process ended before it was complete. */
export const CUT_OFF = "interrupted";

export interface InterruptOptions {
  readonly lease: Lease;
  readonly reason: string;
  readonly retry?: RetryDecision | undefined;
}

/**
 * Ends a run under the lease of its session. A run that somebody asked to cancel ends as cancelled, so its input is not
 * given to an agent again.
 * Errors: `fenced`, `invalid_transition`.
 */
export async function interruptRun(
  store: Store,
  run: Run,
  { lease, reason, retry }: InterruptOptions,
): Promise<"interrupted" | "cancelled"> {
  const asked = await cancelAsked(store, run);
  if (asked !== null) {
    await cancelLeft(store, run, { lease, reason: asked.reason });
    return "cancelled";
  }
  const error = { code: "interrupted", message: reason };
  await endLeft(store, run, { lease, end: runEnd(run.runId, "interrupted", { reason, error }), retry });
  return "interrupted";
}

/** Returns the request to cancel, which the owner of the run did not read; `null` if there is none. */
async function cancelAsked(
  store: Store,
  { sessionId, runId }: Run,
): Promise<Payload<"run_cancel_requested"> | null> {
  const { events } = await store.read(sessionId, { runId, types: ["run_cancel_requested"], limit: 1 });
  const [event] = events;
  return event !== undefined && isEvent(event, "run_cancel_requested") ? event.data : null;
}

export interface CancelLeftOptions {
  readonly lease: Lease;
  readonly reason: string | undefined;
}

/** Ends a run as cancelled if somebody cancels it after its process ended. */
export async function cancelLeft(
  store: Store,
  run: Run,
  { lease, reason }: CancelLeftOptions,
): Promise<void> {
  const end = runEnd(run.runId, "cancelled", present({ reason }));
  await endLeft(store, run, { lease, end });
}

interface InterruptedEnd {
  readonly lease: Lease;
  readonly end: RunEnd;
  readonly retry?: RetryDecision | undefined;
}

async function endLeft(store: Store, run: Run, { lease, end, retry }: InterruptedEnd): Promise<void> {
  const { status, entry, write } = end;
  const { runId, sessionId } = run;
  const said = await unsaidInput(store, run);
  const whole = run.status === "running" ? await unsaidMessages(store, run) : [];
  const events: NewEvent[] = [...said, ...whole, { type: entry.type, data: entry.data, runId }];
  const also: Write[] = [write];
  const metadata = isTrusted(status, { isHeard: false }) ? null : await unsure(store, run);
  if (metadata !== null) {
    events.splice(-1, 0, { type: "session_updated", data: { metadata }, runId });
    also.push({ type: "session", patch: { metadata } });
  }
  const attempt = run.status === "running" ? await retry?.(run, status) : undefined;
  const next = attempt == null ? null : await nextRun(store, run, attempt);
  if (next !== null) {
    events.push(next.event);
    also.push(...next.also);
  }
  // The events have ids, so that an append without an answer may be repeated.
  const repeatable = events.map((event) => ({ id: newId(), ...event }));
  await store.append(sessionId, repeatable, { lease, also });
}

/** Returns metadata that marks the native session as unsure: it may have only a part of the interrupted turn. */
async function unsure(store: Store, run: Run): Promise<Readonly<Record<string, unknown>> | null> {
  const native = usedNative(run.metadata);
  const session = native === null ? null : await store.getSession(run.sessionId);
  return native === null || session === null ? null : unsurePatch(session, native.agent, native.sessionId);
}

interface OpenBlock {
  readonly type: "text" | "thinking";
  text: string;
}

/** Stores messages as a whole if only their parts were stored. The parts may be pruned later. */
async function unsaidMessages(store: Store, { sessionId, runId, agent, metadata }: Run): Promise<NewEvent[]> {
  const open = new Map<string, OpenBlock[]>();
  const types = ["message_streamed", "message_received"];
  for await (const event of readAll(store, sessionId, { runId, types })) {
    if (isEvent(event, "message_received")) open.delete(event.data.messageId ?? "");
    if (isEvent(event, "message_streamed")) addPart(open, event.data);
  }
  const by = agent ?? metadata.agent;
  const actor = { kind: "agent", ...(typeof by === "string" ? { agent: by } : {}) } as const;
  return [...open].map(([messageId, content]) => ({
    type: "message_received",
    data: { content, messageId, stopReason: CUT_OFF },
    runId,
    actor,
  }));
}

function addPart(
  open: Map<string, OpenBlock[]>,
  { delta, messageId, kind }: { readonly delta: string; readonly messageId: string; readonly kind?: string },
): void {
  const type = kind === "thinking" ? "thinking" : "text";
  const parts = open.get(messageId) ?? [];
  open.set(messageId, parts);
  const last = parts.at(-1);
  if (last?.type === type) last.text += delta;
  else parts.push({ type, text: delta });
}
