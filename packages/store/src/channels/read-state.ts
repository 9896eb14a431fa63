/** The state of a channel from its newest snapshot and the events after it. */

import type { Store } from "@continuo/core/model";
import { LIMITS } from "./limits.ts";
import { channelLogId } from "./names.ts";
import { type ChannelState, EMPTY_STATE, foldChannel, stateFromSnapshot } from "./state.ts";

const SNAPSHOT = "channel";

/**
 * Returns the state at the end of the log. `from` is a state that the caller already has. Without it, a snapshot is
 * stored for the next reader after many events, and also during the fold, because this process may end before the fold
 * is done. Errors: `not_found`.
 */
export async function readState(store: Store, channel: string, from?: ChannelState): Promise<ChannelState> {
  const logId = channelLogId(channel);
  let state = from ?? (await lastSnapshot(store, logId));
  let stored = state.sequence;
  for (let after: number | null = state.sequence; after !== null; ) {
    const page: Awaited<ReturnType<Store["read"]>> = await store.read(logId, {
      after,
      limit: LIMITS.pageEvents,
    });
    state = page.events.reduce(foldChannel, state);
    after = page.nextAfter;
    const unstored = state.sequence - stored;
    if (from !== undefined || unstored < (after === null ? LIMITS.snapshotEvents : LIMITS.progressEvents))
      continue;
    await keepState(store, channel, state);
    stored = state.sequence;
  }
  return state;
}

/** Returns true if a snapshot is due after this event, so that a late reader reads only the events after it. */
export function isSnapshotDue(sequence: number): boolean {
  return sequence % LIMITS.snapshotEvents === 0;
}

/** The sequence of the newest snapshot; 0 if there is none. */
export async function snapshotSequence(store: Store, channel: string): Promise<number> {
  return (await lastSnapshot(store, channelLogId(channel))).sequence;
}

/** States of channels for many callers at the same time: a log is folded once, however many callers wait for it. */
export class ChannelStates {
  readonly #reading = new Map<string, Promise<ChannelState>>();

  /** Returns a state with every event that was stored before the call. Errors: `not_found`. */
  async read(store: Store, channel: string): Promise<ChannelState> {
    const key = `${store.workspaceId}:${channel}`;
    const begun = this.#reading.get(key);
    // The earlier fold may have read the end of the log already, so newer events are read in addition.
    if (begun !== undefined) return readState(store, channel, await begun);
    const reading = readState(store, channel).finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }
}

async function keepState(store: Store, channel: string, state: ChannelState): Promise<void> {
  const logId = channelLogId(channel);
  const { sequence, open } = state;
  await store.putSnapshot({ logId, name: SNAPSHOT, sequence, data: { open } });
  await store.deleteSnapshots({ logId, name: SNAPSHOT, before: sequence });
}

async function lastSnapshot(store: Store, logId: string): Promise<ChannelState> {
  const snapshot = await store.getLatestSnapshot({ logId, name: SNAPSHOT });
  return snapshot === null
    ? EMPTY_STATE
    : (stateFromSnapshot(snapshot.data, snapshot.sequence) ?? EMPTY_STATE);
}
