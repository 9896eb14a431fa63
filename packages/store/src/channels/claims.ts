/**
 * Inputs of agents: an agent claims a message that is addressed to it, and ends the run when it has answered. The run
 * and the cursor are written in one transaction, so that no input is lost or answered twice if the agent's process or
 * this process dies.
 */

import { createHash } from "node:crypto";
import {
  ContinuoError,
  type ErrorCode,
  type NewEvent,
  present,
  RUN_EVENTS,
  type Run,
  readAll,
  type Store,
  type StoredEvent,
  type Write,
} from "@continuo/core/model";
import {
  authorOf,
  type ClaimedInput,
  isByWriter,
  isInputFor,
  type RunEnd,
  recordOf,
  textOfContent,
} from "@continuo/core/wire";
import { countTurns } from "./agent-turns.ts";
import { LIMITS } from "./limits.ts";
import { deletedAfter, lastEdit } from "./message-changes.ts";
import {
  type ConnectionRef,
  channelLogId,
  participantSession,
  processedCursor,
  receivedCursor,
} from "./names.ts";
import { openParticipantSession, type ParticipantPlace } from "./participant-session.ts";

export interface ClaimOptions extends ParticipantPlace {
  /** The sequence of the message in the channel's log. */
  readonly sequence: number;
  /** The id of the `connect()` call of the agent. A run of any other `connect()` counts as ended. */
  readonly instance: string;
  readonly agent: string;
  /**
   * The number of messages that agents may write after the last message of a person; 20 by default. The next input
   * after that is not answered.
   */
  readonly maxTurns?: number;
}

/**
 * Creates the run, journals the input and moves `received`, in one transaction. A repeated claim of the same
 * `connect()` returns the same run, unless the server has interrupted its answer since then. If the process of an
 * earlier run is gone, that run is ended first: as completed if its whole answer is in the channel; otherwise as
 * interrupted, and the input is given again in a new run.
 *
 * The agent receives the text of the author's last edit; a message that was deleted is `done`.
 *
 * Errors: `not_found` for the message, `invalid` if it is not an input of the handle, `conflict` if another input comes
 * first (`details.sequence`), `fenced`.
 */
export async function claimInput(store: Store, options: ClaimOptions): Promise<ClaimedInput> {
  const { place, sequence, instance } = options;
  const said = await inputAt(store, place, sequence);
  const session = await openParticipantSession(store, place);
  if (session.processed >= sequence) return { state: "done", runId: null };
  const deleted = await deletedAfter(store, place.channel, session.processed);
  await assertFirst(store, options, { processed: session.processed, deleted });
  if (deleted.has(messageIdOf(said))) return await passOver(store, options);
  const event = await inputOf(store, place, said);
  if (await isEndless(store, options, event)) return stopTalk(store, options, event);
  for (let attempt = 1; attempt <= LIMITS.attempts; attempt++) {
    const tried = { event, attempt };
    const run = await store.getRun(runIdOf(place, event, attempt));
    if (run === null) {
      return claimed(place, await createRun(store, options, tried), tried);
    }
    const isOwn = run.status === "running" && run.owner === instance;
    if (isOwn && !(await isAnswerInterrupted(store, place, run))) return claimed(place, run, tried);
    if (run.status === "running") {
      if (!(await endLeft(store, options, run))) continue;
      return { state: "done", runId: run.runId };
    }
    if (run.status !== "interrupted") return { state: "done", runId: run.runId };
  }
  return giveUp(store, options, event);
}

/**
 * A run's id is computed from the message, the handle and the attempt, so that two processes that claim an input claim
 * the same run.
 */
function runIdOf({ handle, channel }: ConnectionRef, { key }: Pick<Input, "key">, attempt: number): string {
  return `run:${channel}:${handle}:${key}:${attempt}`;
}

/**
 * The message in the ids of its runs: its sequence. If the channel was deleted and created again, the session of the
 * participant can have a run for another message with this sequence; then a hash of the message's id is added.
 */
async function keyOf(store: Store, place: ConnectionRef, event: StoredEvent): Promise<string> {
  const key = String(event.sequence);
  const messageId = messageIdOf(event);
  const { messageId: known = messageId } = (await store.getRun(runIdOf(place, { key }, 1)))?.metadata ?? {};
  if (known === messageId) return key;
  return `${key}-${createHash("sha256").update(messageId).digest("hex").slice(0, 16)}`;
}

/** Events of the answer have ids that are computed from the run's id. */
export function answerIdOf(runId: string): string {
  return `answer:${runId}`;
}

async function inputAt(
  store: Store,
  { channel, handle }: ConnectionRef,
  sequence: number,
): Promise<StoredEvent> {
  const { events } = await store.read(channelLogId(channel), { after: Math.max(0, sequence - 1), limit: 1 });
  const [event] = events;
  if (event === undefined || event.sequence !== sequence) {
    throw new ContinuoError("not_found", `the channel ${channel} has no event ${sequence}`);
  }
  if (isInputFor(event, handle)) return event;
  throw new ContinuoError(
    "invalid",
    `cannot claim event ${sequence} of ${channel}: it is not an input of ${handle}`,
    {
      hint: "Claim whole messages that are addressed to the handle.",
      details: { channel, handle, sequence },
    },
  );
}

