/** Who is in a channel: a handle belongs to the holder of its lease. Presence is never stored in the log. */

import {
  ContinuoError,
  type CreatedLog,
  isContinuoError,
  type Lease,
  type ListedLease,
  present,
  type Store,
} from "../model/index.ts";
import { CHANNEL_LIMITS, isRecord, type Participant } from "../wire/index.ts";
import { LIMITS } from "./limits.ts";
import { channelLogId, type Place, placeOfLease, presenceLease, rosterPrefix } from "./names.ts";

/** A write of a participant is refused after another one was given the handle. */
export interface Fence {
  readonly name: string;
  readonly token: number;
}

/** One `connect()`. After a lost connection, its `instance` gets the handle back at once. */
export interface Card extends Participant {
  readonly instance: string;
}

/** Creates the log of the channel, unless it exists. */
export async function openChannel(store: Store, channel: string): Promise<CreatedLog> {
  return await store.createLog({ logId: channelLogId(channel) });
}

/**
 * Takes the handle. A participant whose connection was just lost keeps it for a moment, and a newcomer waits that long.
 * Errors: `handle_taken`.
 */
export async function takeHandle(
  store: Store,
  place: Place,
  { card, signal }: { readonly card: Card; readonly signal?: AbortSignal },
): Promise<Fence> {
  const owner = ownerOf(card);
  for (;;) {
    signal?.throwIfAborted();
    try {
      const { name, token } = await store.acquireLease(presenceLease(place), {
        owner,
        ttlMs: CHANNEL_LIMITS.silenceMs,
      });
      return { name, token };
    } catch (error) {
      if (!isContinuoError(error, "lease_held")) throw error;
      const leftMs = Number(error.details.leftMs);
      // A connected participant renews its lease long before it gets so short.
      if (leftMs > CHANNEL_LIMITS.reconnectMs) throw handleTaken(place, error);
      await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(leftMs, 20), 250)));
    }
  }
}

/**
 * Whether an earlier participant with this handle may have left unfinished messages. Its lease is released only after
 * they have ended. To be asked before the handle is taken.
 */
export async function mayHaveLeft(store: Store, place: Place): Promise<boolean> {
  const name = presenceLease(place);
  const { items } = await store.listLeases({ prefix: name, limit: 1 });
  return items[0]?.name === name;
}

/** The refusal of a handle that somebody else has. */
export function handleTaken({ channel, handle }: Place, cause?: ContinuoError): ContinuoError {
  return new ContinuoError("handle_taken", `the handle ${handle} is already in the channel ${channel}`, {
    hint: "Choose another handle, or end the other participant.",
    details: { channel, handle },
    cause,
  });
}

/** A server that sweeps holds the handle of somebody who disappeared for a moment, under such a name. */
export function sweeperName(id: string): string {
  return `${SWEEPER}${id}`;
}

const SWEEPER = "server-";

/** Whether another participant holds the lease now: not this `connect()`, and not a server that sweeps. */
export async function isHeldByAnother(store: Store, name: string, instance: string): Promise<boolean> {
  const lease = await store.getLease(name);
  return lease !== null && !lease.owner.startsWith(SWEEPER) && cardIn(lease)?.instance !== instance;
}

/** Renews the lease. Errors: `fenced` when another participant was given the handle. */
export async function renewHandle(store: Store, fence: Fence): Promise<void> {
  await store.renewLease({ ...fence, ttlMs: CHANNEL_LIMITS.silenceMs });
}

/** The connection was lost: the participant has a moment to come back. */
export async function awaitReturn(store: Store, fence: Fence): Promise<void> {
  await store.renewLease({ ...fence, ttlMs: CHANNEL_LIMITS.reconnectMs });
}

export async function leaveChannel(store: Store, fence: Fence): Promise<void> {
  await store.releaseLease(fence);
}

/** Who is there now, by handle. */
export async function readRoster(store: Store, channel: string): Promise<readonly Participant[]> {
  const roster: Participant[] = [];
  for await (const lease of leasesBelow(store, { prefix: rosterPrefix(channel), state: "held" })) {
    const card = cardIn(lease);
    if (card === null) continue;
    const { handle, name, type, capabilities } = card;
    roster.push({ handle, name, type, capabilities });
    if (roster.length === LIMITS.participants) break;
  }
  return roster;
}

export async function* leasesBelow(
  store: Store,
  filter: Pick<NonNullable<Parameters<Store["listLeases"]>[0]>, "prefix" | "state">,
): AsyncGenerator<ListedLease, void, void> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Awaited<ReturnType<Store["listLeases"]>> = await store.listLeases(
      present({ ...filter, limit: 1_000, cursor }),
    );
    yield* page.items;
    cursor = page.nextCursor;
  }
}

/** What the lease records of its holder. Presence is this one row, so that no second record can contradict it. */
function ownerOf({ instance, name, type, capabilities }: Card): string {
  const owner = JSON.stringify([instance, name, type, capabilities]);
  if (owner.length <= 512) return owner;
  throw new ContinuoError("too_large", "name, type and capabilities together are too long", {
    details: { limit: 512, length: owner.length },
  });
}

/** `null` for a lease of the server itself. */
function cardIn({ name, owner }: Lease): Card | null {
  const place = placeOfLease(name);
  const [instance, shown, type, capabilities] = listIn(owner);
  if (place === null || typeof instance !== "string" || typeof shown !== "string") return null;
  if (typeof type !== "string" || !Array.isArray(capabilities)) return null;
  return { instance, handle: place.handle, name: shown, type, capabilities };
}

function listIn(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : isRecord(value) ? [] : [];
  } catch {
    return [];
  }
}
