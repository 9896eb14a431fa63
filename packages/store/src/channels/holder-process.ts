/**
 * The process of the server that has the connection of an agent. If that process was killed on this machine, the handle
 * need not be held until its lease expires.
 *
 * It is recorded in a lease of its own, not in the owner of the handle's lease: servers of other versions compare that
 * owner as a text, and would refuse a participant who comes back to them. The record counts only for the token that it
 * names, so that it says nothing about a later holder.
 */

import { isContinuoError, type Lease, type Store } from "@continuo/core/model";
import { isOwnerGone, ownerHere } from "@continuo/files";
import { type ConnectionRef, processLease } from "./names.ts";

/** The record's lease expires immediately, so that a later holder can write its own record at any time. */
const RECORD_MS = 1;

export async function recordProcess(
  store: Store,
  place: ConnectionRef,
  { token }: Pick<Lease, "token">,
): Promise<void> {
  const here = ownerHere("");
  if (here === "") return;
  try {
    const owner = `${token}${here}`;
    await store.acquireLease(processLease(place), { owner, ttlMs: RECORD_MS });
  } catch (error) {
    // Another holder wrote its record in the same moment.
    if (!isContinuoError(error, "lease_held")) throw error;
  }
}

/** Returns true if the process of the server that had the connection has certainly ended. */
export async function isServerGone(
  store: Store,
  place: ConnectionRef,
  { token }: Pick<Lease, "token">,
): Promise<boolean> {
  const name = processLease(place);
  const [record] = (await store.listLeases({ prefix: name, limit: 1 })).items;
  return record?.name === name && record.owner.startsWith(`${token}@`) && isOwnerGone(record.owner);
}