/** Inputs are answered in their order: the cursor means that all inputs before it are answered. */
async function assertFirst(
  store: Store,
  { place: { channel, handle }, sequence }: ClaimOptions,
  { processed, deleted }: { readonly processed: number; readonly deleted: ReadonlySet<string> },
): Promise<void> {
  const types = ["message_sent", "message_completed"];
  const place = { after: processed, before: sequence, types, limit: LIMITS.pageEvents };
  for await (const event of readAll(store, channelLogId(channel), place)) {
    if (!isInputFor(event, handle) || deleted.has(messageIdOf(event))) continue;
    throw new ContinuoError(
      "conflict",
      `cannot claim this input: the input ${event.sequence} of ${handle} comes first`,
      { details: { channel, handle, sequence: event.sequence } },
    );
  }
}

/** An input with the text of its author's last edit, and its key in the ids of runs. */
type Input = StoredEvent & { readonly key: string; readonly editId?: string };

async function inputOf(store: Store, place: ConnectionRef, event: StoredEvent): Promise<Input> {
  const { sequence, actor } = event;
  const key = await keyOf(store, place, event);
  const edit = await lastEdit(store, place.channel, { id: messageIdOf(event), sequence, actor });
  if (edit === undefined) return { ...event, key };
  return { ...event, key, editId: edit.id, data: { ...recordOf(event.data), content: edit.content } };
}

/**
 * Returns true if agents have written as many messages to each other as allowed, so that the next one must wait for a
 * person.
 */
async function isEndless(
  store: Store,
  { place: { channel }, sequence, maxTurns = LIMITS.agentTurns }: ClaimOptions,
  event: StoredEvent,
): Promise<boolean> {
  if (event.actor.kind === "person") return false;
  return (await countTurns(store, channel, { sequence, most: maxTurns })) >= maxTurns;
}

/** Records the stop in the channel; the input counts as answered. */
async function stopTalk(store: Store, options: ClaimOptions, event: StoredEvent): Promise<ClaimedInput> {
  const { place, maxTurns = LIMITS.agentTurns } = options;
  const turns = maxTurns === 1 ? "1 message" : `${maxTurns} messages`;
  const message = `${place.handle} does not answer: agents sent ${turns} since a person did. Send a message to go on.`;
  return await leaveUnanswered(store, options, { event, message, code: "too_many_runs" });
}

function claimed(place: ConnectionRef, { runId }: Run, { event, attempt }: Attempt): ClaimedInput {
  const earlier = Array.from({ length: attempt - 1 }, (_, at) => answerIdOf(runIdOf(place, event, at + 1)));
  return {
    state: "claimed",
    runId,
    answerId: answerIdOf(runId),
    attempt,
    content: textOfContent(recordOf(event.data).content),
    from: authorOf(event) ?? "",
    messageId: messageIdOf(event),
    ...present({ editId: event.editId, earlierAnswerIds: attempt === 1 ? undefined : earlier }),
  };
}

function messageIdOf(event: StoredEvent): string {
  const { messageId } = recordOf(event.data);
  return typeof messageId === "string" ? messageId : event.id;
}

interface Attempt {
  readonly event: Input;
  readonly attempt: number;
}

/** Errors: `conflict` when another process of the agent was faster. */
async function createRun(
  store: Store,
  { place, fence, instance, agent, sequence }: ClaimOptions,
  { event, attempt }: Attempt,
): Promise<Run> {
  const runId = runIdOf(place, event, attempt);
  const content = textOfContent(recordOf(event.data).content);
  const from = authorOf(event) ?? "";
  const input = [{ type: "text", text: content }];
  const metadata = { channel: place.channel, sequence, messageId: messageIdOf(event), from, attempt };
  const events: NewEvent[] = [
    { id: `${runId}/created`, type: "run_created", runId, data: { runId, input, agent, metadata } },
    { id: `${runId}/started`, type: "run_started", runId, data: { runId, owner: instance, attempt } },
  ];
  // The session's log contains each input once, however often it is claimed.
  if (attempt === 1) {
    const actor = { kind: "person", id: from } as const;
    events.push({
      id: `${runId}/input`,
      type: "message_sent",
      runId,
      actor,
      data: { content, role: "user" },
    });
  }
  const also: Write[] = [
    { type: "new_run", run: { runId, input, agent, metadata } },
    { type: "run", runId, to: "running", patch: { owner: instance } },
    { type: "cursor", logId: channelLogId(place.channel), name: receivedCursor(place), sequence },
  ];
  await store.append(participantSession(place), events, { lease: fence, also });
  const run = await store.getRun(runId);
  if (run !== null) return run;
  throw new ContinuoError("not_found", `the run ${runId} was deleted`);
}

