/** Counts how long agents have talked: their messages in the log after the last message of a person. */

import type { Store, StoredEvent } from "@continuo/core/model";
import { isAddressedTo, recordOf } from "@continuo/core/wire";
import { LIMITS } from "./limits.ts";
import { type ConnectionRef, channelLogId } from "./names.ts";

/** An event with the number of agents' messages since a person's last one, this message included. */
export type CountedEvent = StoredEvent & { readonly turns?: number };

/** The number of agents' messages since a person's last one, up to this sequence; at most `most`. */
export async function countTurns(
  store: Store,
  channel: string,
  { sequence, most }: { readonly sequence: number; readonly most: number },
): Promise<number> {
  let turns = 0;
  for (let before: number | null = sequence + 1; before !== null; ) {
    const page: Awaited<ReturnType<Store["read"]>> = await store.read(channelLogId(channel), {
      before,
      types: MESSAGES,
      order: "newest",
      limit: LIMITS.pageEvents,
    });
    for (const event of page.events.toReversed()) {
      if (event.actor.kind === "person") return turns;
      if (isTurn(event)) turns += 1;
      if (turns >= most) return turns;
    }
    before = page.nextAfter;
  }
  return turns;
}

/**
 * Returns a step that is given every event of the channel, in order and with none missing; it adds the count to the
 * messages of agents that address the handle. The log is read for the first of them only.
 */
export function turnCounter(
  store: Store,
  { channel, handle }: ConnectionRef,
): (event: StoredEvent) => Promise<CountedEvent> {
  let turns: number | null = null;
  return async (event) => {
    if (!MESSAGES.includes(event.type)) return event;
    const isAsked = event.actor.kind === "agent" && isAddressedTo(event, handle);
    if (turns !== null) turns = event.actor.kind === "person" ? 0 : turns + (isTurn(event) ? 1 : 0);
    else if (isAsked) turns = await turnsAt(store, channel, event);
    if (turns === null || !isAsked) return event;
    return { ...event, turns: turns + (isTurn(event) ? 0 : 1) };
  };
}

/** Does the same for one event, for a caller that does not see every event of the log. */
export async function withTurns(
  store: Store,
  place: ConnectionRef,
  event: StoredEvent,
): Promise<CountedEvent> {
  return await turnCounter(store, place)(event);
}

async function turnsAt(store: Store, channel: string, { sequence }: StoredEvent): Promise<number> {
  return await countTurns(store, channel, { sequence, most: LIMITS.countedTurns });
}

const MESSAGES: readonly string[] = ["message_sent", "message_completed"];

/** A message that began in parts counts when it is complete. */
function isTurn({ actor, type, data }: StoredEvent): boolean {
  return actor.kind === "agent" && (type === "message_completed" || recordOf(data).state !== "open");
}
