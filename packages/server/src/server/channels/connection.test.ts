import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { ContinuoError, type Store } from "@continuo/core/model";
import { CHANNEL_LIMITS, channelLogId } from "@continuo/core/wire";
import { openStore } from "@continuo/store";
import { openChannel, planReplay, takeHandle } from "@continuo/store/channels";
import { expect, test } from "vitest";
import type { WebSocket } from "ws";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { Hub } from "./hub.ts";
import type { SeatUse } from "./seat.ts";

/** A socket without a network: it only remembers what was sent. */
class QuietSocket extends EventEmitter {
  readonly OPEN = 1;
  readonly readyState = 1;
  readonly isPaused = false;
  readonly sent: string[] = [];
  readonly frames: { readonly type: string; readonly request?: number; readonly error?: { code: string } }[] =
    [];
  state: "open" | "ended" = "open";

  close(): void {
    this.state = "ended";
  }

  send(text: string): void {
    const frame = JSON.parse(text) as (typeof this.frames)[number];
    this.frames.push(frame);
    this.sent.push(frame.type);
  }

  terminate(): void {
    this.state = "ended";
  }
}

test("a client whose hello takes long receives heartbeats, and its connection is kept", () => {
  const socket = new QuietSocket();
  const connection = new Connection({
    socket: socket as unknown as WebSocket,
    stream: new PassThrough(),
    clock: { now: () => 0 },
    admit: () => new Promise<never>(() => undefined),
    report: () => undefined,
  } as unknown as ConnectionOptions);
  const hello = { type: "hello", protocol: 1, instance: "i", after: 0 };
  socket.emit("message", Buffer.from(JSON.stringify(hello)), false);
  return Promise.resolve()
    .then(() => undefined)
    .then(() => {
      for (let beat = 0; beat < 20; beat++) connection.beat();
      expect(socket.sent).toEqual(Array(20).fill("heartbeat"));
      expect(socket.state).toBe("open");
    });
});

test("a client that leaves during its hello causes no failure of the channel", async () => {
  const socket = new QuietSocket();
  const reports: string[] = [];
  const connection = new Connection({
    socket: socket as unknown as WebSocket,
    stream: new PassThrough(),
    clock: { now: () => 0 },
    admit: (_: unknown, { signal }: { readonly signal: AbortSignal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error)),
      ),
    report: (line: string) => reports.push(line),
  } as unknown as ConnectionOptions);
  const hello = { type: "hello", protocol: 1, instance: "i", after: 0 };
  socket.emit("message", Buffer.from(JSON.stringify(hello)), false);
  await new Promise((resolve) => setImmediate(resolve));
  socket.emit("close");
  await connection.closed;
  expect([reports, socket.sent]).toEqual([[], []]);
});

const HELLO = { type: "hello", protocol: 1, instance: "i", after: 0 };

interface Connected {
  readonly connection: Connection;
  readonly socket: QuietSocket;
  /** The stream under the socket, to which events are written. */
  readonly stream: PassThrough;
  say(frame: object | string): void;
}

