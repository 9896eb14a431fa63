/** The participants of a channel: the cards of the holders of its leases. Presence is never stored in the log. */

import {
  ContinuoError,
  type CreatedLog,
  type Lease,
  type ListedLease,
  listAll,
  type Store,
} from "@continuo/core/model";
import { isRecord, type Participant, PERSON } from "@continuo/core/wire";
import { LIMITS } from "./limits.ts";
import { channelLogId, placeOfLease, rosterPrefix } from "./names.ts";

/** The result of one `connect()`. After a lost connection, the same `instance` immediately gets the handle back. */
export interface Card extends Participant {
  readonly instance: string;
}

/** Creates the log of the channel, unless it exists. */
export async function openChannel(store: Store, channel: string): Promise<CreatedLog> {
  return await store.createLog({ logId: channelLogId(channel) });
}

export function isPerson({ type }: Pick<Participant, "type">): boolean {
  return type === PERSON;
}

/**
 * The participants who are connected now, by handle. A person with several connections is in the list once, with the
 * capabilities of all.
 */
export async function readRoster(store: Store, channel: string): Promise<readonly Participant[]> {
  const roster = new Map<string, Participant>();
  // The holder of an expired lease stays in the list until it is known to be gone.
  for await (const lease of leasesBelow(store, rosterPrefix(channel))) {
    const card = cardIn(lease);
    if (card === null) continue;
    const { handle, name, type } = card;
    const others = roster.get(handle)?.capabilities ?? [];
    roster.set(handle, { handle, name, type, capabilities: [...new Set([...others, ...card.capabilities])] });
    if (roster.size === LIMITS.participants) break;
  }
  return [...roster.values()];
}

/** Lists the leases below the prefix that were not given back; an expired lease is among them. */
export function leasesBelow(store: Store, prefix: string): AsyncGenerator<ListedLease, void, void> {
  return listAll((place) => store.listLeases({ prefix, limit: 1_000, ...place }));
}

/**
 * Returns what the lease records of its holder. Presence is stored only in this row, so that no second record can
 * contradict it. Servers of all versions write the same text, so that each of them can see that a participant has
 * returned.
 */
export function ownerOf({ instance, name, type, capabilities }: Card): string {
  const owner = JSON.stringify([instance, name, type, capabilities]);
  if (owner.length <= 512) return owner;
  throw new ContinuoError("too_large", "name, type and capabilities together are too long", {
    details: { limit: 512, length: owner.length },
  });
}

/** `null` for a lease of the server itself. */
export function cardIn({ name, owner }: Lease): Card | null {
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
