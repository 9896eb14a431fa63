/** Shows an editor the turns of other programs in its open session, while they run. */

import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { OWN, type OwnRow, openOwn, pathOfUrl, storeUrlOf } from "@continuo/agents/catalog";
import { answerQuestion, requestIn, type StoredQuestion, storedAnswer } from "@continuo/agents/conversations";
import {
  contentBlocks,
  isContinuoError,
  isEvent,
  keepNewest,
  type Message,
  type Payload,
  type PermissionDecision,
  type PermissionRequest,
  type Store,
  type StoredEvent,
} from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import type { CallIds } from "./call-ids.ts";
import { parseId, type SessionName } from "./ids.ts";
import type { RunPrompt } from "./known-prompts.ts";
import { GATEWAY_LIMITS } from "./limits.ts";
import { isRunEnd, LoggedTurn } from "./logged-turn.ts";
import { findSession, ownRowOf } from "./look-up.ts";

/** The events that a follower shows: those of the running turns, and all after a sequence. */
export interface FollowStart {
  readonly after: number;
  /** The sequence at which each running turn began, by the id of its run. */
  readonly running: ReadonlyMap<string, number>;
}

export interface FollowOptions {
  readonly places: PlacesAt;
  /** True for a run of this connection, which is shown while it happens. */
  readonly isOwn: (runId: string) => boolean;
  readonly ids: () => CallIds;
  /** Resolves at the end of the next turn of this connection, which may import a native session. */
  readonly turnEnded: () => Promise<void>;
  /** The default is everything from now on, and the turns that run now. */
  readonly start?: FollowStart;
  /** Called when another program begins a turn, for which it needs the agent's session. */
  readonly onBegin: () => void;
  /** Called when a turn of another program has been shown. */
  readonly onEnd?: () => void;
  /** Called when everything up to the sequence of the start has been shown. */
  readonly onCaughtUp?: () => void;
  /** Waits until no turn of this connection is shown. Call the result when the turn of the other program has ended. */
  readonly enter: () => Promise<() => void>;
  readonly show: (update: SessionUpdate) => Promise<void>;
  /** Asks the person a question that comes from another program. Rejects if the question is withdrawn. */
  readonly ask: (
    request: PermissionRequest,
    options: { readonly toolCallId: string; readonly signal: AbortSignal },
  ) => Promise<PermissionDecision>;
  readonly signal: AbortSignal;
}

/** The place at which a replay ends and the follower begins; `null` for a session without a log. */
export async function followStartOf(
  id: string,
  { places, isOwn }: Pick<FollowOptions, "places" | "isOwn">,
): Promise<FollowStart | null> {
  const { hit } = await findSession(id, places);
  if (hit.kind === "native") return null;
  await using own = await openOwn(places);
  return own === null ? null : await startIn(own.store, hit.row.sessionId, isOwn);
}

async function startIn(
  store: Store,
  sessionId: string,
  isOwn: (runId: string) => boolean,
): Promise<FollowStart> {
  const after = await store.latestSequence(sessionId);
  const { items } = await store.listRuns({ sessionId, status: "running" });
  const running = new Map<string, number>();
  for (const { runId } of items) {
    if (isOwn(runId)) continue;
    const { events } = await store.read(sessionId, { runId, types: ["run_started"], limit: 1 });
    const [begun] = events;
    if (begun !== undefined) running.set(runId, begun.sequence);
  }
  return { after, running };
}

/** True for a message that the follower shows. */
export function isFollowed({ metadata }: Message, { after, running }: FollowStart): boolean {
  const { runId, sequence } = metadata;
  // A turn of the agent's own program has no run, and is not shown from the log.
  if (typeof runId !== "string") return false;
  return running.has(runId) || (typeof sequence === "number" && sequence > after);
}

/**
 * Ends when the signal aborts, or when the session is gone. A native session has a log when a program of Continuo has
 * imported it; until then this waits, and shows every turn of the log when it is there. A first turn that fails deletes
 * the log again; then this waits for the next import.
 */
export async function followTurnsOfOthers(id: string, options: FollowOptions): Promise<void> {
  const { places, onCaughtUp, signal } = options;
  const { hit } = await findSession(id, places);
  const name = parseId(id);
  const isOfAgent = name.agent !== OWN;
  if (hit.kind === "native") onCaughtUp?.();
  let end = hit.kind === "own" ? await followLog(hit.row, options, options.start) : "gone";
  while (isOfAgent && end === "gone" && !signal.aborted) {
    const row = await importedRow(name, options);
    if (row !== null) end = await followLog(row, options, FROM_BEGINNING);
  }
}