function connected(options: object): Connected {
  const socket = new QuietSocket();
  const stream = new PassThrough();
  const given = {
    socket,
    stream,
    clock: { now: () => 0 },
    draining: new AbortController().signal,
    slowReaders: { stalledMs: 1_000, goodbyeMs: 1_000 },
    report: (line: string) => expect.unreachable(line),
    hub: new Hub(() => undefined, { now: () => 0 }),
    count: () => undefined,
    onRefused: () => undefined,
    ...options,
  };
  const connection = new Connection(given as unknown as ConnectionOptions);
  const say = (frame: object | string): void => {
    const text = typeof frame === "string" ? frame : JSON.stringify(frame);
    socket.emit("message", Buffer.from(text), false);
  };
  return { connection, socket, stream, say };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

test("nothing more is read from a connection whose token no longer counts", async () => {
  const admitted: unknown[] = [];
  const { connection, socket, say } = connected({ admit: async (hello: unknown) => admitted.push(hello) });
  connection.lose(new ContinuoError("unauthorized", "the token was revoked"));
  say(HELLO);
  await settled();
  expect([admitted, socket.sent]).toEqual([[], ["error"]]);
});

test("an invalid frame counts for the token of its connection, and its sender learns when it must wait", async () => {
  const counted: number[] = [];
  const refused: unknown[] = [];
  const limited = new ContinuoError("rate_limited", "too fast");
  const { say } = connected({
    count: (bytes: number) => {
      counted.push(bytes);
      if (counted.length === 2) throw limited;
    },
    onRefused: (error: unknown) => refused.push(error),
  });
  for (let times = 0; times < 2; times++) say("{");
  await expect.poll(() => refused.length).toBe(2);
  expect(counted).toEqual([1, 1]);
  expect(refused).toEqual([expect.objectContaining({ code: "invalid" }), limited]);
});

test("only the connections of a person hear that the session of this person changed", async () => {
  const reads: string[] = [];
  const store = new Proxy({} as Store, {
    get: (_, name) => () => {
      reads.push(String(name));
      return new Promise(() => undefined);
    },
  });
  const participation = {
    store,
    place: { channel: "team", handle: "ann" },
    session: "kept",
    open: new Map(),
  };
  const replay = { channel: "team", after: 0, upTo: 1, wholeAfter: 0, omitted: 0 };
  const admission = { store, channel: "team", after: 0, replay, participation, welcome: { type: "hello" } };
  const hub = { enter: () => undefined, states: { read: () => new Promise(() => undefined) } };
  const { connection, say } = connected({ hub, admit: async () => admission });
  say(HELLO);
  // The replay reads the store, so the hello was accepted.
  await expect.poll(() => reads.length).toBeGreaterThan(0);
  reads.length = 0;
  connection.sessionChanged("ben");
  await settled();
  expect(reads).toEqual([]);
  connection.sessionChanged("ann");
  await expect.poll(() => reads.length).toBeGreaterThan(0);
});

test("a reader that continues from an earlier place gets each later event once", async () => {
  await using store = await openStore("memory:");
  await openChannel(store, "team");
  const log = channelLogId("team");
  const add = async (content: string): Promise<void> => {
    await store.append(log, [
      { type: "message_sent", actor: { kind: "person", id: "bob" }, data: { content } },
    ]);
  };
  await add("first");
  const upTo = await store.latestSequence(log);
  const replay = await planReplay(store, { channel: "team", handle: null, mode: "stream", after: 0, upTo });
  const welcome = { type: "hello" };
  const place = { [Symbol.dispose]: () => undefined };
  const admission = { store, channel: "team", after: 0, replay, participation: null, welcome, place };
  const { socket, stream, say } = connected({ admit: async () => admission });
  const written: string[] = [];
  stream.on("data", (bytes: Buffer) => written.push(String(bytes)));
  say(HELLO);
  await expect.poll(() => socket.sent).toContain("ready");
  say({ type: "resume", after: upTo });
  await settled();
  await add("second");
  await expect.poll(() => written.join("")).toContain('"second"');
  await settled();
  const text = written.join("");
  expect([text.split('"first"').length - 1, text.split('"second"').length - 1]).toEqual([1, 1]);
  socket.emit("close");
});

test("a client that sends frames before its hello has no more time to say hello", () => {
  let nowMs = 0;
  const { connection, socket, say } = connected({ clock: { now: () => nowMs } });
  nowMs = CHANNEL_LIMITS.helloMs;
  say({ type: "heartbeat" });
  connection.beat();
  expect(socket.state).toBe("open");
  nowMs += 1;
  connection.beat();
  expect(socket.state).toBe("ended");
});

/** A store that never answers, and a channel without participants. */
const SILENT_STORE = new Proxy({} as Store, { get: () => () => new Promise(() => undefined) });
/** A replay that waits for the store. */
const QUIET_REPLAY = { channel: "team", handle: null, after: 0, upTo: 1, wholeAfter: 0, omitted: 0 };
const WELCOME = { type: "hello" };

interface Seated {
  readonly seating: SeatUse;
  /** The steps that were taken with the seat. */
  readonly done: string[];
  /** Accepts the hello as one of a participant. */
  admit(participation?: object): void;
}

/** A client that said hello, and has a seat. */
async function seated(options: object = {}): Promise<Connected & Seated> {
  const done: string[] = [];
  const admitted = Promise.withResolvers<unknown>();
  const arrived = Promise.withResolvers<SeatUse>();
  const seat = {
    renew: async () => void done.push("renew"),
    awaitReturn: async () => void done.push("await return"),
    leave: async () => void done.push("leave"),
  };
  const hub = {
    states: { read: () => new Promise(() => undefined) },
    seats: { free: () => void done.push("free") },
    enter: () => undefined,
    leave: () => undefined,
    roster: async () => [],
  };
  const one = connected({
    hub,
    admit: (_: unknown, { seating }: { readonly seating: SeatUse }) => {
      seating.onTaken(seat as never);
      arrived.resolve(seating);
      return admitted.promise;
    },
    ...options,
  });
  one.say(HELLO);
  const seating = await arrived.promise;
  const admit = (participation: object | null = null): void => {
    const place = { [Symbol.dispose]: () => undefined };
    const known = { store: SILENT_STORE, channel: "team", after: 0, replay: QUIET_REPLAY };
    admitted.resolve({ ...known, participation, welcome: WELCOME, place });
  };
  return { ...one, seating, done, admit };
}

test("a client whose hello waits for the store is not silent, and its lease is renewed", async () => {
  let nowMs = 0;
  const { connection, socket, seating, done } = await seated({ clock: { now: () => nowMs } });
  nowMs = 10 * CHANNEL_LIMITS.silenceMs;
  expect([seating.silentMs(), seating.isAlive()]).toEqual([0, true]);
  connection.beat();
  expect([done, socket.state]).toEqual([["renew"], "open"]);
});

test.each([
  ["has a moment to return", false, ["free", "await return"]],
  ["has the rest of its lease to return, if the server stops", true, ["free"]],
])("a participant whose connection closed %s", async (_, isDraining, expected) => {
  const draining = isDraining ? AbortSignal.abort() : new AbortController().signal;
  const { connection, socket, done, admit } = await seated({ draining });
  admit();
  await expect.poll(() => socket.sent).toContain("hello");
  socket.emit("close");
  await connection.closed;
  expect(done).toEqual(expected);
});

test.each([true, false])(
  "a participant that lost its handle learns that it was given to somebody else only if it was (%s)",
  async (isTaken) => {
    const { socket, seating, admit } = await seated();
    admit();
    await expect.poll(() => socket.sent).toContain("hello");
    seating.onLost({ cause: null, isTaken });
    const errors = socket.frames.flatMap(({ error }) => error?.code ?? []);
    expect([errors, socket.state]).toEqual([isTaken ? ["handle_taken"] : [], "ended"]);
  },
);

test("a connection that cannot take a change of who is present ends", async () => {
  const { connection, socket, stream, admit } = await seated();
  admit();
  await expect.poll(() => socket.sent).toContain("hello");
  stream.write(Buffer.alloc(2_000_000));
  connection.presence("joined", { handle: "ben" } as never);
  expect([socket.state, socket.sent.includes("presence")]).toEqual(["ended", false]);
});

test("a frame that asks for nothing counts for the token of its connection", async () => {
  const counted: number[] = [];
  const { socket, say, admit } = await seated({ count: (bytes: number) => void counted.push(bytes) });
  admit();
  await expect.poll(() => socket.sent).toContain("hello");
  const pause = JSON.stringify({ type: "pause" });
  say(pause);
  await settled();
  expect(counted).toEqual([pause.length]);
});

test("a history that the store cannot read now is reported as one that cannot be read", async () => {
  const store = new Proxy({} as Store, {
    get: () => () => Promise.reject(new ContinuoError("unavailable", "the database is away")),
  });
  const { socket, say, admit } = await seated();
  admit({ store, place: { channel: "team", handle: "ann" }, session: "kept", historyItems: 10 });
  await expect.poll(() => socket.sent).toContain("hello");
  say({ type: "history", request: 7, limit: 5 });
  await expect.poll(() => socket.frames.at(-1)).toMatchObject({ request: 7, error: { code: "degraded" } });
});

test("of messages that are stored together, one beyond the quota is refused, and the others are acknowledged", async () => {
  await using store = await openStore("memory:");
  await openChannel(store, "team");
  const place = { channel: "team", handle: "ann" };
  const card = { instance: "i", handle: "ann", name: "ann", type: "person", capabilities: [] };
  const fence = await takeHandle(store, place, { card });
  let counted = 0;
  const { socket, say, admit } = await seated({
    count: () => {
      counted += 1;
      if (counted === 1) throw new ContinuoError("rate_limited", "too fast");
    },
  });
  admit({ store, place, fence, instance: "i", type: "person", session: "none", open: new Map() });
  await expect.poll(() => socket.sent).toContain("hello");
  for (const request of [1, 2, 3]) say({ type: "send", request, id: `m${request}`, content: "word" });
  await expect.poll(() => socket.frames.filter(({ request }) => request !== undefined).length).toBe(3);
  const answers = socket.frames.flatMap(({ type, request }) =>
    request === undefined ? [] : [[request, type]],
  );
  expect(answers).toEqual([
    [1, "error"],
    [2, "ok"],
    [3, "ok"],
  ]);
});
