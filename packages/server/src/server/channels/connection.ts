/** One WebSocket: hello, replay, ready, live events, heartbeats and requests, and the end of the connection. */

import type { Duplex } from "node:stream";
import { ContinuoError, isContinuoError, type Store, type StoredEvent } from "@continuo/core/model";
import {
  CHANNEL_LIMITS,
  CLOSE,
  type ClientFrame,
  channelLogId,
  type HelloFrame,
  type Participant,
  type ParticipantSession,
  PERSON,
  parseClientFrame,
  type RequestFrame,
  toWireError,
} from "@continuo/core/wire";
import {
  addressedEvents,
  endConnection,
  partsOfEnded,
  type Replay,
  type ReplayEnd,
  readParticipantSession,
  readReplayEnd,
  turnCounter,
  withTurns,
} from "@continuo/store/channels";
import type { WebSocket } from "ws";
import { LIMITS as SERVER_LIMITS, type SlowReaders } from "../context/index.ts";
import { assertJsonShape, readFailure } from "../http/index.ts";
import { FrameQueue, type QueuedSend } from "./frame-queue.ts";
import type { Hub, HubConnection } from "./hub.ts";
import { LIMITS } from "./limits.ts";
import type { ListeningClock } from "./listening-clock.ts";
import { OutgoingFrames } from "./outgoing-frames.ts";
import {
  changesSession,
  isPlainSend,
  mayHaveOpen,
  type Participation,
  perform,
  performSends,
  recoverSession,
} from "./requests.ts";
import type { Seat, SeatLoss, SeatUse } from "./seat.ts";

/** The result of a hello. */
export interface Admission {
  readonly store: Store;
  readonly channel: string;
  /** The sequence after which the replay begins. */
  readonly after: number;
  readonly replay: Replay;
  /** `null` for a connection that only reads. */
  readonly participation: Participation | null;
  readonly welcome: Parameters<OutgoingFrames["send"]>[0];
  /** The place in the token's quota. */
  readonly place: Disposable;
}

export interface ConnectionOptions {
  readonly socket: WebSocket;
  /** The stream under the socket. */
  readonly stream: Duplex;
  readonly hub: Hub;
  readonly clock: ListeningClock;
  readonly draining: AbortSignal;
  readonly slowReaders: SlowReaders;
  readonly report: (line: string) => void;
  /** Called with each error that a frame is answered with. */
  readonly onRefused: (error: unknown) => void;
  /** Counts a frame. Errors: `rate_limited`. */
  readonly count: (bytes: number) => void;
  readonly admit: (
    hello: HelloFrame,
    arrival: { readonly signal: AbortSignal; readonly seating: SeatUse },
  ) => Promise<Admission>;
}

