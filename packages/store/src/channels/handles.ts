/**
 * The holder of a handle. The handle of an agent has one connection; the handle of a person may have several. Each
 * connection holds a lease, which fences its writes. An agent's connection holds the lease of the handle; a person's
 * connection holds a lease of its own, whose name begins with the name of the handle's lease.
 */

import { ContinuoError, isContinuoError, type ListedLease, present, type Store } from "@continuo/core/model";
import { CHANNEL_LIMITS } from "@continuo/core/wire";
import { isServerGone, recordProcess } from "./holder-process.ts";
import { LIMITS } from "./limits.ts";
import { type ConnectionRef, connectionLease, connectionPrefix, presenceLease } from "./names.ts";
import { type Card, cardIn, isPerson, leasesBelow, ownerOf } from "./participants.ts";

/** A write of a participant is refused after another one was given the handle. */
export interface Fence {
  readonly name: string;
  readonly token: number;
}

/** The lease of a connection with this card. */
export function leaseOf(place: ConnectionRef, card: Pick<Card, "type" | "instance">): string {
  return isPerson(card) ? connectionLease(place, card.instance) : presenceLease(place);
}

/**
 * Takes the handle for a connection. A participant whose connection was just lost keeps it for a moment, and a newcomer
 * waits that long. It also waits while nobody knows whether the holder of an expired lease is alive. If the server of
 * the holder was killed on this machine, the lease is taken before it expires. Errors: `handle_taken`.
 */
export async function takeHandle(
  store: Store,
  place: ConnectionRef,
  { card, signal }: { readonly card: Card; readonly signal?: AbortSignal },
): Promise<Fence> {
  const until = performance.now() + LIMITS.unknownHolderMs;
  let killed: KilledServer | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const rival = await rivalOf(store, place, card);
    if (rival?.state === "held" && rival.name !== leaseOf(place, card)) throw handleTaken(place);
    killed = await killedServerOf(store, rival, { place, card, known: killed });
    const isAwaited =
      killed === undefined
        ? rival?.state === "expired" && performance.now() < until
        : rival?.state === "held" && performance.now() < killed.seenMs + LIMITS.killedServerMs;
    if (isAwaited) {
      await pause(LIMITS.handlePollMs);
      continue;
    }
    const fence = await tryTake(store, place, { card, gone: killed?.token });
    if (fence !== null) return fence;
  }
}

/** The lease of a participant whose server was killed, and the time at which this was seen. */
interface KilledServer {
  readonly token: number;
  readonly seenMs: number;
}

interface KnownRival {
  readonly place: ConnectionRef;
  readonly card: Card;
  readonly known: KilledServer | undefined;
}

async function killedServerOf(
  store: Store,
  rival: ListedLease | null,
  { place, card, known }: KnownRival,
): Promise<KilledServer | undefined> {
  if (rival === null || rival.name !== leaseOf(place, card)) return undefined;
  if (!(await isServerGone(store, place, rival))) return undefined;
  return known?.token === rival.token ? known : { token: rival.token, seenMs: performance.now() };
}

interface TakeAttempt {
  readonly card: Card;
  /** The token of a holder that is known to be gone. */
  readonly gone: number | undefined;
}

/** `null` if the handle was not free. Errors: `handle_taken`. */
async function tryTake(
  store: Store,
  place: ConnectionRef,
  { card, gone }: TakeAttempt,
): Promise<Fence | null> {
  let fence: Fence;
  try {
    const asked = present({ owner: ownerOf(card), ttlMs: CHANNEL_LIMITS.silenceMs, takeFrom: gone });
    const { name, token } = await store.acquireLease(leaseOf(place, card), asked);
    fence = { name, token };
  } catch (error) {
    if (!isContinuoError(error, "lease_held")) throw error;
    const leftMs = Number(error.details.leftMs);
    // A connected participant renews its lease long before so little time is left.
    if (leftMs > CHANNEL_LIMITS.reconnectMs) throw handleTaken(place, { leftMs, cause: error });
    await pause(Math.min(Math.max(leftMs, 20), LIMITS.handlePollMs));
    return null;
  }
  // An agent and a person that came at the same moment now see each other, because each has its lease.
  if ((await rivalOf(store, place, card))?.state !== "held") {
    if (!isPerson(card)) await recordProcess(store, place, fence);
    return fence;
  }
  await store.releaseLease(fence);
  await pause(LIMITS.handlePollMs * Math.random());
  return null;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

/** The lease of another `connect()` that was not given back and prevents this one from taking the handle. */
export async function rivalOf(store: Store, place: ConnectionRef, card: Card): Promise<ListedLease | null> {
  const excludes = (lease: ListedLease): boolean => {
    const holder = cardIn(lease);
    if (holder === null || holder.instance === card.instance) return false;
    return !(isPerson(holder) && isPerson(card));
  };
  const name = presenceLease(place);
  const [first] = (await store.listLeases({ prefix: name, limit: 1 })).items;
  if (first?.name === name && excludes(first)) return first;
  if (isPerson(card)) return null;
  for await (const lease of leasesBelow(store, connectionPrefix(place))) if (excludes(lease)) return lease;
  return null;
}

/** Returns true if another connection has the handle too. */
export async function isShared(store: Store, place: ConnectionRef, { name }: Fence): Promise<boolean> {
  const { items } = await store.listLeases({ prefix: connectionPrefix(place), limit: 2 });
  return items.some((lease) => lease.name !== name);
}

/**
 * Returns true if an earlier holder of this lease may have left unfinished messages: the lease is released only
 * after they have ended. Call it before the handle is taken.
 */
export async function mayHaveLeft(store: Store, name: string): Promise<boolean> {
  const { items } = await store.listLeases({ prefix: name, limit: 1 });
  return items[0]?.name === name;
}

export interface HandleHolder {
  /**
   * The time until the handle becomes free unless its holder renews its lease; none if the holder is known to be alive.
   */
  readonly leftMs?: number | undefined;
  readonly cause?: ContinuoError;
}

/** The refusal of a handle that somebody else has. */
export function handleTaken(
  { channel, handle }: ConnectionRef,
  { leftMs, cause }: HandleHolder = {},
): ContinuoError {
  return new ContinuoError("handle_taken", `the handle ${handle} is already in the channel ${channel}`, {
    hint: "Choose another handle, or end the other participant.",
    details: { channel, handle, ...present({ leftMs }) },
    cause,
  });
}

/** Renews the lease. Errors: `fenced` when somebody else was given it. */
export async function renewHandle(store: Store, fence: Fence): Promise<void> {
  await store.renewLease({ ...fence, ttlMs: CHANNEL_LIMITS.silenceMs });
}

/** After a lost connection, gives the participant a moment to come back. */
export async function awaitReturn(store: Store, fence: Fence): Promise<void> {
  await store.renewLease({ ...fence, ttlMs: CHANNEL_LIMITS.reconnectMs });
}

export async function leaveChannel(store: Store, fence: Fence): Promise<void> {
  await store.releaseLease(fence);
}
