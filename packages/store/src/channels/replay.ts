/**
 * The replay of a channel: the earlier events that a reader receives, and those that are left out. The cost of reading
 * depends on the events that are sent, not on the length of the log.
 */

import type { Store, StoredEvent } from "@continuo/core/model";
import { isAddressedTo, type ReplayMode, recordOf } from "@continuo/core/wire";
import { LIMITS } from "./limits.ts";
import { deletedAfter } from "./message-changes.ts";
import { channelLogId, textsNaming } from "./names.ts";
import { type ChannelStates, readState, snapshotSequence } from "./read-state.ts";
import { EMPTY_STATE } from "./state.ts";

export interface Replay {
  readonly channel: string;
  /** The replay begins after this sequence. */
  readonly after: number;
  /** `null` for a reader without a handle. */
  readonly handle: string | null;
  /** The newest event at the moment when the reader connected. */
  readonly upTo: number;
  /**
   * Up to this sequence, only whole messages and calls that are addressed to the handle are sent. After it, everything
   * is sent.
   */
  readonly wholeAfter: number;
  /** The number of messages that begin in the part that is not sent completely. */
  readonly omitted: number;
}

export interface ReplayRequest {
  readonly channel: string;
  readonly handle: string | null;
  readonly mode: ReplayMode;
  readonly after: number;
  readonly upTo: number;
}

/** `skip` reads no event; `collect` reads the newest messages and counts the others; `stream` reads nothing yet. */
export async function planReplay(
  store: Store,
  { channel, handle, mode, after, upTo }: ReplayRequest,
): Promise<Replay> {
  const plan = { channel, after, handle, upTo };
  if (mode === "skip") return { ...plan, wholeAfter: upTo, omitted: 0 };
  const wholeAfter = mode === "stream" ? after : await collectedAfter(store, { channel, after, upTo });
  if (wholeAfter <= after) return { ...plan, wholeAfter: after, omitted: 0 };
  const older = { after, before: wholeAfter + 1, types: ["message_sent"] };
  return { ...plan, wholeAfter, omitted: await store.countEvents(channelLogId(channel), older) };
}

/** The sequence before the newest messages that a reader collects. */
async function collectedAfter(
  store: Store,
  { channel, after, upTo }: Pick<ReplayRequest, "channel" | "after" | "upTo">,
): Promise<number> {
  const { events, nextAfter } = await store.read(channelLogId(channel), {
    after: Math.max(after, upTo - LIMITS.collectedEvents),
    before: upTo + 1,
    types: ["message_sent"],
    order: "newest",
    limit: LIMITS.collectedMessages,
    maxBytes: LIMITS.collectedBytes,
  });
  const first = events[0];
  if (first !== undefined && nextAfter !== null) return first.sequence - 1;
  return Math.max(after, upTo - LIMITS.collectedEvents);
}

/**
 * The end of a replay, which is determined when the replay begins, and the messages that are in progress at that end.
 */
export interface ReplayEnd {
  /** The replay includes everything up to this sequence. */
  readonly sequence: number;
  /** The known messages that are in progress at the end. */
  readonly open: ReadonlySet<string>;
  /** Messages that began up to this sequence and are not in `open` may be in progress nevertheless. */
  readonly knownAfter: number;
  /** The messages that were deleted before the end: their text is not sent. */
  readonly deleted: ReadonlySet<string>;
}

/** Finds the end of a replay. This can take long if the log has no snapshot. Errors: `not_found`. */
export async function readReplayEnd(store: Store, states: ChannelStates, replay: Replay): Promise<ReplayEnd> {
  const { channel, after, upTo, wholeAfter } = replay;
  const deleted = after < upTo ? await deletedAfter(store, channel, after) : new Set<string>();
  if (wholeAfter >= upTo) return { sequence: upTo, open: new Set(), knownAfter: upTo, deleted };
  // If the part that is not sent is long, it is not folded: its state is needed only to find the parts to leave out.
  const isFolded = wholeAfter - (await snapshotSequence(store, channel)) <= upTo - wholeAfter;
  const state = isFolded
    ? await states.read(store, channel)
    : await readState(store, channel, { ...EMPTY_STATE, sequence: wholeAfter });
  const open = new Set(Object.keys(state.open));
  return { sequence: state.sequence, open, knownAfter: isFolded ? 0 : wholeAfter, deleted };
}

/**
 * Yields the events after a sequence that address the participant, in the part of a replay that leaves out all others.
 */
export async function* addressedEvents(
  store: Store,
  { channel, handle, wholeAfter }: Replay,
  from: number,
): AsyncGenerator<StoredEvent, void, void> {
  if (handle === null) return;
  const range = { texts: textsNaming(handle), types: ADDRESSED_TYPES, before: wholeAfter + 1, ...PAGE };
  for (let after: number | null = from; after !== null && after < wholeAfter; ) {
    const page: Awaited<ReturnType<Store["read"]>> = await store.read(channelLogId(channel), {
      ...range,
      after,
    });
    yield* page.events.filter((event) => isWhole(event) && isAddressedTo(event, handle));
    after = page.nextAfter;
  }
}

const PAGE = { limit: LIMITS.replayPageEvents, maxBytes: LIMITS.replayPageBytes };

/** The types of events that can address a handle. */
const ADDRESSED_TYPES = ["message_sent", "message_completed", "message_edited", "method_called"];

/** True unless the event begins a message in parts: the end of such a message has its whole text. */
function isWhole({ type, data }: StoredEvent): boolean {
  return type !== "message_sent" || recordOf(data).state !== "open";
}

const PARTS: ReadonlySet<string> = new Set(["message_streamed", "message_updated"]);
/** The types of events that contain text of a message. */
const SAYS: ReadonlySet<string> = new Set([
  "message_sent",
  "message_streamed",
  "message_updated",
  "message_completed",
  "message_interrupted",
  "message_edited",
]);
const ENDS: ReadonlySet<string> = new Set(["message_completed", "message_interrupted"]);

/**
 * Decides which events are left out: the parts of a message that had ended when the replay began, because its last
 * event has the whole text, and all text of deleted messages. Call the function with one event after the other.
 */
export function partsOfEnded({
  sequence,
  open,
  knownAfter,
  deleted,
}: ReplayEnd): (event: StoredEvent) => boolean {
  /** Messages that began and ended within the replay. */
  const ended = new Set<string>();
  return (event) => {
    if (event.sequence > sequence) return false;
    const { state, messageId } = recordOf(event.data);
    const id = event.type === "message_sent" ? event.id : messageId;
    if (SAYS.has(event.type) && typeof id === "string" && deleted.has(id)) return true;
    if (event.type === "message_sent") {
      const isLeftOut = state === "open" && !open.has(event.id);
      if (isLeftOut) ended.add(event.id);
      return isLeftOut;
    }
    if (ENDS.has(event.type) && typeof messageId === "string") ended.delete(messageId);
    if (!PARTS.has(event.type)) return false;
    if (typeof messageId !== "string") return true;
    return !open.has(messageId) && (knownAfter === 0 || ended.has(messageId));
  };
}
