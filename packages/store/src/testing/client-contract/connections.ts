/** Cases about connections: a client connects, connects again, and stops. */

import assert from "node:assert/strict";
import { CLOSE, FINAL_CODES } from "@continuo/core/wire";
import { type ClientCase, pause, type Stage } from "./case.ts";
import { openScriptedServer, type Peer } from "./scripted-server.ts";

const error = (code: string): Readonly<Record<string, unknown>> => ({
  type: "error",
  error: { code, message: "the script wants it", hint: null, details: {} },
});

function refuse(peer: Peer, code: string): void {
  peer.send(error(code));
  peer.socket.close(CLOSE.refused, code);
}

/** The time in which a client that must not connect is watched. */
const ABSENCE_MS = 2_500;

export const connectionCases: readonly ClientCase[] = [
  {
    id: "CLIENT-1",
    name: "a connection begins with the subprotocol and a hello, and its URL has no token",
    run: async (stage) => {
      const peer = await stage.connect();
      const hello = await peer.next("hello");
      assert.match(peer.subprotocols, /^continuo\.channel\.1(?:, ?bearer\.continuo_secret)?$/u);
      assert.equal(peer.url, "/v1/channels/team/ws");
      assert.equal(peer.frames[0]?.type, "hello");
      assert.deepEqual([hello.protocol, hello.handle, hello.after], [1, "bot", 0]);
      assert.ok(typeof hello.instance === "string" && hello.instance.length >= 8, "an instance");
      assert.equal(hello.token ?? "continuo_secret", "continuo_secret");
    },
  },
  {
    id: "CLIENT-5",
    name: "after a cut in the middle of a frame the client connects again with its instance, and continues from its position",
    run: async (stage) => {
      const first = await stage.connect();
      const hello = await first.welcome({ latestSequence: 4 });
      // The client must not hand over anything before the replay is over.
      for (const sequence of [1, 2]) first.event(sequence);
      // A text frame of 100 bytes, of which only ten arrive.
      first.stream.write(Buffer.concat([Buffer.of(0x81, 100), Buffer.from('{"type":"e')]));
      await pause(500);
      first.cut();
      const second = await stage.server.connection();
      const again = await second.welcome({ latestSequence: 4 });
      assert.deepEqual([again.instance, again.token], [hello.instance, hello.token]);
      const after = Number(again.after);
      assert.ok(after <= 2, `it continues after ${after}`);
      for (let sequence = after + 1; sequence <= 4; sequence++) second.event(sequence);
      second.ready(4);
      assert.deepEqual(await stage.messagesUpTo(4), [1, 2, 3, 4]);
    },
  },
  {
    id: "CLIENT-8",
    name: "after a final code the client ends with it, and does not connect again",
    run: async (stage) => {
      await Promise.all(FINAL_CODES.map((code) => endsWith(stage, code)));
    },
  },
  {
    id: "CLIENT-9",
    name: "after any other code the client connects again",
    run: async (stage) => {
      let peer = await stage.join();
      for (const code of ["unavailable", "rate_limited", "degraded", "internal", "a_code_of_next_year"]) {
        refuse(peer, code);
        peer = await stage.server.connection();
        await peer.welcome();
        peer.ready(0);
      }
      peer.event(1);
      assert.deepEqual(await stage.messagesUpTo(1), [1]);
    },
  },
  {
    id: "CLIENT-11",
    name: "after bye the client connects again, after the time that the server gave",
    run: async (stage) => {
      const first = await stage.join();
      const retryMs = 1_500;
      const saidAt = performance.now();
      first.send({ type: "bye", retryMs });
      first.socket.close(CLOSE.draining);
      const second = await stage.server.connection();
      const waitedMs = second.openedAt - saidAt;
      assert.ok(waitedMs >= retryMs - 50, `the client came after ${Math.round(waitedMs)} ms`);
      await second.welcome();
    },
  },
  {
    id: "CLIENT-12",
    name: "after catch_up the client connects again, and has every event once",
    run: async (stage) => {
      const first = await stage.join();
      for (const sequence of [1, 2, 3]) first.event(sequence);
      first.send({ type: "catch_up", after: 3 });
      first.socket.close(CLOSE.slow);
      const second = await stage.server.connection();
      const { after } = await second.welcome();
      assert.ok(typeof after === "number" && after <= 3, "it continues from its position");
      for (let sequence = Number(after) + 1; sequence <= 5; sequence++) second.event(sequence);
      second.ready(5);
      assert.deepEqual(await stage.messagesUpTo(5), [1, 2, 3, 4, 5]);
    },
  },
  {
    id: "CLIENT-13",
    name: "after 4010 without an error the client connects again with the same instance",
    run: async (stage) => {
      const first = await stage.connect();
      const hello = await first.welcome();
      first.ready(0);
      await stage.report("ready");
      first.socket.close(CLOSE.gone, "come again");
      const again = await (await stage.server.connection()).welcome();
      assert.equal(again.instance, hello.instance);
    },
  },
  {
    id: "CLIENT-14",
    name: "the client sends heartbeats",
    run: async (stage) => {
      const peer = await stage.join();
      const from = performance.now();
      while (peer.beats.length < 3) {
        assert.ok(performance.now() - from < 40_000, `${peer.beats.length} heartbeats in 40 s`);
        await pause(100);
      }
      // Twice the expected time, for a busy machine, but never longer than the server waits.
      assert.ok((peer.beats[2] ?? 0) - (peer.beats[0] ?? 0) < 18_000, "three heartbeats within 18 s");
    },
  },
  {
    id: "CLIENT-15",
    name: "the client ends a connection over which nothing comes, and connects again",
    run: async (stage) => {
      const first = await stage.join();
      first.mute();
      const second = await stage.server.connection();
      const waitedMs = second.openedAt - first.openedAt;
      assert.ok(waitedMs >= 8_000, `the client gave a silent server up after ${Math.round(waitedMs)} ms`);
      await second.welcome();
    },
  },
  {
    id: "CLIENT-20",
    name: "a client that leaves waits for its answers, sends close, and waits for the server",
    run: async (stage) => {
      const peer = await stage.join();
      stage.send("last");
      const { request } = await peer.next("send");
      stage.do({ command: "close" });
      await pause(300);
      assert.equal(
        peer.frames.some(({ type }) => type === "close"),
        false,
        "it leaves before the answer",
      );
      peer.send({ type: "ok", request, result: { sequence: 1 } });
      await peer.next("close");
      peer.socket.close(1000);
      await stage.report("confirmed", ({ name }) => name === "last");
      assert.equal((await stage.report("ended")).code, null);
      await pause(500);
      assert.equal(stage.server.count, 1);
    },
  },
];

async function endsWith(stage: Stage, code: string): Promise<void> {
  await using other = stage.beside(await openScriptedServer());
  const peer = await other.join();
  other.send("lost");
  await peer.next("send");
  refuse(peer, code);
  assert.equal((await other.report("ended")).code, code);
  // CLIENT-21
  assert.equal((await other.report("failed")).name, "lost");
  await pause(ABSENCE_MS);
  assert.equal(other.server.count, 1, `the client came again after ${code}`);
}