/** `gone`: the session was deleted. */
type LogEnd = "ended" | "gone";

async function followLog(
  { sessionId }: OwnRow,
  options: FollowOptions,
  given: FollowStart | undefined,
): Promise<LogEnd> {
  await using own = await openOwn(options.places);
  if (own === null) return "gone";
  const { store } = own;
  try {
    const start = given ?? (await startIn(store, sessionId, options.isOwn));
    await showLog(store, sessionId, { ...options, start });
  } catch (error) {
    if (!isContinuoError(error, "not_found") && !isContinuoError(error, "gone")) throw error;
  }
  return options.signal.aborted || (await store.getSession(sessionId)) !== null ? "ended" : "gone";
}

async function showLog(
  store: Store,
  sessionId: string,
  options: FollowOptions & { readonly start: FollowStart },
): Promise<void> {
  const { isOwn, onBegin, onCaughtUp, signal, start } = options;
  // A turn of another program that began earlier also needs the agent's session.
  const live = await store.listRuns({ sessionId, status: ["pending", "running"] });
  if (live.items.some(({ runId }) => !isOwn(runId))) onBegin();
  const shown = new ShownTurns(store, sessionId, options);
  try {
    const after = Math.min(start.after, ...[...start.running.values()].map((sequence) => sequence - 1));
    if (after >= start.after) onCaughtUp?.();
    for await (const event of store.tail(sessionId, { after, signal })) {
      const { runId, sequence } = event;
      const isShown = sequence > start.after || (runId !== undefined && start.running.has(runId));
      if (runId !== undefined && isShown && !isOwn(runId)) {
        if (event.type === "run_created") onBegin();
        else await shown.take(event, runId);
      }
      if (sequence >= start.after) onCaughtUp?.();
    }
  } finally {
    shown.close();
  }
}

/** Messages that were imported have no run, so they are not shown again. */
const FROM_BEGINNING: FollowStart = { after: 0, running: new Map() };

/** Waits until the native session is one of Continuo's. `null` if the signal aborts. */
async function importedRow(
  name: SessionName,
  { places, signal, turnEnded }: Pick<FollowOptions, "places" | "signal" | "turnEnded">,
): Promise<OwnRow | null> {
  // A turn that ends while the store is looked into counts too.
  let turn = endOf(turnEnded());
  for (let seen = ""; !signal.aborted; ) {
    const over = AbortSignal.any([signal, turn]);
    await sleep(GATEWAY_LIMITS.importMs, undefined, { signal: over }).catch(() => undefined);
    if (signal.aborted) return null;
    const isAfterTurn = turn.aborted;
    if (isAfterTurn) turn = endOf(turnEnded());
    const stamp = storeStamp(places);
    // A store that is no file has the same stamp for a while, and a turn of this connection may have imported the session.
    if (stamp === seen && !isAfterTurn) continue;
    seen = stamp;
    await using own = await openOwn(places);
    const row = own === null ? null : await ownRowOf(name, own);
    if (row !== null) return row;
  }
  return null;
}

/** Aborts when the turn ends. A turn can take days, so it gets one reaction, and not one for each look into the store. */
function endOf(turn: Promise<void>): AbortSignal {
  const ended = new AbortController();
  void turn.then(() => ended.abort());
  return ended.signal;
}

/** Changes with each change of the store. A store that is no file is looked into once in `storeLookMs`. */
function storeStamp(places: PlacesAt): string {
  const path = pathOfUrl(storeUrlOf(places));
  if (path === null) return String(Math.floor(Date.now() / GATEWAY_LIMITS.storeLookMs));
  return [path, `${path}-wal`]
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((stat) => (stat === undefined ? "" : `${stat.mtimeMs} ${stat.size}`))
    .join();
}

interface ShownTurn {
  readonly turn: LoggedTurn;
  /** Withdraws the open questions, by their ids. */
  readonly questions: Map<string, AbortController>;
}

/** The turns that are shown now: usually one. */
class ShownTurns {
  readonly #store: Store;
  readonly #sessionId: string;
  readonly #options: FollowOptions;
  readonly #turns = new Map<string, ShownTurn>();
  /**
   * Lets this connection show its own turns again. It comes from one call of `enter` for all turns that are shown here,
   * because the end of a killed turn can come after events of the next turn.
   */
  #leave: (() => void) | null = null;
  /** The runs that ended most recently: a later event of one of these runs does not begin a turn. */
  readonly #ended = new Set<string>();

