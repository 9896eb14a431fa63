/**
 * Makes a participant from a hello: checks the token, takes the handle, opens the session, and decides where the replay
 * begins.
 */

import { ContinuoError, isContinuoError, type Store } from "@continuo/core/model";
import {
  allows,
  assertName,
  channelLogId,
  type HelloFrame,
  type ParticipantSession,
  PERSON,
  PROTOCOL_VERSION,
  type WelcomeFrame,
} from "@continuo/core/wire";
import {
  type Card,
  type ConnectionRef,
  handleTaken,
  interruptMessages,
  isPerson,
  lastAnchor,
  leaseOf,
  mayHaveLeft,
  type OpenMessage,
  openChannel,
  openMessagesOf,
  planReplay,
  presenceLease,
  type Replay,
  takeHandle,
} from "@continuo/store/channels";
import { requireHandle } from "../auth/index.ts";
import { requireOwner } from "../blobs/index.ts";
import type { Grant, ServerContext } from "../context/index.ts";
import type { Admission } from "./connection.ts";
import type { Hub } from "./hub.ts";
import { openParticipantSession, type Participation } from "./requests.ts";
import { Seat, type SeatUse } from "./seat.ts";

export interface AdmitOptions {
  readonly context: ServerContext;
  readonly hub: Hub;
  readonly channel: string;
  readonly grant: Grant;
  readonly place: Disposable;
  readonly signal: AbortSignal;
  readonly seating: SeatUse;
}

/**
 * Errors: `unsupported` for another protocol, `forbidden`, `handle_taken`, `not_found` for a channel that a reader may
 * not make, `out_of_range`.
 */
export async function admit(hello: HelloFrame, options: AdmitOptions): Promise<Admission> {
  const { context, hub, channel, grant, place } = options;
  assertName("channel", channel);
  checkHello(hello, options);
  const store = context.store(grant.workspaceId);
  hub.serves(store);
  if (hello.handle !== undefined) await openForGrant(options, store);
  if (hello.handle === undefined) {
    const found = await replayFor(store, hello, { channel, session: null });
    const welcome = welcomeFor(options, { ...found, session: null, degraded: null, handle: null });
    return { store, channel, ...found, participation: null, welcome, place };
  }
  const where: ConnectionRef = { channel, handle: hello.handle };
  const isTakenOver = await mayHaveLeft(store, leaseOf(where, cardOf(hello, where.handle)));
  const seat = await takeSeat(hello, { ...options, store, where });
  try {
    return await participate(hello, { ...options, store, where, seat, isTakenOver });
  } catch (error) {
    hub.seats.free(seat);
    // If unfinished messages may be left, the lease is not released: it expires, and a sweep finds the messages.
    await (isTakenOver ? seat.awaitReturn() : seat.leave());
    throw error;
  }
}

/** If a connection of this server is alive, its lease is not taken, even if it expired. Errors: `handle_taken`. */
async function takeSeat(
  hello: HelloFrame,
  {
    hub,
    store,
    where,
    signal,
    seating,
  }: AdmitOptions & { readonly store: Store; readonly where: ConnectionRef },
): Promise<Seat> {
  const card = cardOf(hello, where.handle);
  const other = hub.seats.aliveOn(store, presenceLease(where));
  if (other !== undefined && other.card.instance !== card.instance) {
    await other.renew();
    throw handleTaken(where, { leftMs: other.leftMs });
  }
  const fence = await takeHandle(store, where, { card, signal });
  const { onTaken, ...use } = seating;
  const seat = new Seat({ store, place: where, card, fence, ...use });
  hub.seats.hold(seat);
  onTaken(seat);
  return seat;
}

/** Errors: `rate_limited` for a channel that does not exist, when the token has created as many as it may. */
export async function openForGrant(
  { context, grant, channel }: Pick<AdmitOptions, "context" | "grant" | "channel">,
  store: Store,
): Promise<void> {
  await context.quotas.log(grant, {
    exists: async () => (await store.getLog(channelLogId(channel))) !== null,
    create: () => openChannel(store, channel),
  });
}

function checkHello(hello: HelloFrame, options: AdmitOptions): void {
  const { protocol, handle, device, participantType = PERSON, workspaceId } = hello;
  const { context, grant, channel } = options;
  if (protocol !== PROTOCOL_VERSION) {
    throw new ContinuoError("unsupported", `this server speaks version ${PROTOCOL_VERSION} of the protocol`, {
      details: { protocol: PROTOCOL_VERSION },
    });
  }
  context.require(grant, { kind: "channel", name: channel, access: "read" });
  if (handle === undefined) return;
  context.require(grant, { kind: "channel", name: channel, access: "write" });
  requireHandle(grant, handle);
  if (device !== undefined && participantType !== PERSON) {
    throw new ContinuoError(
      "invalid",
      "only a person has devices: the handle of an agent has one connection",
      {
        hint: "Leave out `device`, or connect as a person.",
      },
    );
  }
  if (workspaceId !== undefined && workspaceId !== grant.workspaceId) {
    throw new ContinuoError("forbidden", "the token is for another workspace", { details: { workspaceId } });
  }
}