export class Connection implements HubConnection {
  readonly #options: ConnectionOptions;
  readonly #socket: WebSocket;
  readonly #outgoing: OutgoingFrames;
  readonly #over = new AbortController();
  #admission: Admission | null = null;
  #state: "new" | "greeting" | "open" | "left" = "new";
  #pump: AbortController | null = null;
  #replayEnd: Promise<ReplayEnd> | null = null;
  readonly #frames: FrameQueue;
  #strangerBytes = 0;
  #heardAt: number;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #seat: Seat | null = null;
  #telling: Promise<void> = Promise.resolve();
  readonly closed: Promise<void>;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#socket = options.socket;
    this.#outgoing = new OutgoingFrames(options);
    this.#frames = new FrameQueue(options.socket, { after: () => this.#answersRead() });
    this.#heardAt = options.clock.now();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    options.stream.on("data", this.#limitStranger);
    this.#socket.on("message", (data, isBinary) => this.#receive(data as Buffer, isBinary));
    this.#socket.on("ping", (data) => {
      // Pongs that nobody reads would fill the memory.
      if (!this.#outgoing.isFull) this.#socket.pong(data);
    });
    // The close event that follows has the reason.
    this.#socket.on("error", () => undefined);
    this.#socket.on("close", () => {
      this.#over.abort();
      void this.#frames.end(() => this.#depart()).then(resolve);
    });
  }

  /** Limits the bytes of an unknown sender, because its frames are held in memory until its token is accepted. */
  readonly #limitStranger = (chunk: Uint8Array): void => {
    this.#strangerBytes += chunk.length;
    if (this.#strangerBytes <= SERVER_LIMITS.strangerBytes) return;
    if (this.#state === "new") this.#socket.terminate();
    else this.#socket.pause();
  };

  /** Called every few seconds: sends a heartbeat, and checks for one from the other side. */
  beat(): void {
    if (this.#frames.waiting > 0) {
      // The client's heartbeats wait for its requests: while those are processed, the client counts as alive.
      this.#heardAt = this.#options.clock.now();
      this.#renew();
    }
    const limitMs = this.#state === "new" ? CHANNEL_LIMITS.helloMs : CHANNEL_LIMITS.silenceMs;
    if (this.#silentMs > limitMs) this.#socket.terminate();
    // A hello may take long. The client waits as long as it receives heartbeats, so they are also sent meanwhile.
    else if (this.#isGreeted) this.#beatGreeted();
  }

  get #isGreeted(): boolean {
    return this.#state === "greeting" || this.#state === "open";
  }

  #beatGreeted(): void {
    if (!this.#outgoing.isFull) this.#outgoing.send({ type: "heartbeat" });
    const participation = this.#admission?.participation;
    if (participation?.session === "degraded") {
      this.#tellSession(() => recoverSession(participation));
    }
  }

  sessionChanged(handle: string): void {
    const participation = this.#admission?.participation;
    if (participation?.place.handle !== handle || participation.session !== "kept") return;
    const { store, place, device } = participation;
    this.#tellSession(() => readParticipantSession(store, place, device));
  }

  /** Sends the states one after another, so that the newest one is sent last. */
  #tellSession(read: () => Promise<ParticipantSession | null>): void {
    this.#telling = this.#telling
      .then(read)
      .then((session) => {
        if (session !== null) this.#outgoing.send({ type: "session", session });
      })
      .catch((error: unknown) => {
        if (!isContinuoError(error)) this.#reportMistake(error);
      });
  }

  get #silentMs(): number {
    return this.#options.clock.now() - this.#heardAt;
  }

  /** Requests that wait for the store do not count as silence. */
  get #isAlive(): boolean {
    const isHeard = this.#frames.waiting > 0 || this.#silentMs <= CHANNEL_LIMITS.silenceMs;
    return isHeard && this.#state !== "left" && !this.#over.signal.aborted;
  }

  /** Called when the token of the connection no longer counts: nothing is read from it, and it ends at once. */
  lose(error: ContinuoError): void {
    this.#socket.removeAllListeners("message");
    this.#outgoing.send({ type: "error", error: toWireError(error).error });
    this.#outgoing.end(CLOSE.refused, error.code, SERVER_LIMITS.lostMs);
  }

  presence(change: "joined" | "left", participant: Participant): void {
    if (this.#state !== "open") return;
    // A connection that cannot take the change ends, because its roster would be wrong. The next connection gets the
    // whole roster.
    if (this.#outgoing.isFull) this.#socket.terminate();
    else this.#outgoing.send({ type: "presence", change, participant });
  }

  /** Called when the server stops: the client reconnects to another server, or to the next one. */
  drain(): void {
    this.#outgoing.send({ type: "bye", retryMs: SERVER_LIMITS.retryMs });
    this.#outgoing.end(CLOSE.draining, "the server is closing");
  }

  #receive(data: Buffer, isBinary: boolean): void {
    // The time to say hello is not extended.
    if (this.#state !== "new") this.#heardAt = this.#options.clock.now();
    let frame: ClientFrame;
    try {
      if (isBinary) throw new ContinuoError("invalid", "a frame must be text");
      assertJsonShape(data);
      frame = parseClientFrame(data.toString());
    } catch (error) {
      this.#frames.add(data.length, async () => this.#refuseFrame(error, data));
      return;
    }
    if (frame.type === "heartbeat") {
      const now = this.#options.clock.now();
      // A renewal is a write, so not every heartbeat causes one. Heartbeats do not count for the quotas of the token.
      if (now - this.#renewedAt >= LIMITS.renewMs) this.#renew();
      return;
    }
    const bytes = data.length;
    if (isPlainSend(frame)) this.#frames.addSend({ frame, bytes }, (sends) => this.#takeSends(sends));
    else this.#frames.add(bytes, () => this.#take(frame, bytes));
  }

  /** An invalid frame counts against the quota of the token like any other frame. */
  #refuseFrame(error: unknown, data: Buffer): void {
    if (this.#over.signal.aborted) return;
    let refusal = error;
    try {
      this.#options.count(data.length);
    } catch (limited) {
      refusal = limited;
    }
    this.#refuse(refusal, requestIn(data.subarray(-64_000).toString()));
  }

  async #take(frame: ClientFrame, bytes: number): Promise<void> {
    if (this.#over.signal.aborted) return;
    try {
      if (frame.type === "hello") return await this.#greet(frame);
      if (this.#state !== "open") throw new ContinuoError("invalid", "the first frame must be a hello");
      if (!("request" in frame)) this.#options.count(bytes);
      if (frame.type === "pause") return this.#pump?.abort();
      if (frame.type === "resume") return this.#start(frame.after);
      if (frame.type === "close") return await this.#leave();
      if ("request" in frame) await this.#answer(frame, bytes);
    } catch (error) {
      // A client that left needs no answer, and work that ended with the connection is not a failure.
      if (!this.#over.signal.aborted) this.#refuse(error, undefined);
    }
  }

  /** Whole messages that arrived one after another: those that fit the quota of the token are stored together. */
  async #takeSends(sends: readonly QueuedSend[]): Promise<void> {
    if (this.#over.signal.aborted) return;
    const participation = this.#admission?.participation ?? null;
    if (sends.length === 1 || participation === null || this.#state !== "open") {
      for (const { frame, bytes } of sends) await this.#take(frame, bytes);
      return;
    }
    const counted: QueuedSend["frame"][] = [];
    for (const { frame, bytes } of sends) {
      try {
        this.#options.count(bytes);
        counted.push(frame);
      } catch (error) {
        await this.#refuseRequest(frame, error);
      }
    }
    const answers = await performSends(participation, counted);
    for (const [at, answer] of answers.entries()) {
      const frame = counted[at];
      if (frame === undefined) continue;
      if ("error" in answer) await this.#refuseRequest(frame, answer.error);
      else this.#outgoing.send({ type: "ok", request: frame.request, result: answer.result });
    }
  }

  /** Waits for a participant that does not read the answers to its requests, and ends its connection after a while. */
  async #answersRead(): Promise<void> {
    const { signal } = this.#over;
    if (!this.#outgoing.isFull || (await this.#outgoing.room(signal)) || signal.aborted) return;
    this.#outgoing.end(CLOSE.slow, "catch up");
  }

  async #greet(hello: HelloFrame): Promise<void> {
    if (this.#state !== "new") throw new ContinuoError("invalid", "only the first frame can be a hello");
    this.#state = "greeting";
    const { hub, admit } = this.#options;
    const seating: SeatUse = {
      isAlive: () => this.#isAlive,
      silentMs: () => (this.#frames.waiting > 0 ? 0 : this.#silentMs),
      onTaken: (seat) => {
        this.#seat = seat;
      },
      onLost: (lost) => this.#gone(lost),
    };
    const admission = await admit(hello, { signal: this.#over.signal, seating }).catch((error: unknown) => {
      this.#seat = null;
      throw readFailure(error);
    });
    this.#admission = admission;
    if (this.#over.signal.aborted) return;
    this.#state = "open";
    this.#options.stream.off("data", this.#limitStranger);
    hub.enter(admission.store, admission.channel, this);
    this.#outgoing.send(admission.welcome);
    this.#start(admission.after);
  }

  #start(after: number): void {
    this.#pump?.abort();
    const pump = new AbortController();
    this.#pump = pump;
    const signal = AbortSignal.any([pump.signal, this.#over.signal]);
    this.#pumpFrom(after, signal).catch((error: unknown) => {
      if (!signal.aborted) this.#refuse(error, undefined);
    });
  }

  /** Sends the log from a sequence on, at the reader's pace: the rest of the replay, then what is appended. */
  async #pumpFrom(from: number, signal: AbortSignal): Promise<void> {
    const admission = this.#admission;
    if (admission === null) return;
    const { store, channel, replay } = admission;
    this.#replayEnd ??= readReplayEnd(store, this.#options.hub.states, replay);
    const end = await this.#replayEnd;
    if (signal.aborted) return;
    const chain = { after: from, isLeftOut: partsOfEnded(end), signal };
    const agent = agentOf(admission);
    for await (const event of addressedEvents(store, replay, from)) {
      this.#sendNext(agent === null ? event : await withTurns(store, agent, event), chain);
      if (signal.aborted || (this.#outgoing.isFull && !(await this.#room(chain)))) return;
    }
    const after = Math.max(from, replay.wholeAfter);
    if (after >= end.sequence) await this.#ready(admission, end);
    const counted = agent === null ? null : turnCounter(store, agent);
    for await (const event of store.tail(channelLogId(channel), { after, signal })) {
      this.#sendNext(counted === null ? event : await counted(event), chain);
      if (this.#outgoing.isFull && !(await this.#room(chain))) return;
      if (event.sequence === end.sequence) await this.#ready(admission, end);
    }
    // The log is closed: the reader receives nothing more and need not reconnect.
    if (!signal.aborted) throw new ContinuoError("log_closed", `the channel ${channel} is closed`);
  }

  #sendNext(event: StoredEvent, chain: EventChain): void {
    if (chain.isLeftOut(event)) return;
    this.#outgoing.event(chain.after, event);
    chain.after = event.sequence;
  }

  /** Waits for a slow reader. Returns false if the reader left or was too slow. */
  async #room({ after, signal }: EventChain): Promise<boolean> {
    if (await this.#outgoing.room(signal)) return true;
    if (!signal.aborted) this.#outgoing.catchUp(after);
    return false;
  }

  async #ready({ store, channel }: Admission, { sequence }: ReplayEnd): Promise<void> {
    const roster = await this.#options.hub.roster(store, channel);
    this.#outgoing.send({ type: "ready", sequence, roster });
  }

  async #answer(frame: RequestFrame, bytes: number): Promise<void> {
    const { request } = frame;
    try {
      this.#options.count(bytes);
      const participation = this.#admission?.participation ?? null;
      if (participation === null)
        throw new ContinuoError("forbidden", "a participant without a handle can only read");
      const result = await perform(participation, frame);
      this.#outgoing.send({ type: "ok", request, result: result ?? null });
      if (changesSession(frame)) this.#tellOthers(participation);
    } catch (error) {
      await this.#refuseRequest(frame, error);
    }
  }

  async #refuseRequest({ type, request }: RequestFrame, error: unknown): Promise<void> {
    if (isContinuoError(error, "fenced")) return await this.#seat?.lose(error);
    this.#options.onRefused(error);
    if (!isContinuoError(error)) this.#reportMistake(error);
    const failure = type === "history" ? readFailure(error) : error;
    this.#outgoing.send({ type: "error", request, error: toWireError(failure).error });
  }

  /** Other connections of a person receive what this one changed in the person's session. */
  #tellOthers({ store, place, type }: Participation): void {
    if (type === PERSON) this.#options.hub.tellSession(store, place, this);
  }

  #renew(): void {
    this.#renewedAt = this.#options.clock.now();
    if (this.#state !== "left") void this.#seat?.renew();
  }

  /**
   * The lease is lost: later frames of this connection are ignored. The connection ends only if another participant has
   * the handle; otherwise the client returns, and gets the handle back.
   */
  #gone({ cause, isTaken }: SeatLoss): void {
    if (this.#state === "left") return;
    this.#state = "left";
    if (isTaken) {
      const error = new ContinuoError("handle_taken", "the handle was given to another participant", {
        cause,
      });
      this.#outgoing.send({ type: "error", error: toWireError(error).error });
    }
    this.#outgoing.end(CLOSE.gone, isTaken ? "the handle was given to another participant" : "come again");
  }

  /** Leaves permanently: unfinished messages are interrupted, and the handle is free. */
  async #leave(): Promise<void> {
    this.#state = "left";
    const participation = this.#admission?.participation ?? null;
    if (participation !== null) {
      const { store, place, fence } = participation;
      const hasOpen = mayHaveOpen(participation);
      await endConnection(store, place, { fence, reason: "the writer left", hasOpen });
      await this.#seat?.leave();
    }
    this.#outgoing.end(1000, "");
  }

  /** Called when the socket closed. Without an earlier `close` frame, the participant has a moment to return. */
  async #depart(): Promise<void> {
    const admission = this.#admission;
    const wasOpen = this.#state !== "left";
    this.#state = "left";
    if (admission === null) return;
    const { store, channel, place } = admission;
    const { hub, draining } = this.#options;
    place[Symbol.dispose]();
    hub.leave(store, channel, this);
    if (this.#seat !== null) hub.seats.free(this.#seat);
    try {
      // When this server stops, reconnecting to another one takes longer.
      if (wasOpen && !draining.aborted) await this.#seat?.awaitReturn();
    } catch (error) {
      // The participant has already returned, or the lease will expire by itself.
      if (!isContinuoError(error)) this.#reportMistake(error);
    }
    void hub.roster(store, channel).catch(() => undefined);
  }

  #refuse(error: unknown, request: number | undefined): void {
    this.#options.onRefused(error);
    if (!isContinuoError(error)) this.#reportMistake(error);
    const wire = toWireError(error).error;
    if (request !== undefined && this.#state === "open") {
      this.#outgoing.send({ type: "error", request, error: wire });
      return;
    }
    this.#outgoing.send({ type: "error", error: wire });
    this.#outgoing.end(CLOSE.refused, wire.code);
  }

  #reportMistake(error: unknown): void {
    this.#options.report(`channel failed: ${error instanceof Error ? error.stack : String(error)}`);
  }
}

/** The events for a reader, each sent after the one before. */
interface EventChain {
  after: number;
  readonly isLeftOut: (event: StoredEvent) => boolean;
  readonly signal: AbortSignal;
}

/** Returns `null` for a person and for a reader: only agents receive the number of messages that agents wrote. */
function agentOf({ participation }: Admission): Participation["place"] | null {
  return participation === null || participation.type === PERSON ? null : participation.place;
}

/** Returns the number of a request, even if its other fields are invalid, so that the error can name the request. */
function requestIn(text: string): number | undefined {
  const [, number] = /"request":\s*(\d{1,15})[,}]/u.exec(text) ?? [];
  return number === undefined ? undefined : Number(number);
}
