/** Inputs that are given to their agent again after a crash, at a later time, or never: attempts and dead letters. */

import { randomUUID } from "node:crypto";
import {
  type Block,
  ContinuoError,
  canonicalJson,
  isContinuoError,
  listAll,
  present,
  type Run,
  type RunStatus,
  type Store,
} from "@continuo/core/model";
import { latestAttempt, type NextAttempt, rootIn, startRun } from "@continuo/store/sessions";
import { GIVEN_UP } from "./failure-text.ts";
import type { Host } from "./host.ts";
import { isChanceEnd, isIsolated, isUntried, suspicionAfter, suspicionOf } from "./isolation.ts";
import { hasMetadata } from "./readers.ts";
import type { Report } from "./report-new.ts";
import { unreadDeadLetter } from "./run-readers.ts";
import type { DeadLetter, ListDeadLettersOptions } from "./types.ts";

const DEAD = "dead/";
const SCHEDULE = "schedule/";
/** The prefix of the claims that have the time and the content of waiting inputs, by session and id. */
const TIME = "time/";
const DEFAULT_ATTEMPTS = 3;
const DEFAULT_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;
/** Inputs that are read at once. The number is small, because usually no input is due. */
const MAX_DUE = 100;

/** True for a status after which this program gives the input to its agent again. */
export function retriedBy({ options }: Host): (status: RunStatus) => boolean {
  const on: readonly RunStatus[] = [
    ...(options.recover === "retry" ? (["interrupted"] as const) : []),
    ...(options.retry?.on ?? []),
  ];
  return (status) => on.includes(status);
}

/** The key in the metadata of a run of a replay. If its process is killed, the run ends, and no worker tries it again. */
export const REPLAY = "replay";

function isReplay({ metadata }: Run): boolean {
  return metadata[REPLAY] === true;
}

export interface AttemptEnd {
  readonly status: RunStatus;
  /** True if the process that executed the run was closed, and did not crash. */
  readonly isHandedBack?: boolean;
}

/** The attempt after a run with this end; `null` if the program wants none, or gives the input up. */
export async function attemptAfter(
  host: Host,
  run: Run,
  { status, isHandedBack = false }: AttemptEnd,
): Promise<NextAttempt | null> {
  if (isReplay(run) || !retriedBy(host)(status) || (await isDead(host.store, rootIn(run)))) return null;
  if (isHandedBack && status === "interrupted") return { metadata: sameAttempt(run) };
  return await followingAttempt(host, run, status);
}

async function followingAttempt(
  { options, approvals }: Host,
  run: Run,
  status: RunStatus,
): Promise<NextAttempt | null> {
  const { attempts = DEFAULT_ATTEMPTS, backoffMs = DEFAULT_BACKOFF_MS } = options.retry ?? {};
  const attempt = attemptOf(run);
  const uncounted = status === "interrupted" ? await uncountedAttempt(approvals, run) : null;
  if (uncounted !== null) return { metadata: uncounted };
  const suspicion = suspicionAfter(run, { status, isLast: attempt + 1 >= attempts });
  // A process that ended in its last attempt may have ended because of another message.
  const isUnproven = suspicion.isolated === true && !isIsolated(run) && attempts > 1;
  if (attempt >= attempts && !isUnproven) return null;
  const metadata = { attempt: attempt + 1, ...suspicion };
  if (attempt === 1) return { metadata };
  return { metadata, delayMs: Math.ceil(Math.min(MAX_BACKOFF_MS, backoffMs * 2 ** (attempt - 2))) };
}

/**
 * Returns the metadata of the next attempt if the end of the process does not mean that the input is bad. While a run
 * waits for a person, its process may end any number of times: the wait can last days. An agent that ends its process
 * right after each question, before people can see it, is given up: only the first ends do not count.
 */
async function uncountedAttempt(
  approvals: Host["approvals"],
  run: Run,
): Promise<Readonly<Record<string, unknown>> | null> {
  if (isUntried(run)) return sameAttempt(run);
  const question = await approvals.awaitedQuestion(run);
  if (question === "listed") return sameAttempt(run);
  if (question === null || !isChanceEnd(run)) return null;
  return { attempt: attemptOf(run), ...suspicionAfter(run, { status: "interrupted", isLast: false }) };
}

