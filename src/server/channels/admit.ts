/**
 * From a hello to a participant: checks the token, takes the handle, opens the session, and decides where the replay
 * begins.
 */

import {
  handleTaken,
  interruptMessages,
  lastAnchor,
  mayHaveLeft,
  type OpenMessage,
  openChannel,
  openParticipantSession,
  type Place,
  planReplay,
  presenceLease,
  type Replay,
  takeHandle,
} from "../../channels/index.ts";
import { ContinuoError, isContinuoError, type Store } from "../../model/index.ts";
import {
  assertName,
  channelLogId,
  type HelloFrame,
  type ParticipantSession,
  PROTOCOL_VERSION,
  type WelcomeFrame,
} from "../../wire/index.ts";
import type { Grant, ServerContext } from "../context/index.ts";
import type { Admission } from "./connection.ts";
import type { Hub } from "./hub.ts";
import { Seat, type Seating } from "./seat.ts";

export interface AdmitOptions {
  readonly context: ServerContext;
  readonly hub: Hub;
  readonly channel: string;
  readonly grant: Grant;
  readonly place: Disposable;
  readonly signal: AbortSignal;
  readonly seating: Seating;
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
  const where: Place = { channel, handle: hello.handle };
  const isTakenOver = await mayHaveLeft(store, where);
  const seat = await takeSeat(hello, { ...options, store, where });
  try {
    return await participate(hello, { ...options, store, where, seat, isTakenOver });
  } catch (error) {
    hub.free(seat);
    // A sweep finds messages that were left and have not ended.
    await (isTakenOver ? seat.awaitReturn() : seat.leave());
    throw error;
  }
}

/** A lease that expired is not taken from a connection of this server that is alive. Errors: `handle_taken`. */
async function takeSeat(
  hello: HelloFrame,
  { hub, store, where, signal, seating }: AdmitOptions & { readonly store: Store; readonly where: Place },
): Promise<Seat> {
  const { instance } = hello;
  const other = hub.seatOf(store, presenceLease(where));
  if (other !== undefined && other.instance !== instance) {
    await other.renew();
    throw handleTaken(where);
  }
  const fence = await takeHandle(store, where, { card: cardOf(hello, where.handle), signal });
  const { isAlive, onLost, onTaken } = seating;
  const seat = new Seat({ store, fence, instance, isAlive, onLost });
  hub.hold(seat);
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

function checkHello({ protocol, handle, workspaceId }: HelloFrame, options: AdmitOptions): void {
  const { context, grant, channel } = options;
  if (protocol !== PROTOCOL_VERSION) {
    throw new ContinuoError("unsupported", `this server speaks version ${PROTOCOL_VERSION} of the protocol`, {
      details: { protocol: PROTOCOL_VERSION },
    });
  }
  context.require(grant, { kind: "channel", name: channel, access: "read" });
  if (handle === undefined) return;
  context.require(grant, { kind: "channel", name: channel, access: "write" });
  if (grant.handle !== null && grant.handle !== handle) {
    throw new ContinuoError("forbidden", `the token is for the handle ${grant.handle}`, {
      details: { handle },
    });
  }
  if (workspaceId !== undefined && workspaceId !== grant.workspaceId) {
    throw new ContinuoError("forbidden", "the token is for another workspace", { details: { workspaceId } });
  }
}

function cardOf(hello: HelloFrame, handle: string): Parameters<typeof takeHandle>[2]["card"] {
  const { instance, name = handle, participantType: type = "person", capabilities = [] } = hello;
  return { instance, handle, name, type, capabilities };
}

interface Participating extends AdmitOptions {
  readonly store: Store;
  readonly where: Place;
  readonly seat: Seat;
  readonly isTakenOver: boolean;
}

async function participate(hello: HelloFrame, options: Participating): Promise<Admission> {
  const { store, where, seat, channel, place } = options;
  const { fence } = seat;
  const { instance, participantType: type = "person" } = hello;
  const kept = options.isTakenOver ? await interruptLeft(hello, options) : [];
  const { session, degraded } = await sessionFor(store, hello, where);
  const { after, replay } = await replayFor(store, hello, { channel, session });
  const open = new Map(kept.map(({ messageId, text, head }) => [messageId, { length: text.length, head }]));
  const hasSession = session !== null;
  const { historyItems } = options.context.limits;
  const participation = { store, place: where, fence, instance, type, hasSession, historyItems, open };
  const welcome = welcomeFor(options, { replay, after, session, degraded, handle: where.handle });
  return { store, channel, after, replay, participation, welcome, place };
}

/** Ends what an earlier `connect()` left unfinished, and returns what this one did. */
async function interruptLeft(
  { instance }: HelloFrame,
  { store, hub, where, seat, channel }: Participating,
): Promise<readonly OpenMessage[]> {
  const state = await hub.states.read(store, channel);
  const reason = "the writer began anew";
  return interruptMessages(store, where, { fence: seat.fence, reason, except: instance, state });
}

interface SessionOrReason {
  readonly session: ParticipantSession | null;
  readonly degraded: string | null;
}

/** A channel works without this session. */
async function sessionFor(store: Store, hello: HelloFrame, where: Place): Promise<SessionOrReason> {
  if (hello.workspaceId === undefined) return { session: null, degraded: null };
  try {
    return { session: await openParticipantSession(store, where), degraded: null };
  } catch (error) {
    if (!isContinuoError(error)) throw error;
    return { session: null, degraded: `${error.code}: ${error.message}` };
  }
}

/** Errors: `out_of_range` for a sequence beyond the log, which then was deleted and created again. */
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
