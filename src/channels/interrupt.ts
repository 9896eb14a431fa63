/** Participants that disappeared: their unfinished messages end as interrupted, with the text so far. */

import { isContinuoError, type ListedLease, type NewEvent, type Store } from "../model/index.ts";
import { CHANNEL_LIMITS } from "../wire/index.ts";
import { channelLogId, type Place, PRESENCE_PREFIX, placeOfLease } from "./names.ts";
import { markInterrupted } from "./participant-session.ts";
import { type Fence, leasesBelow } from "./participants.ts";
import { readState } from "./read-state.ts";
import { type ChannelState, type OpenMessage, openMessagesOf } from "./state.ts";

export interface InterruptOptions {
  readonly fence: Fence;
  readonly reason: string;
  /** The `connect()` whose messages are not interrupted. */
  readonly except?: string;
  /** The state of the channel, where the caller has it. */
  readonly state?: ChannelState;
}

/**
 * Ends the unfinished messages of the participant under its lease, so that no writer can add to them. Returns the
 * messages of `except`, which stay open. Errors: `fenced`.
 */
export async function interruptMessages(
  store: Store,
  place: Place,
  { fence, reason, except, state }: InterruptOptions,
): Promise<readonly OpenMessage[]> {
  const open = openMessagesOf(state ?? (await readState(store, place.channel)), place.handle);
  const isKept = ({ writer }: OpenMessage): boolean => except !== undefined && writer === except;
  const left = open.filter((message) => !isKept(message));
  if (left.length > 0) {
    // The messages come last: after a crash between the two steps, the next sweep finds them unfinished and does both
    // steps again.
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
  /** A name for this process, made with `sweeperName`. */
  readonly owner: string;
  /** Renews an expired lease whose holder this process knows to be there. Returns `false` for any other. */
  readonly keep?: (lease: ListedLease) => Promise<boolean>;
}

/**
 * Looks for participants whose lease expired and was not released: their process, their connection or their server is
 * gone. Any server may do this at any time. Returns the participants that it found.
 */
export async function sweepChannels(
  store: Store,
  { owner, keep = () => Promise.resolve(false) }: SweepOptions,
): Promise<readonly Place[]> {
  const found: Place[] = [];
  for await (const lease of leasesBelow(store, { prefix: PRESENCE_PREFIX, state: "expired" })) {
    const place = placeOfLease(lease.name);
    if (place === null || (await keep(lease))) continue;
    try {
      const fence = await store.acquireLease(lease.name, { owner, ttlMs: SWEEP_MS });
      await interruptMessages(store, place, { fence, reason: "the writer disappeared" });
      await store.releaseLease(fence);
      found.push(place);
    } catch (error) {
      // The participant came back, or another server was faster. A deleted channel has nothing to interrupt.
      if (!isContinuoError(error, "lease_held") && !isContinuoError(error, "fenced")) {
        if (!isContinuoError(error, "not_found") && !isContinuoError(error, "gone")) throw error;
      }
    }
  }
  return found;
}

/** How long a sweeping server holds the handle before another one may try. A participant that returns waits as long. */
const SWEEP_MS = CHANNEL_LIMITS.reconnectMs;
