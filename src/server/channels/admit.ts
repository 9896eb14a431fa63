/**
 * From a hello to a participant: checks the token, takes the handle, opens the session, and decides where the replay
 * begins.
 */

import {
  type ChannelState,
  EMPTY_STATE,
  handleTaken,
  interruptMessages,
  lastAnchor,
  openChannel,
  openParticipantSession,
  type Place,
  presenceLease,
  readState,
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
    const { state, after } = await replayOf(store, hello, channel);
    const welcome = welcomeFor(options, { state, after, session: null, degraded: null, handle: null });
    return { store, channel, after, state, participation: null, welcome, place };
  }
  const where: Place = { channel, handle: hello.handle };
  const seat = await takeSeat(hello, { ...options, store, where });
  try {
    return await participate(hello, { ...options, store, where, seat });
  } catch (error) {
    hub.free(seat);
    await seat.leave();
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
}

async function participate(hello: HelloFrame, options: Participating): Promise<Admission> {
  const { store, where, seat, channel, place } = options;
  const { fence } = seat;
  const { instance, participantType: type = "person" } = hello;
  const reason = "the writer began anew";
  const kept = await interruptMessages(store, where, { fence, reason, except: instance });
  const state = await readState(store, channel);
  const { session, degraded } = await sessionFor(store, hello, where);
  const after = await replayStart(store, hello, { channel, state, session });
  const open = new Map(kept.map(({ messageId, text, head }) => [messageId, { length: text.length, head }]));
  const hasSession = session !== null;
  const { historyItems } = options.context.limits;
  const participation = { store, place: where, fence, instance, type, hasSession, historyItems, open };
  const welcome = welcomeFor(options, { state, after, session, degraded, handle: where.handle });
  return { store, channel, after, state, participation, welcome, place };
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

interface Replay {
  readonly state: ChannelState;
  readonly after: number;
}

/**
 * Where the replay begins, and the unfinished messages at that point. A reader that begins at the last anchor or at the
 * end knows no earlier message, so nothing before is read, however long the log is.
 */
async function replayOf(store: Store, hello: HelloFrame, channel: string): Promise<Replay> {
  const logId = channelLogId(channel);
  if (hello.after === "latest") {
    const sequence = await store.latestSequence(logId);
    return { state: { ...EMPTY_STATE, sequence }, after: sequence };
  }
  if (hello.after === "anchor") {
    const after = Math.max(0, (await lastAnchor(store, logId)) - 1);
    return { state: await readState(store, channel, { ...EMPTY_STATE, sequence: after }), after };
  }
  const state = await readState(store, channel);
  return { state, after: await replayStart(store, hello, { channel, state, session: null }) };
}

interface ChannelEntry {
  readonly channel: string;
  readonly state: ChannelState;
  readonly session: ParticipantSession | null;
}

/** Errors: `out_of_range` for a sequence beyond the log, which then was deleted and created again. */
async function replayStart(store: Store, { after }: HelloFrame, known: ChannelEntry): Promise<number> {
  const { channel, state, session } = known;
  if (after === "latest") return state.sequence;
  if (after === "processed") return session?.processed ?? 0;
  if (after === "anchor") return Math.max(0, (await lastAnchor(store, channelLogId(channel))) - 1);
  if (after <= state.sequence) return after;
  throw new ContinuoError("out_of_range", `the channel ${channel} is at ${state.sequence}, not at ${after}`, {
    hint: "Connect again: the channel was deleted and created again.",
    details: { latestSequence: state.sequence },
  });
}

interface WelcomeParts extends SessionOrReason {
  readonly state: ChannelState;
  readonly after: number;
  readonly handle: string | null;
}

function welcomeFor({ grant, channel }: AdmitOptions, { state, ...parts }: WelcomeParts): WelcomeFrame {
  return {
    type: "hello",
    protocol: PROTOCOL_VERSION,
    workspaceId: grant.workspaceId,
    channel,
    latestSequence: state.sequence,
    ...parts,
  };
}
