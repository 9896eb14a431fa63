/** The state of a channel from its newest snapshot and the events after it. */

import type { Store } from "../model/index.ts";
import { LIMITS } from "./limits.ts";
import { channelLogId } from "./names.ts";
import { type ChannelState, EMPTY_STATE, foldChannel, stateFromSnapshot } from "./state.ts";

const SNAPSHOT = "channel";

/**
 * The state at the end of the log. `from` is a state that the caller has already. After many events, a snapshot is
 * stored for the next reader. Errors: `not_found`.
 */
export async function readState(store: Store, channel: string, from?: ChannelState): Promise<ChannelState> {
  const logId = channelLogId(channel);
  let state = from ?? (await lastSnapshot(store, logId));
  const begin = state.sequence;
  for (let after: number | null = begin; after !== null; ) {
    const page: Awaited<ReturnType<Store["read"]>> = await store.read(logId, {
      after,
      limit: LIMITS.pageEvents,
    });
    state = page.events.reduce(foldChannel, state);
    after = page.nextAfter;
  }
  if (from === undefined && state.sequence - begin >= LIMITS.snapshotEvents) {
    await keepState(store, channel, state);
  }
  return state;
}

/** Whether to store a snapshot after this event, so that a late reader reads only the events after it. */
export function isSnapshotDue(sequence: number): boolean {
  return sequence % LIMITS.snapshotEvents === 0;
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
