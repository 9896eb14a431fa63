/** Participants that disappeared: what they were writing ends as interrupted, with the text so far. */

import { isContinuoError, type NewEvent, type Store } from "../model/index.ts";
import { CHANNEL_LIMITS } from "../wire/index.ts";
import { channelLogId, type Place, PRESENCE_PREFIX, placeOfLease } from "./names.ts";
import { markInterrupted } from "./participant-session.ts";
import { type Fence, leasesBelow } from "./participants.ts";
import { readState } from "./read-state.ts";
import { type OpenMessage, openMessagesOf } from "./state.ts";

export interface InterruptOptions {
  readonly fence: Fence;
  readonly reason: string;
  /** The `connect()` whose messages go on. */
  readonly except?: string;
}

/**
 * Ends the messages that the participant had in progress, under its lease, so that no writer can add to them any
 * more. Returns the messages that go on. Errors: `fenced`.
 */
export async function interruptMessages(
  store: Store,
  place: Place,
  { fence, reason, except }: InterruptOptions,
): Promise<readonly OpenMessage[]> {
  const open = openMessagesOf(await readState(store, place.channel), place.handle);
  const isKept = ({ writer }: OpenMessage): boolean => except !== undefined && writer === except;
  const left = open.filter((message) => !isKept(message));
  if (left.length > 0) {
    // The messages last: who finds them in progress after a crash between the two does both again.
    await markInterrupted(store, { place, fence });
    const events = left.map((message) => interruption(message, reason));
    await store.append(channelLogId(place.channel), events, { lease: fence });
  }
  return open.filter(isKept);
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
}

/**
 * Looks for participants whose lease ran out and was not given back: their process, their connection or the server
 * that had it is gone. Any server may do it, at any time. Returns who was found.
 */
export async function sweepChannels(store: Store, { owner }: SweepOptions): Promise<readonly Place[]> {
  const found: Place[] = [];
  for await (const lease of leasesBelow(store, PRESENCE_PREFIX)) {
    const place = lease.state === "expired" ? placeOfLease(lease.name) : null;
    if (place === null) continue;
    try {
      const fence = await store.acquireLease(lease.name, { owner, ttlMs: SWEEP_MS });
      await interruptMessages(store, place, { fence, reason: "the writer disappeared" });
      await store.releaseLease(fence);
      found.push(place);
    } catch (error) {
      // It came back, or another server was faster; a channel that was deleted has nothing to interrupt.
      if (!isContinuoError(error, "lease_held") && !isContinuoError(error, "fenced")) {
        if (!isContinuoError(error, "not_found") && !isContinuoError(error, "gone")) throw error;
      }
    }
  }
  return found;
}

/** How long a server that sweeps has for it, before another one may try; whoever comes back waits so long. */
const SWEEP_MS = CHANNEL_LIMITS.reconnectMs;
