/** Cases about the log: a client accepts its events, and ignores unknown events. */

import assert from "node:assert/strict";
import { type ClientCase, upTo } from "./case.ts";
import { eventFrame, type Frame, type Peer, withPatience } from "./scripted-server.ts";

/** Sends a frame in several parts, by the rules of RFC 6455. */
function sendInParts({ socket }: Peer, frame: Frame, parts: number): void {
  // A part may end in the middle of a character.
  const bytes = Buffer.from(JSON.stringify(frame));
  const size = Math.ceil(bytes.length / parts);
  for (let part = 0; part < parts; part++) {
    const piece = bytes.subarray(part * size, (part + 1) * size);
    socket.send(piece, { binary: false, fin: part === parts - 1 });
  }
}

export const logCases: readonly ClientCase[] = [
  {
    id: "CLIENT-3",
    name: "an event that arrives twice is handed over once",
    run: async (stage) => {
      const peer = await stage.join();
      for (const sequence of [1, 2, 2, 1, 3]) peer.event(sequence);
      peer.event(2);
      peer.event(4);
      assert.deepEqual(await stage.messagesUpTo(4), [1, 2, 3, 4]);
    },
  },
  {
    id: "CLIENT-4",
    name: "an event that does not follow the last one is asked for again, together with the missing ones",
    run: async (stage) => {
      const peer = await stage.join();
      peer.event(1);
      for (const sequence of [4, 5]) peer.event(sequence);
      const { after } = await peer.next("resume");
      assert.equal(after, 1);
      assert.deepEqual(await stage.messagesUpTo(1), [1]);
      for (const sequence of [2, 3, 4, 5]) peer.event(sequence);
      assert.deepEqual(await stage.messagesUpTo(5), upTo(5));
      // Events that were left out on purpose do not count as a gap.
      peer.event(9, 5);
      assert.deepEqual(await stage.messagesUpTo(9), [...upTo(5), 9]);
      assert.equal(peer.frames.filter(({ type }) => type === "resume").length, 1, "asked once");
    },
  },
  {
    id: "CLIENT-7",
    name: "frames, keys and events that the client does not know are ignored",
    run: async (stage) => {
      const peer = await stage.connect();
      peer.send({ type: "weather", sky: "blue" });
      await peer.welcome({ mood: { of: "the server" }, latestSequence: 1 });
      peer.event(1, 0, { mood: ["good"], type: "message_sent" });
      peer.send({ type: "ready", sequence: 1, roster: [], next: null });
      peer.event(2, 1, { type: "a_type_of_next_year", data: { deep: [1, { a: null }] } });
      peer.event(3, 2, { data: null, pruned: { at: "2026-11-25T12:00:00.000Z", reason: "age" } });
      peer.send({
        type: "presence",
        change: "joined",
        participant: { handle: "x", name: "x", type: "x", capabilities: [] },
      });
      peer.send({ type: "ok", request: 999, result: null });
      peer.event(4);
      await stage.messagesUpTo(4);
      assert.deepEqual(
        stage.messages().filter((sequence) => sequence !== 3),
        [1, 4],
      );
      assert.equal(stage.server.count, 1);
    },
  },
  {
    id: "CLIENT-16",
    name: "messages in pieces and bytes one by one are read, and a ping is answered",
    run: async (stage) => {
      const peer = await stage.join();
      const { promise: pong, resolve } = Promise.withResolvers<string>();
      peer.socket.once("pong", (data) => resolve(String(data)));
      const text = JSON.stringify(eventFrame(1, 0));
      peer.socket.send(text.slice(0, 30), { fin: false });
      peer.socket.ping("still there?");
      peer.socket.send(text.slice(30), { fin: true });
      sendInParts(peer, eventFrame(2, 1, { note: "ü€😀".repeat(40_000) }), 7);
      const body = Buffer.from(JSON.stringify({ ...eventFrame(3, 2), note: "ü€😀" }));
      const bytes = Buffer.concat([Buffer.of(0x81, 126, body.length >> 8, body.length & 0xff), body]);
      // No heartbeats, because one between the bytes would be in the middle of the frame.
      peer.mute();
      for (const byte of bytes) {
        peer.stream.write(Buffer.of(byte));
        await new Promise((next) => setImmediate(next));
      }
      assert.deepEqual(await stage.messagesUpTo(3), [1, 2, 3]);
      assert.equal(await withPatience("a pong of the client", () => pong), "still there?");
    },
  },
  {
    id: "CLIENT-19",
    name: "a client that asks for less can report how many messages were left out",
    run: async (stage) => {
      const peer = await stage.connect("collect");
      const { replay } = await peer.welcome({ latestSequence: 12, omitted: { messages: 7, upTo: 10 } });
      assert.equal(replay, "collect");
      peer.event(11, 0);
      peer.event(12);
      peer.ready(12);
      assert.equal((await stage.report("ready")).omitted, 7);
      peer.event(13);
      await stage.messagesUpTo(13);
      assert.equal(
        peer.frames.some(({ type }) => type === "resume"),
        false,
        "omitted messages do not count as a gap",
      );
    },
  },
];