function cardOf(hello: HelloFrame, handle: string): Card {
  const { instance, name = handle, participantType: type = PERSON, capabilities = [] } = hello;
  return { instance, handle, name, type, capabilities };
}

interface AdmitContext extends AdmitOptions {
  readonly store: Store;
  readonly where: ConnectionRef;
  readonly seat: Seat;
  readonly isTakenOver: boolean;
}

async function participate(hello: HelloFrame, options: AdmitContext): Promise<Admission> {
  const { store, where, seat, channel, place } = options;
  const { fence, card } = seat;
  const kept = options.isTakenOver ? await keptMessages(options) : [];
  const open = new Map(kept.map(({ messageId, text, head }) => [messageId, { length: text.length, head }]));
  const { historyItems } = options.context.limits;
  const { context, grant } = options;
  const unopened: Participation = {
    store,
    place: where,
    fence,
    instance: card.instance,
    type: card.type,
    device: hello.device,
    moderates: allows(grant.scopes, { kind: "admin" }),
    session: "none",
    historyItems,
    open,
    unsure: new Set(),
    cameBack: options.isTakenOver,
    requireBlobs: (id, blobs) => requireOwner(store, grant, { logId: channelLogId(channel), id, blobs }),
    countLog: (creation) => context.quotas.log(grant, creation),
  };
  const { session, degraded } = await sessionFor(unopened, hello);
  const { after, replay } = await replayFor(store, hello, { channel, session });
  const participation: Participation = {
    ...unopened,
    session: session !== null ? "kept" : degraded !== null ? "degraded" : "none",
  };
  const welcome = welcomeFor(options, { replay, after, session, degraded, handle: where.handle });
  return { store, channel, after, replay, participation, welcome, place };
}

/**
 * Returns the open messages of this `connect()`. Ends the messages that an earlier connection of an agent left open.
 */
async function keptMessages({
  store,
  hub,
  where,
  seat,
  channel,
}: AdmitContext): Promise<readonly OpenMessage[]> {
  const state = await hub.states.read(store, channel);
  const { fence, card } = seat;
  const except = card.instance;
  // Other connections of a person continue their own messages.
  if (isPerson(card)) return openMessagesOf(state, where.handle).filter(({ writer }) => writer === except);
  return interruptMessages(store, where, { fence, reason: "the writer began anew", except, state });
}

interface SessionOrReason {
  readonly session: ParticipantSession | null;
  readonly degraded: string | null;
}

/** A channel works without this session. Errors: `too_large` if there are too many devices. */
async function sessionFor(participation: Participation, hello: HelloFrame): Promise<SessionOrReason> {
  if (hello.workspaceId === undefined) return { session: null, degraded: null };
  try {
    return { session: await openParticipantSession(participation), degraded: null };
  } catch (error) {
    if (!isContinuoError(error) || error.code === "too_large") throw error;
    return { session: null, degraded: `${error.code}: ${error.message}` };
  }
}

/** Errors: `out_of_range` for a sequence beyond the log: the log was deleted and created again. */
async function replayFor(
  store: Store,
  hello: HelloFrame,
  { channel, session }: { readonly channel: string; readonly session: ParticipantSession | null },
): Promise<{ readonly after: number; readonly replay: Replay }> {
  const upTo = await store.latestSequence(channelLogId(channel));
  const after = await replayStart(store, hello, { channel, session, upTo });
  const { handle = null, replay: mode = "stream" } = hello;
  return { after, replay: await planReplay(store, { channel, handle, mode, after, upTo }) };
}

interface ChannelEntry {
  readonly channel: string;
  readonly session: ParticipantSession | null;
  readonly upTo: number;
}

async function replayStart(store: Store, { after }: HelloFrame, known: ChannelEntry): Promise<number> {
  const { channel, session, upTo } = known;
  if (after === "latest") return upTo;
  if (after === "processed") return session?.processed ?? 0;
  if (after === "anchor") return Math.max(0, (await lastAnchor(store, channelLogId(channel))) - 1);
  if (after <= upTo) return after;
  throw new ContinuoError("out_of_range", `the channel ${channel} is at ${upTo}, not at ${after}`, {
    hint: "Connect again: the channel was deleted and created again.",
    details: { latestSequence: upTo },
  });
}

interface WelcomeParts extends SessionOrReason {
  readonly replay: Replay;
  readonly after: number;
  readonly handle: string | null;
}

function welcomeFor({ grant, channel }: AdmitOptions, { replay, ...parts }: WelcomeParts): WelcomeFrame {
  const { upTo, wholeAfter, omitted } = replay;
  return {
    type: "hello",
    protocol: PROTOCOL_VERSION,
    workspaceId: grant.workspaceId,
    channel,
    latestSequence: upTo,
    ...(omitted === 0 ? {} : { omitted: { messages: omitted, upTo: wholeAfter } }),
    ...parts,
  };
}
