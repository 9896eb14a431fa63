/**
 * Takes over the turns that an agent's own program added to the native session in which a session of Continuo's
 * continues: they become events of the log, before the next run and when the session is loaded.
 *
 * - The id of an event is computed from its message, so any number of processes, also after a crash, store it once.
 * - A turn is stored when it has ended. Until then its messages are `pending`.
 * - The native session is only read, and not even that if its files are those of the last time.
 */

import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  appendNew,
  contentBlocks,
  type Message,
  messageOf,
  type NativeRef,
  type NewEvent,
  present,
  type Run,
  type Session,
  type Store,
  type StoredEvent,
  textOf,
} from "@continuo/core/model";
import { recordOf } from "@continuo/core/wire";
import { type PlacesAt, placesOf } from "@continuo/files";
import { formatOf } from "@continuo/native";
import type { FoundSession } from "@continuo/native/kit";
import { locateNative, presentRefOf, toOwnRow } from "../catalog/index.ts";
import { TALK_LIMITS } from "./limits.ts";
import { type OwnRecords, type OwnRun, turnsOfProgram } from "./native-owners.ts";
import { flat, textsOfPrompt } from "./sent-prompts.ts";

export interface NativeTurnsOptions {
  readonly store: Store;
  readonly sessionId: string;
  readonly places: PlacesAt;
  /** `true` waits a moment for a turn that seems to have ended. */
  readonly isPatient?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface TakenTurns {
  /** The number of events that this call stored. */
  readonly added: number;
  /** The sequence of the newest event that was taken over, among the newest events; 0 if there is none. */
  readonly newest: number;
  /**
   * Messages that are not stored yet: those of turns that have not ended, and, while a run of Continuo is in progress,
   * those of all turns.
   */
  readonly pending: readonly Message[];
}

/**
 * Takes over the turns of the agent's own program before a run. Returns the sequence of the newest one, or 0. Never
 * rejects, because a run does not depend on it: the agent itself knows these turns.
 */
export async function latestNativeTurn({
  note,
  session: { sessionId },
  ...options
}: Omit<NativeTurnsOptions, "sessionId" | "isPatient"> & {
  readonly session: Session;
  readonly note: (text: string) => void;
}): Promise<number> {
  try {
    return (await takeNativeTurns({ ...options, sessionId, isPatient: true })).newest;
  } catch (error) {
    if (options.signal?.aborted !== true)
      note(`turns of the agent's own program are not stored: ${messageOf(error)}`);
    return 0;
  }
}

const NONE: TakenTurns = { added: 0, newest: 0, pending: [] };

/**
 * Errors: those of the store, and of reading the native session. A session without native files has nothing to take
 * over.
 */
export async function takeNativeTurns(options: NativeTurnsOptions): Promise<TakenTurns> {
  const { store, sessionId, places, isPatient = false, signal } = options;
  const session = await store.getSession(sessionId);
  const ref = session === null ? null : presentRefOf(toOwnRow(session, ""));
  if (ref === null) return NONE;
  const found = (await locateNative(ref, places))?.native.found;
  if (found === undefined) return NONE;
  const state = createHash("sha256")
    .update(JSON.stringify([keyOf(ref), found.location, found.files]))
    .digest("base64url");
  const cursor = await store.getCursor({ logId: sessionId, name: LAST_TAKEN });
  const last = recordOf(cursor?.data);
  const newest = typeof last.newest === "number" ? last.newest : 0;
  if (last.state === state) return { ...NONE, newest };
  const taken = await take(options, { found, ref });
  const quietMs = quietMsOf(found);
  if (taken.pending.length > 0 && isPatient && quietMs < TALK_LIMITS.nativeQuietMs) {
    await sleep(TALK_LIMITS.nativeQuietMs - quietMs, undefined, present({ signal }));
    const later = await takeNativeTurns({ ...options, isPatient: false });
    return { ...later, added: taken.added + later.added };
  }
  // A change within the same tick of the clock that stamps files would not show.
  if (taken.pending.length === 0 && quietMs >= TALK_LIMITS.nativeTickMs) {
    await store.commitCursor({
      logId: sessionId,
      name: LAST_TAKEN,
      data: { state, newest: taken.newest },
    });
  }
  return taken;
}

/** The cursor that names the files at which the last call found nothing more to take. */
const LAST_TAKEN = "continuo:native-turns";

const keyOf = ({ agent, sessionId }: Pick<NativeRef, "agent" | "sessionId">): string =>
  `${agent}:${sessionId}`;

function quietMsOf({ files }: FoundSession): number {
  return Date.now() - Math.max(0, ...files.map(({ mtimeMs }) => mtimeMs));
}

interface NativeSession {
  readonly found: FoundSession;
  readonly ref: NativeRef;
}

async function take(
  { store, sessionId, places }: NativeTurnsOptions,
  { found, ref }: NativeSession,
): Promise<TakenTurns> {
  const { messages, log } = await readBoth({ store, sessionId, places }, { found, ref });
  const turns = turnsOfProgram(messages, log);
  const { items: running } = await store.listRuns({ sessionId, status: "running", limit: 1 });
  const isFree = running.length === 0;
  const last = turns.at(-1);
  const ended = turns.filter((turn) => turn !== last || hasEnded(turn, found));
  const events = isFree ? ended.flatMap((turn) => turn.flatMap((message) => toEvents(message, ref))) : [];
  const fresh = events.filter(({ id }) => !log.eventIds.has(id));
  const stored = await appendAll(store, sessionId, fresh);
  const isStored = new Set(isFree ? ended : []);
  const pending = turns
    .filter((turn) => !isStored.has(turn))
    .flatMap((turn) => turn.filter(({ id }) => !log.taken.has(id)));
  // Another process may have stored some of them.
  const now = fresh.length === 0 ? log : await readLog(store, sessionId, ref);
  return { added: stored.length, newest: now.newest, pending };
}

/**
 * Reads the end of the native session, or all of it if its end has no message that the log knows. The files are read
 * before the log, so that the log that is read has the prompt of every run in the files.
 */
async function readBoth(
  { store, sessionId, places }: NativeTurnsOptions,
  { found, ref }: NativeSession,
): Promise<{ readonly messages: readonly Message[]; readonly log: Log }> {
  const reader = await formatOf(found.agent);
  for (let newestBytes: number | undefined = TALK_LIMITS.nativeNewestBytes; ; newestBytes = undefined) {
    using opened = await reader.open(found, placesOf(places), present({ newestBytes }));
    const messages = await Array.fromAsync(opened.history());
    const log = await readLog(store, sessionId, ref);
    const isKnown = ({ id }: Message): boolean => log.ids.has(id) || log.taken.has(id);
    if (!opened.partial || newestBytes === undefined || messages.some(isKnown)) return { messages, log };
  }
}

/** The words with which the programs of agents record that a turn has ended. */
const LAST_WORDS: ReadonlySet<string> = new Set(["end_turn", "stop", "STOP", "stop_sequence", "max_tokens"]);

/** True if the agent has answered, or if nothing was written for so long that it never will. */
function hasEnded(turn: readonly Message[], found: FoundSession): boolean {
  const quietMs = quietMsOf(found);
  if (quietMs >= TALK_LIMITS.nativeStoppedMs) return true;
  if (found.live === false && quietMs >= TALK_LIMITS.nativeClosedMs) return true;
  const last = turn.findLast(({ origin }) => origin !== "injected" && origin !== "notification");
  if (last?.role !== "assistant" || last.content.some(({ type }) => type === "tool_call")) return false;
  const isSaid = last.origin === "error" || textOf(last.content) !== "";
  const isLast = last.stopReason !== undefined && LAST_WORDS.has(last.stopReason);
  return isSaid && (isLast || quietMs >= TALK_LIMITS.nativeQuietMs);
}

interface Log extends OwnRecords {
  /** The ids of the events that were taken over. */
  readonly eventIds: ReadonlySet<string>;
  /** The sequence of the newest of these events; 0 if there are none. */
  readonly newest: number;
}

const MESSAGES = ["message_sent", "message_received", "tool_call_started"];

async function newestEvents(
  store: Store,
  sessionId: string,
  types: readonly string[],
): Promise<readonly StoredEvent[]> {
  const limit = TALK_LIMITS.nativeEvents;
  return (await store.read(sessionId, { types: [...types], order: "newest", limit })).events;
}

async function readLog(store: Store, sessionId: string, ref: NativeRef): Promise<Log> {
  const log = { ids: new Set<string>(), taken: new Set<string>(), calls: new Set<string>() };
  const eventIds = new Set<string>();
  const answers = new Map<string, Set<string>>();
  let newest = 0;
  for (const { id, type, data, runId = "", sequence } of await newestEvents(store, sessionId, MESSAGES)) {
    const { messageId, toolCallId, content, metadata } = recordOf(data);
    const isTaken = recordOf(metadata).nativeTurn === keyOf(ref);
    if (typeof messageId === "string") (isTaken ? log.taken : log.ids).add(messageId);
    if (typeof toolCallId === "string") log.calls.add(toolCallId);
    if (isTaken) {
      eventIds.add(id);
      newest = Math.max(newest, sequence);
    } else if (type === "message_received") {
      const texts = answers.get(runId) ?? new Set();
      answers.set(runId, texts.add(flat(textOf(contentBlocks(content)))));
    }
  }
  const started = await newestEvents(store, sessionId, ["run_started"]);
  const runs = await Promise.all(
    [...new Set(started.flatMap(({ runId = [] }) => runId))].map((runId) => store.getRun(runId)),
  );
  const own = runs.filter((run) => run !== null).map((run) => toOwnRun(run, ref, answers.get(run.runId)));
  return { ...log, runs: own.sort((a, b) => a.fromMs - b.fromMs), eventIds, newest };
}

function toOwnRun(
  { input, createdAt, startedAt, endedAt, metadata }: Run,
  ref: NativeRef,
  answers: ReadonlySet<string> = new Set(),
): OwnRun {
  const { agent, sessionId } = recordOf(metadata.native);
  return {
    texts: textsOfPrompt(contentBlocks(input)),
    fromMs: Date.parse(startedAt ?? createdAt),
    toMs: endedAt === null ? Number.POSITIVE_INFINITY : Date.parse(endedAt),
    isHere: agent === ref.agent && sessionId === ref.sessionId,
    answers,
  };
}

/**
 * One event, or none for a message that is not part of the conversation or too large. `nativeTurn` names the native
 * session that has the message already: its agent does not get it again (`plan.ts` of the room `sessions`).
 */
function toEvents(message: Message, ref: NativeRef): readonly (NewEvent & { readonly id: string })[] {
  const { id: messageId, role, origin, content, model, usage, stopReason, timestamp: occurredAt } = message;
  if (origin === "injected" || origin === "notification") return [];
  const nativeTurn = keyOf(ref);
  const metadata = { agent: ref.agent, nativeTurn };
  const isAnswer = role === "assistant";
  const facts = isAnswer ? { model, usage, stopReason } : { role };
  const data = present({ messageId, origin, content, metadata, ...facts });
  const text = JSON.stringify(data);
  if (text.length > TALK_LIMITS.messageChars) return [];
  const hash = createHash("sha256").update(`${nativeTurn}\n${messageId}\n${text}`).digest("base64url");
  const kind = isAnswer || role === "tool" ? "agent" : origin === "person" ? "person" : "system";
  const type = isAnswer ? "message_received" : "message_sent";
  return [{ id: `native-turn-${hash}`, type, data, actor: { kind }, ...present({ occurredAt }) }];
}

/** Appends the events that are not in the log, and returns them. Another process may append the same ones now. */
async function appendAll(
  store: Store,
  logId: string,
  events: readonly NewEvent[],
): Promise<readonly StoredEvent[]> {
  const stored: StoredEvent[] = [];
  for (let at = 0; at < events.length; ) {
    const batch = batchOf(events.slice(at));
    stored.push(...(await appendNew(store, logId, batch)));
    at += batch.length;
  }
  return stored;
}

/** Returns the first events that fit in one append, at least one. */
function batchOf(events: readonly NewEvent[]): readonly NewEvent[] {
  let chars = 0;
  const end = events.findIndex(({ data }, at) => {
    chars += JSON.stringify(data).length;
    return at > 0 && (at >= TALK_LIMITS.appendEvents || chars > TALK_LIMITS.appendChars);
  });
  return end === -1 ? events : events.slice(0, end);
}