/**
 * Gives the input of an ended run to its agent again, or gives it up, unless the run was ended together with its next
 * attempt. Another process may do the same at the same time.
 */
export async function retry(host: Host, runId: string): Promise<void> {
  const { store } = host;
  const run = await store.getRun(runId);
  if (run === null || isReplay(run) || (await latestAttempt(store, rootIn(run))) !== runId) return;
  const next = await followingAttempt(host, run, run.status);
  if (next === null) return await giveUp(host, run);
  const { sessionId, input, agent, priority } = run;
  // The queue of the session had room for the input when it was sent.
  const maxQueued = Number.MAX_SAFE_INTEGER;
  const options = present({ agent: agent ?? undefined, priority });
  await unlessStarted(
    startRun(store, sessionId, input as readonly Block[], { ...options, ...next, retryOf: runId, maxQueued }),
  );
}

/**
 * Gives an input to its agent again because a person asks for it, with all its attempts, unless its answer is complete
 * or an attempt is still to come. Another process may do the same at the same time.
 *
 * @param root the run of the first attempt
 */
export async function askAgain(host: Host, { runId: root }: Run): Promise<void> {
  const { store } = host;
  if (await isDead(store, root)) return await unlessStarted(reviveDeadLetter(store, root));
  const last = await store.getRun(await latestAttempt(store, root));
  if (last === null || retriedBy(host)(last.status)) return;
  // For a complete answer, or an attempt that has not ended, this is a conflict.
  await unlessStarted(firstAttemptAgain(store, last));
}

function attemptOf(run: Run): number {
  const { attempt } = run.metadata;
  return typeof attempt === "number" ? attempt : 1;
}

/** Returns the metadata of an attempt that takes the place of one that does not count. */
function sameAttempt(run: Run): Readonly<Record<string, unknown>> {
  return { attempt: attemptOf(run), ...suspicionOf(run) };
}

export interface ScheduledInput {
  readonly sessionId: string;
  readonly input: string | readonly Block[];
  readonly agent?: string;
  readonly id?: string;
  readonly priority?: number;
}

/**
 * Stores an input until its time. The same input for the same time is stored once. Errors: `conflict` for the id of a
 * waiting input with another time or content.
 */
export async function schedule(store: Store, at: string, input: ScheduledInput): Promise<void> {
  const key = input.id ?? randomUUID();
  const name = `${SCHEDULE}${at}/${placeOf(input.sessionId, key)}`;
  await keepTime(store, at, { ...input, id: key });
  try {
    await store.putClaim({ name, owner: input.sessionId, generation: 1, status: "waiting", data: input });
  } catch (error) {
    if (!isContinuoError(error, "fenced")) throw error;
  }
}

/** A slash in the id of a session must not move the border between the id and the key. */
function placeOf(sessionId: string, key: string): string {
  return `${sessionId.replace(/[%/]/gu, encodeURIComponent)}/${key}`;
}

/** If two callers use the same id, the time and the content of the first one stay. */
async function keepTime(store: Store, at: string, input: ScheduledInput): Promise<void> {
  const name = `${TIME}${placeOf(input.sessionId, input.id ?? "")}`;
  const data = { at, input };
  const claim = { name, owner: input.sessionId, generation: 1, status: "waiting", data };
  try {
    await store.putClaim({ ...claim, onlyNext: true });
  } catch (error) {
    if (!isContinuoError(error, "fenced")) throw error;
    const known = (await store.getClaim(name))?.data as typeof data | undefined;
    if (known === undefined || canonicalJson(known) === canonicalJson(data)) return;
    const what = known.at === at ? "another content" : `the time ${known.at}`;
    throw new ContinuoError("conflict", `a message with the id ${input.id} waits already, with ${what}`, {
      hint: "Send another message with another id.",
      details: { sessionId: input.sessionId, id: input.id, runAt: known.at },
    });
  }
}

