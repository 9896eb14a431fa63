/** Requests of a participant: executes each frame on the store. */

import {
  ContinuoError,
  isContinuoError,
  isPassing,
  type Store,
  type StoredEvent,
} from "@continuo/core/model";
import {
  CHANNEL_LIMITS,
  type ClientFrame,
  type ParticipantSession,
  type PostFrame,
  type RequestFrame,
  type SessionFrame,
} from "@continuo/core/wire";
import {
  blobsOf,
  type ConnectionRef,
  claimInput,
  clearHistory,
  commitProcessed,
  createParticipantSession,
  endRun,
  type Fence,
  hasEnded,
  hasParticipantSession,
  isPart,
  isShared,
  isSnapshotDue,
  moveReceived,
  type OpenMessages,
  openAfter,
  post,
  postTogether,
  readHistory,
  readParticipantSession,
  readState,
  seeDevice,
  setSdkSession,
  storeMessage,
} from "@continuo/store/channels";
import type { LogCreation } from "../context/index.ts";
import { serverMeter } from "../operation/index.ts";

export interface Participation {
  readonly store: Store;
  readonly place: ConnectionRef;
  readonly fence: Fence;
  readonly instance: string;
  readonly type: string;
  readonly device: string | undefined;
  /** Its token administers the workspace. */
  readonly moderates: boolean;
  /** `degraded` until the requested session can be opened. */
  session: "kept" | "degraded" | "none";
  /** Errors: `not_found` for a blob that the participant may not refer to. */
  readonly requireBlobs: (id: string, blobs: readonly string[]) => Promise<void>;
  /** Counts the session if `create` creates it. Errors: `rate_limited`. */
  readonly countLog: (creation: LogCreation<{ readonly created: boolean }>) => Promise<unknown>;
  /** Messages that one request for the history returns. */
  readonly historyItems: number;
  open: OpenMessages;
  /** Messages of which nobody knows if their beginning or their end was stored: the store did not answer. */
  readonly unsure: Set<string>;
  /**
   * True if an earlier connection may have stored the beginning of another message after this connection read which
   * messages are in progress.
   */
  readonly cameBack: boolean;
}

/** Returns false if certainly no message of the participant is in progress. */
export function mayHaveOpen({ open, unsure, cameBack }: Participation): boolean {
  return open.size > 0 || unsure.size > 0 || cameBack;
}

const SESSION_FRAMES: ReadonlySet<string> = new Set<SessionFrame["type"]>([
  "received",
  "commit",
  "sdk_session",
  "store",
  "history",
  "clear_history",
  "claim",
  "end_run",
]);

/** Returns true if other connections of the same person should see the session after the frame. */
export function changesSession({ type }: RequestFrame): boolean {
  return type === "commit" || type === "sdk_session";
}

/** Returns the fields of the answer. Errors: those of the frame; `session_disabled`. */
export async function perform(participation: Participation, frame: RequestFrame): Promise<unknown> {
  if (!isSessionFrame(frame)) return performPost(participation, frame);
  if (participation.session === "kept") return performSession(participation, frame);
  throw new ContinuoError("session_disabled", "this participant has no session", {
    hint: "Connect with a workspaceId.",
  });
}

function isSessionFrame(frame: RequestFrame): frame is RequestFrame & SessionFrame {
  return SESSION_FRAMES.has(frame.type);
}

async function performPost(participation: Participation, frame: PostFrame): Promise<unknown> {
  const { store, place, fence, instance, type, moderates } = participation;
  const blobs = "content" in frame ? blobsOf(frame) : [];
  if (blobs.length > 0) await participation.requireBlobs(frame.id, blobs);
  const messageId = messageOf(frame);
  const unsure = messageId === undefined ? undefined : firstToFindOut(participation, messageId);
  if (unsure !== undefined) await findOut(participation, unsure);
  const { open } = participation;
  const author = { ...place, type, instance, fence, moderates };
  const event = await post(store, author, { frame, open }).catch((error: unknown) => {
    if (messageId !== undefined && !isRefused(error)) participation.unsure.add(messageId);
    throw error;
  });
  serverMeter.count("continuo.channel.messages", 1, { type: frame.type });
  if (!(await isOver(participation, frame, event))) participation.open = openAfter(open, frame, event);
  keepStateWhenDue(store, place.channel, event);
  return { sequence: event.sequence };
}

export type PlainSend = Extract<RequestFrame, { readonly type: "send" }>;

/** Returns true for a whole message that needs no look-up, so that several can be stored together. */
export function isPlainSend(frame: ClientFrame): frame is PlainSend {
  if (frame.type !== "send" || frame.state !== undefined || frame.replyTo !== undefined) return false;
  return blobsOf(frame).length === 0;
}

/** The fields of the answer to a request, or the reason for refusing it. */
export type Answer = { readonly result: unknown } | { readonly error: unknown };