/** True when the answer of the run is complete, and the run has ended with it. */
async function endLeft(store: Store, { place, fence }: ClaimOptions, run: Run): Promise<boolean> {
  const answer = await completedAnswer(store, place, run);
  if (answer !== null) {
    await endRun(store, { place, fence, runId: run.runId, status: "completed", answer });
    return true;
  }
  const { runId } = run;
  const reason = "the process that ran it ended";
  const error = { code: "interrupted", message: reason };
  const event = { id: `${runId}/ended`, type: RUN_EVENTS.interrupted, runId, data: { runId, reason } };
  await store.append(participantSession(place), [event], {
    lease: fence,
    also: [{ type: "run", runId, to: "interrupted", patch: { error } }],
  });
  return false;
}

/** True if the writer of the answer was disconnected for too long: nothing can be added to the answer. */
async function isAnswerInterrupted(store: Store, place: ConnectionRef, run: Run): Promise<boolean> {
  return (await endOfAnswer(store, place, { run, type: "message_interrupted" })) !== null;
}

/** The text of the answer, if its last event is in the channel. */
async function completedAnswer(store: Store, place: ConnectionRef, run: Run): Promise<string | null> {
  return endOfAnswer(store, place, { run, type: "message_completed" });
}

interface AnswerEnd {
  readonly run: Run;
  readonly type: "message_completed" | "message_interrupted";
}

async function endOfAnswer(
  store: Store,
  { channel, handle }: ConnectionRef,
  { run, type }: AnswerEnd,
): Promise<string | null> {
  const { sequence } = run.metadata;
  const answerId = answerIdOf(run.runId);
  const after = typeof sequence === "number" ? sequence : 0;
  const place = { after, types: [type], limit: LIMITS.pageEvents };
  for await (const event of readAll(store, channelLogId(channel), place)) {
    const { messageId, content } = recordOf(event.data);
    if (messageId === answerId && isByWriter(event, handle)) return textOfContent(content);
  }
  return null;
}

export interface EndRunOptions extends ParticipantPlace {
  readonly runId: string;
  readonly status: RunEnd;
  /** The answer in the channel; left out if the agent wrote nothing. */
  readonly answer?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

/**
 * Ends the run and moves `processed`, in one transaction; the participant is active again. A repeated call changes
 * nothing. Errors: `not_found`, `invalid_transition` if the run ended with another status, `fenced`.
 */
export async function endRun(
  store: Store,
  { place, fence, runId, status, answer, error }: EndRunOptions,
): Promise<void> {
  const sessionId = participantSession(place);
  const [run, session] = await Promise.all([store.getRun(runId), store.getSession(sessionId)]);
  if (run === null || run.sessionId !== sessionId) {
    throw new ContinuoError("not_found", `${place.handle} has no run ${runId} in ${place.channel}`);
  }
  if (run.status === status) return;
  const { sequence } = run.metadata;
  const actor = { kind: "agent", id: place.handle } as const;
  const said: NewEvent[] =
    answer === undefined || answer === ""
      ? []
      : [{ id: `${runId}/answer`, type: "message_received", runId, actor, data: { content: answer } }];
  const data = error === undefined ? { runId } : { runId, error };
  const isInterrupted = session?.status === "interrupted";
  const events: NewEvent[] = [
    ...said,
    ...(isInterrupted ? [{ type: "session_updated", data: { status: "active" } }] : []),
    { id: `${runId}/ended`, type: RUN_EVENTS[status], runId, data },
  ];
  const also: Write[] = [
    { type: "run", runId, to: status, patch: error === undefined ? {} : { error } },
    ...(isInterrupted ? [{ type: "session", patch: { status: "active" } } as const] : []),
  ];
  if (typeof sequence === "number") {
    const logId = channelLogId(place.channel);
    also.push({ type: "cursor", logId, name: processedCursor(place), sequence });
  }
  await store.append(sessionId, events, { lease: fence, also });
}

/** Gives up an input after its agent's process ended several times while it answered. */
async function giveUp(store: Store, options: ClaimOptions, event: StoredEvent): Promise<ClaimedInput> {
  const { handle } = options.place;
  const message = `${handle} was interrupted ${LIMITS.attempts} times while it answered, and does not try again`;
  return await leaveUnanswered(store, options, { event, message, code: "interrupted" });
}

interface UnansweredInput {
  readonly event: StoredEvent;
  readonly message: string;
  readonly code: ErrorCode;
}

/** Records in the channel why the input is not answered; the agent continues with the next input. */
async function leaveUnanswered(
  store: Store,
  { place, fence, sequence }: ClaimOptions,
  { event, message, code }: UnansweredInput,
): Promise<ClaimedInput> {
  const { channel, handle } = place;
  const data = { message, code, details: { messageId: messageIdOf(event), handle } };
  const logId = channelLogId(channel);
  const failure = { id: `given-up:${handle}:${sequence}`, type: "error_raised", data };
  await store.append(logId, [failure], { lease: fence });
  return await passOver(store, { place, fence, sequence });
}

/** Lets an input count as answered. */
async function passOver(
  store: Store,
  { place, fence, sequence }: Pick<ClaimOptions, "place" | "fence" | "sequence">,
): Promise<ClaimedInput> {
  const logId = channelLogId(place.channel);
  await store.append(participantSession(place), [], {
    lease: fence,
    also: [{ type: "cursor", logId, name: processedCursor(place), sequence }],
  });
  return { state: "done", runId: null };
}
