/** Participants that disappeared: their unfinished messages end as interrupted, with the text so far. */

import { isContinuoError, type ListedLease, type NewEvent, type Store } from "@continuo/core/model";
import { CHANNEL_LIMITS, SERVER_LOGS } from "@continuo/core/wire";
import { type Fence, isShared } from "./handles.ts";
import { LIMITS } from "./limits.ts";
import {
  type ConnectionRef,
  channelLogId,
  connectionLease,
  PRESENCE_PREFIX,
  placeOfLease,
  presenceLease,
} from "./names.ts";
import { hasUnanswered, markInterrupted } from "./participant-session.ts";
import { readState } from "./read-state.ts";
import { type ChannelState, type OpenMessage, openMessagesOf } from "./state.ts";

export interface InterruptOptions {
  readonly fence: Fence;
  readonly reason: string;
  /** The `connect()` whose messages are not interrupted. */
  readonly except?: string;
  /** The state of the channel, if the caller has it. */
  readonly state?: ChannelState;
}

/**
 * Ends the unfinished messages of the participant under its lease, so that no writer can add to them. Returns the
 * messages of `except`, which stay open. Errors: `fenced`.
 */
export async function interruptMessages(
  store: Store,
  place: ConnectionRef,
  { fence, reason, except, state }: InterruptOptions,
): Promise<readonly OpenMessage[]> {
  const open = openMessagesOf(state ?? (await readState(store, place.channel)), place.handle);
  const isKept = ({ writer }: OpenMessage): boolean => except !== undefined && writer === except;
  const left = open.filter((message) => !isKept(message));
  if (left.length > 0) await markInterrupted(store, { place, fence });
  await appendInterruptions(store, place, { left, fence, reason });
  return open.filter(isKept);
}

export interface EndOptions {
  /** The lease of the connection. */
  readonly fence: Fence;
  readonly reason: string;
  /** `false` if the caller knows that no message of the participant is in progress. */
  readonly hasOpen?: boolean;
}

/**
 * Ends a connection: its unfinished messages end as interrupted. The session of the participant becomes interrupted too
 * if there are such messages, or an input that it received and did not answer. A participant that has another
 * connection continues.
 * Errors: `fenced`.
 */
export async function endConnection(
  store: Store,
  place: ConnectionRef,
  { fence, reason, hasOpen = true }: EndOptions,
): Promise<void> {
  const open = hasOpen ? openMessagesOf(await readState(store, place.channel), place.handle) : [];
  const isOne = fence.name !== presenceLease(place);
  const isOwn = ({ writer }: OpenMessage): boolean =>
    writer !== null && connectionLease(place, writer) === fence.name;
  const left = isOne ? open.filter(isOwn) : open;
  const isOver = !isOne || !(await isShared(store, place, fence));
  // The messages are ended last: after a crash between the two steps, the next sweep finds the messages unfinished and
  // does both steps again.
  if (isOver && (left.length > 0 || (await hasUnanswered(store, place)))) {
    await markInterrupted(store, { place, fence });
  }
  await appendInterruptions(store, place, { left, fence, reason });
}

interface Interruptions extends Pick<InterruptOptions, "fence" | "reason"> {
  readonly left: readonly OpenMessage[];
}

async function appendInterruptions(
  store: Store,
  { channel }: ConnectionRef,
  { left, fence, reason }: Interruptions,
): Promise<void> {
  if (left.length === 0) return;
  const events = left.map((message) => interruption(message, reason));
  await store.append(channelLogId(channel), events, { lease: fence });
}

function interruption({ messageId, text, head, handle }: OpenMessage, reason: string): NewEvent {
  return {
    type: "message_interrupted",
    actor: { kind: "system" },
    data: { messageId, content: text, reason, handle, ...head },
  };
}

export interface SweepOptions {
  /** A name for this process. */
  readonly owner: string;
  /** Tells if the holder of an expired lease is gone. If it is left out, every such holder counts as gone. */
  readonly isGone?: (lease: ListedLease) => Promise<boolean>;
}

/**
 * Looks for participants whose lease expired and was not released: their process, their connection or their server is
 * gone. Any server may look at any time; only one of them sweeps. Returns the participants that it found.
 */
export async function sweepChannels(
  store: Store,
  { owner, isGone = () => Promise.resolve(true) }: SweepOptions,
): Promise<readonly ConnectionRef[]> {
  const { items } = await store.listLeases({
    prefix: PRESENCE_PREFIX,
    state: "expired",
    limit: LIMITS.sweptLeases,
  });
  const gone: ListedLease[] = [];
  for (const lease of items) if (await isGone(lease)) gone.push(lease);
  if (gone.length === 0) return [];
  const turn = await takeTurn(store, owner);
  if (turn === null) return [];
  const found: ConnectionRef[] = [];
  let renewedAt = performance.now();
  try {
    for (const lease of gone) {
      const place = placeOfLease(lease.name);
      if (place !== null && (await interruptGone(store, place, { lease, owner }))) found.push(place);
      if (performance.now() - renewedAt < TURN_MS / 3) continue;
      await store.renewLease({ ...turn, ttlMs: TURN_MS });
      renewedAt = performance.now();
    }
  } finally {
    await store.releaseLease(turn);
  }
  return found;
}

const TURN = `${SERVER_LOGS}sweep`;
const TURN_MS = CHANNEL_LIMITS.silenceMs;

/** Returns `null` while another server sweeps. */
async function takeTurn(store: Store, owner: string): Promise<Fence | null> {
  try {
    return await store.acquireLease(TURN, { owner, ttlMs: TURN_MS });
  } catch (error) {
    if (isContinuoError(error, "lease_held")) return null;
    throw error;
  }
}

/** Returns `false` if the participant came back. */
async function interruptGone(
  store: Store,
  place: ConnectionRef,
  { lease, owner }: { readonly lease: ListedLease; readonly owner: string },
): Promise<boolean> {
  try {
    const fence = await store.acquireLease(lease.name, { owner, ttlMs: SWEEP_MS });
    await endConnection(store, place, { fence, reason: "the writer disappeared" }).catch(ignoreDeleted);
    await store.releaseLease(fence);
    return true;
  } catch (error) {
    if (isContinuoError(error, "lease_held") || isContinuoError(error, "fenced")) return false;
    throw error;
  }
}

/** In a deleted channel there is nothing to interrupt. */
function ignoreDeleted(error: unknown): void {
  if (!isContinuoError(error, "not_found") && !isContinuoError(error, "gone")) throw error;
}

/**
 * The time for which a sweeping server has the handle before another one may try. A participant that returns waits that
 * long.
 */
const SWEEP_MS = CHANNEL_LIMITS.reconnectMs;