/** Stores whole messages in their order, with one commit; if the store refuses them together, each separately. */
export async function performSends(
  participation: Participation,
  frames: readonly PlainSend[],
): Promise<readonly Answer[]> {
  const { store, place, instance, type, fence } = participation;
  if (frames.length === 0) return [];
  try {
    const events = await postTogether(store, { ...place, type, instance, fence }, frames);
    serverMeter.count("continuo.channel.messages", frames.length, { type: "send" });
    for (const event of events) keepStateWhenDue(store, place.channel, event);
    return events.map(({ sequence }) => ({ result: { sequence } }));
  } catch (error) {
    if (!isRefused(error) || isContinuoError(error, "fenced")) return frames.map(() => ({ error }));
  }
  const answers: Answer[] = [];
  for (const frame of frames) {
    answers.push(
      await performPost(participation, frame).then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      ),
    );
  }
  return answers;
}

/** A first event that is repeated after the end of its message does not open the message again. */
async function isOver(
  { store, place, unsure }: Participation,
  frame: PostFrame,
  event: StoredEvent,
): Promise<boolean> {
  if (frame.type !== "send" || frame.state !== "open") return false;
  // The beginning is stored: if this read fails, the message may be in progress.
  unsure.add(frame.id);
  const hasItsEnd = await hasEnded(store, place.channel, event);
  unsure.delete(frame.id);
  return hasItsEnd;
}

/** The message in progress that a frame begins, continues or ends. */
function messageOf(frame: PostFrame): string | undefined {
  if (isPart(frame)) return frame.messageId;
  return frame.type === "send" && frame.state === "open" ? frame.id : undefined;
}

/** False if the store could not be reached: it may have executed the request without answering it. */
function isRefused(error: unknown): boolean {
  return isContinuoError(error) && !isPassing(error);
}

/**
 * Returns this message if it is not known what the store has of it; otherwise the oldest such message, if there are too
 * many.
 */
function firstToFindOut({ unsure }: Participation, messageId: string): string | undefined {
  if (unsure.has(messageId)) return messageId;
  const [oldest] = unsure;
  return unsure.size >= CHANNEL_LIMITS.openMessages ? oldest : undefined;
}

/** Reads what the store has of a message after it did not answer. */
async function findOut(participation: Participation, messageId: string): Promise<void> {
  const { store, place, instance } = participation;
  const { open } = await readState(store, place.channel);
  const message = Object.hasOwn(open, messageId) ? open[messageId] : undefined;
  const known = new Map(participation.open);
  if (message?.handle !== place.handle || message.writer !== instance) known.delete(messageId);
  else known.set(messageId, { length: message.text.length, head: message.head });
  participation.open = known;
  participation.unsure.delete(messageId);
}

/** Nobody waits for the snapshot: without it, the next participant only reads a little more. */
export function keepStateWhenDue(store: Store, channel: string, { sequence }: StoredEvent): void {
  if (isSnapshotDue(sequence)) readState(store, channel).catch(() => undefined);
}

async function performSession(participation: Participation, frame: SessionFrame): Promise<unknown> {
  const { store, place, fence, instance, device } = participation;
  const held = { place, fence, device };
  switch (frame.type) {
    case "received":
      return await moveReceived(store, held, frame.sequence);
    case "commit":
      return commitProcessed(store, held, frame.sequence);
    case "sdk_session":
      await setSdkSession(store, held, frame.sdkSessionId);
      return readParticipantSession(store, place, device);
    case "store":
      return storeMessage(store, held, frame);
    case "history":
      assertHistory(frame.limit, participation.historyItems);
      return readHistory(store, place, frame.limit);
    case "clear_history":
      return await clearHistory(store, held, frame.id);
    case "claim":
      await assertOnlyConnection(participation);
      return claimInput(store, { ...held, ...frame, instance });
    case "end_run":
      await endRun(store, { ...held, ...frame });
      return readParticipantSession(store, place, device);
  }
}

/** Two connections would answer the same inputs. Errors: `conflict`. */
async function assertOnlyConnection({ store, place, fence }: Participation): Promise<void> {
  if (!(await isShared(store, place, fence))) return;
  throw new ContinuoError("conflict", `cannot claim an input: ${place.handle} has several connections`, {
    hint: "Connect as an agent, whose handle has one connection.",
    details: { handle: place.handle },
  });
}

/**
 * Opens the session, and creates it if there is none. Errors: `too_large` if there are too many devices,
 * `rate_limited`.
 */
export async function openParticipantSession(participation: Participation): Promise<ParticipantSession> {
  const { store, place, fence, device } = participation;
  await participation.countLog({
    exists: () => hasParticipantSession(store, place),
    create: () => createParticipantSession(store, place),
  });
  if (device !== undefined) await seeDevice(store, { place, fence, device, now: new Date() });
  return readParticipantSession(store, place, device);
}

/** Tries again to open a session that could not be opened; `null` while that fails. */
export async function recoverSession(participation: Participation): Promise<ParticipantSession | null> {
  try {
    const session = await openParticipantSession(participation);
    participation.session = "kept";
    return session;
  } catch (error) {
    if (!isContinuoError(error)) throw error;
    return null;
  }
}

/** Errors: `invalid`. */
function assertHistory(limit: number, most: number): void {
  if (limit <= most) return;
  throw new ContinuoError("invalid", `this server returns at most ${most} messages of a history at once`, {
    hint: "Ask for fewer.",
    details: { limit: most },
  });
}