/** Starts the inputs whose time has come. An input that cannot be started yet stays, and does not delay the others. */
export async function startDue(store: Store, report: Report): Promise<void> {
  const now = new Date().toISOString();
  const full = new Set<string>();
  for await (const { name, owner, generation, data } of listAll((place) =>
    store.listClaims({ prefix: SCHEDULE, limit: MAX_DUE, ...place }),
  )) {
    // Names are in the order of their times.
    if (name.slice(SCHEDULE.length, SCHEDULE.length + now.length) > now) return;
    // The owner is the session.
    if (full.has(owner)) continue;
    try {
      await startInput(store, data as ScheduledInput);
      await store.deleteClaim({ name, owner, generation });
      const { sessionId, id } = data as ScheduledInput;
      await store.deleteClaim({ name: `${TIME}${placeOf(sessionId, id ?? "")}`, owner, generation });
    } catch (error) {
      if (isContinuoError(error, "too_many_runs")) full.add(owner);
      else report(error, name);
    }
  }
}

async function startInput(
  store: Store,
  { sessionId, input, agent, id, priority }: ScheduledInput,
): Promise<void> {
  await unlessStarted(startRun(store, sessionId, input, present({ agent, id, priority })));
}

async function unlessStarted(starting: Promise<Run>): Promise<void> {
  try {
    await starting;
  } catch (error) {
    // Another process has started it, or its session was deleted.
    if (!isContinuoError(error, "conflict") && !isContinuoError(error, "not_found")) throw error;
  }
}

async function giveUp({ store, approvals, options, readers, report }: Host, run: Run): Promise<void> {
  const root = rootIn(run);
  const attempts = attemptOf(run);
  const times = attempts === 1 ? "once" : `${attempts} times`;
  const reason = `its agent was given it ${times}, and did not end`;
  const data: DeadLetter = {
    runId: root,
    sessionId: run.sessionId,
    attempts,
    reason: options.retry?.on === undefined ? reason : `${reason} well`,
    at: new Date().toISOString(),
  };
  const message = `the input is not tried again: ${reason}`;
  // The readers are removed after the event.
  const wasRead = readers.isReading(run);
  const event = {
    type: "error_raised",
    data: { message, code: GIVEN_UP, details: { runId: root, attempts } },
    runId: run.runId,
  };
  try {
    const claim = {
      type: "claim",
      name: DEAD + root,
      owner: run.runId,
      generation: 1,
      status: "dead",
      data,
      // If two processes reach the same result, one of them stores and reports it.
      onlyNext: true,
    } as const;
    await store.append(run.sessionId, [event], { also: [claim] });
    if (!wasRead) report(unreadDeadLetter(run, data.reason));
  } catch (error) {
    if (!isContinuoError(error, "fenced")) throw error;
  }
  await approvals.close(root);
}

export async function isDead(store: Store, root: string): Promise<boolean> {
  return (await store.getClaim(DEAD + root)) !== null;
}

export async function deadLetters(
  store: Store,
  { metadata }: ListDeadLettersOptions = {},
): Promise<readonly DeadLetter[]> {
  const claims = listAll((place) => store.listClaims({ prefix: DEAD, limit: 1_000, ...place }));
  const all = await Array.fromAsync(claims, ({ data }) => data as DeadLetter);
  if (metadata === undefined) return all;
  const found: DeadLetter[] = [];
  for (const letter of all) {
    const session = await store.getSession(letter.sessionId);
    if (session !== null && hasMetadata(session.metadata, metadata)) found.push(letter);
  }
  return found;
}

/** `null` for an input that was not given up. */
export async function deadLetterOf(store: Store, root: string): Promise<DeadLetter | null> {
  return ((await store.getClaim(DEAD + root))?.data as DeadLetter | undefined) ?? null;
}

/** Starts a dead letter again, with all its attempts. Errors: `not_found`, `conflict`. */
export async function reviveDeadLetter(store: Store, root: string): Promise<Run> {
  const claim = await store.getClaim(DEAD + root);
  const last = claim === null ? null : await store.getRun(claim.owner);
  if (claim === null || last === null)
    throw new ContinuoError("not_found", `there is no dead letter ${root}`);
  const run = await firstAttemptAgain(store, last);
  await store.deleteClaim(claim);
  return run;
}

async function firstAttemptAgain(store: Store, last: Run): Promise<Run> {
  const { runId, sessionId, agent, input, priority } = last;
  return await startRun(store, sessionId, input as readonly Block[], {
    retryOf: runId,
    // An agent that failed or was stopped has not ended its process.
    metadata: { attempt: 1, ...(last.status === "interrupted" ? suspicionOf(last) : {}) },
    ...present({ agent: agent ?? undefined, priority }),
  });
}