  constructor(store: Store, sessionId: string, options: FollowOptions) {
    this.#store = store;
    this.#sessionId = sessionId;
    this.#options = options;
  }

  async take(event: StoredEvent, runId: string): Promise<void> {
    const { show, signal } = this.#options;
    if (this.#ended.has(runId)) return;
    if (event.type === "run_started") return await this.#begin(runId);
    const shown = await this.#turnOf(runId);
    if (signal.aborted) return;
    const { turn, questions } = shown;
    for (const update of turn.of(event)) await show(update);
    if (isEvent(event, "approval_requested")) void this.#ask(event.data, shown, runId);
    if (isEvent(event, "approval_resolved")) questions.get(event.data.approvalId)?.abort();
    if (!isRunEnd(event)) return;
    for (const update of turn.end()) await show(update);
    for (const question of questions.values()) question.abort();
    this.#turns.delete(runId);
    this.#ended.add(runId);
    keepNewest(this.#ended, GATEWAY_LIMITS.endedTurns);
    if (this.#turns.size === 0) this.#leaveStage();
    this.#options.onEnd?.();
  }

  close(): void {
    for (const { questions } of this.#turns.values()) {
      for (const question of questions.values()) question.abort();
    }
    this.#turns.clear();
    this.#leaveStage();
  }

  #leaveStage(): void {
    this.#leave?.();
    this.#leave = null;
  }

  /** Shows the person's message at once, while the agent's program is still starting. */
  async #begin(runId: string): Promise<void> {
    const run = await this.#store.getRun(runId);
    // If the run is a new attempt, the log already has its input. If a worker claimed the run, the worker does not
    // begin it at once.
    if (run === null || typeof run.metadata.saidBy === "string" || run.metadata.claimed === true) return;
    const { turn } = await this.#turnOf(runId);
    if (this.#options.signal.aborted) return;
    for (const update of turn.prompt(contentBlocks(run.input))) await this.#options.show(update);
  }

  async #turnOf(runId: string): Promise<ShownTurn> {
    const known = this.#turns.get(runId);
    if (known !== undefined) return known;
    this.#leave ??= await this.#options.enter();
    const turn = new LoggedTurn(runId, this.#options.ids());
    const shown = { turn, questions: new Map<string, AbortController>() };
    this.#turns.set(runId, shown);
    return shown;
  }

  /**
   * Asks the person in this editor, too. The first answer from any program counts, and is stored in the log. Never
   * rejects.
   */
  async #ask(
    data: Payload<"approval_requested">,
    { turn, questions }: ShownTurn,
    runId: string,
  ): Promise<void> {
    const request = requestIn(data);
    const { approvalId, toolCallId } = request;
    const stop = new AbortController();
    questions.set(approvalId, stop);
    const question: StoredQuestion = {
      store: this.#store,
      sessionId: this.#sessionId,
      runId,
      approvalId,
    };
    try {
      if ((await storedAnswer(question)) !== null) return;
      const shownAs = { toolCallId: turn.idOfCall(toolCallId ?? approvalId), signal: stop.signal };
      const decision = await this.#options.ask(request, shownAs);
      // If the editor dismisses the question, other programs can still answer it.
      if (decision.by === "person" && decision.outcome !== "cancelled")
        await answerQuestion(question, decision);
    } catch {
      // The question was withdrawn, or the editor cannot ask it; other programs can still answer it.
    } finally {
      questions.delete(approvalId);
    }
  }
}

/** Prompts of the newest runs of a session; an empty list for a session without a log. */
export async function newestPrompts(id: string, places: PlacesAt): Promise<readonly RunPrompt[]> {
  const { hit } = await findSession(id, places);
  await using own = hit.kind === "native" ? null : await openOwn(places);
  if (hit.kind === "native" || own === null) return [];
  const { store } = own;
  const { events } = await store.read(hit.row.sessionId, {
    types: ["run_started"],
    order: "newest",
    limit: GATEWAY_LIMITS.comparedRuns,
  });
  const runs = await Promise.all(
    events.map(({ runId }) => (runId === undefined ? null : store.getRun(runId))),
  );
  return runs.flatMap((run) => {
    if (run === null) return [];
    const { runId, createdAt, startedAt, endedAt } = run;
    const fromMs = Date.parse(startedAt ?? createdAt);
    const toMs = endedAt === null ? Number.POSITIVE_INFINITY : Date.parse(endedAt);
    return [{ runId, input: contentBlocks(run.input), fromMs, toMs }];
  });
}
