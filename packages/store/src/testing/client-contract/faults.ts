/**
 * Cases of requests whose answers are missing, late or errors, of clients that do not read, and of servers that send
 * invalid frames.
 */

import assert from "node:assert/strict";
import { type ClientCase, pause, type Stage, upTo } from "./case.ts";
import type { Peer } from "./scripted-server.ts";

export const faultCases: readonly ClientCase[] = [
  {
    id: "CLIENT-2",
    name: "answers are matched by the number of their request, and ids are unique",
    run: async (stage) => {
      const peer = await stage.join();
      const names = ["one", "two", "three"];
      for (const name of names) stage.send(name);
      const sent = [await peer.next("send"), await peer.next("send"), await peer.next("send")];
      assert.deepEqual(
        sent.map(({ content }) => content),
        names.map((name) => `words of ${name}`),
      );
      assert.equal(new Set(sent.map(({ id }) => id)).size, 3);
      const numbers = sent.map(({ request }) => Number(request));
      assert.deepEqual(
        numbers,
        numbers.toSorted((a, b) => a - b),
      );
      assert.equal(new Set(numbers).size, 3);
      peer.send({ type: "ok", request: numbers[2], result: { sequence: 3 } });
      await stage.report("confirmed", ({ name }) => name === "three");
      assert.equal(stage.reports.filter(({ report }) => report === "confirmed").length, 1);
      peer.send({ type: "ok", request: numbers[0], result: { sequence: 1 } });
      peer.send({ type: "ok", request: numbers[1], result: { sequence: 2 } });
      for (const name of names) await stage.report("confirmed", (report) => report.name === name);
    },
  },
  {
    id: "CLIENT-6",
    name: "a request without an answer is sent again with its id, and confirmed once",
    run: async (stage) => {
      const first = await stage.join();
      stage.send("kept");
      const { id } = await first.next("send");
      first.cut();
      const second = await stage.server.connection();
      await second.next("hello");
      assert.equal(
        second.frames.some(({ type }) => type === "send"),
        false,
        "nothing is sent before the welcome",
      );
      second.send({
        type: "hello",
        protocol: 1,
        workspaceId: "default",
        channel: "team",
        handle: "bot",
        latestSequence: 0,
        after: 0,
        session: null,
        degraded: null,
      });
      const again = await second.next("send");
      assert.equal(again.id, id);
      second.send({ type: "ok", request: again.request, result: { sequence: 1 } });
      second.ready(0);
      await stage.report("confirmed");
      await pause(200);
      assert.deepEqual(
        stage.reports.filter(({ report }) => report === "confirmed"),
        [{ report: "confirmed", name: "kept" }],
      );
    },
  },
  {
    id: "CLIENT-10",
    name: "an error of a request fails this request only",
    run: async (stage) => {
      const peer = await stage.join();
      for (const name of ["bad", "good"]) stage.send(name);
      const [bad, good] = [await peer.next("send"), await peer.next("send")];
      const refusal = { code: "forbidden", message: "not this one", hint: null, details: {} };
      peer.send({ type: "error", request: bad.request, error: refusal });
      assert.deepEqual(await stage.report("failed"), { report: "failed", name: "bad", code: "forbidden" });
      peer.send({ type: "ok", request: good.request, result: { sequence: 1 } });
      assert.equal((await stage.report("confirmed")).name, "good");
      peer.event(1);
      assert.deepEqual(await stage.messagesUpTo(1), [1]);
      assert.equal(stage.server.count, 1);
    },
  },
  {
    id: "CLIENT-17",
    name: "after a message that is not a frame the client connects again",
    run: async (stage) => {
      let peer = await stage.join();
      for (const [index, text] of ["{", "[1]", "null"].entries()) {
        peer.event(index + 1);
        await stage.messagesUpTo(index + 1);
        peer.socket.send(text);
        peer = await stage.server.connection();
        assert.equal((await peer.welcome()).after, index + 1);
        peer.ready(index + 1);
      }
    },
  },
  {
    id: "CLIENT-18",
    name: "a client whose user does not read keeps a bounded part, and hands everything over once afterwards",
    run: async (stage) => {
      const peer = await stage.join();
      stage.do({ command: "stop_reading" });
      await pause(200);
      const log = new LongLog(peer);
      await log.flood();
      assert.ok(log.isHeldUp, `the client took ${LongLog.COUNT} long messages that nobody read`);
      stage.do({ command: "read" });
      await log.sendRest();
      assert.deepEqual(await stage.messagesUpTo(LongLog.COUNT), upTo(LongLog.COUNT));
    },
  },
  {
    id: "CLIENT-21",
    name: "when a final code ends the client, unanswered requests are reported as failed",
    run: async (stage) => {
      const peer = await stage.join();
      for (const name of ["one", "two"]) stage.send(name);
      await peer.next("send");
      await peer.next("send");
      peer.send({ type: "error", error: { code: "forbidden", message: "out", hint: null, details: {} } });
      peer.socket.close(4000);
      for (const name of ["one", "two"]) await stage.report("failed", (report) => report.name === name);
      assert.equal((await stage.report("ended")).code, "forbidden");
      assertNothingConfirmed(stage);
    },
  },
];

function assertNothingConfirmed({ reports }: Stage): void {
  assert.deepEqual(
    reports.filter(({ report }) => report === "confirmed"),
    [],
  );
}

/** A log of 48 MB: more than a client should keep, and more than the system buffers. */
class LongLog {
  static readonly COUNT = 3_000;
  readonly #peer: Peer;
  readonly #text = "x".repeat(16_000);
  #sent = 0;
  #from = 0;

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  get isHeldUp(): boolean {
    return this.#sent < LongLog.COUNT;
  }

  /** Sends until the client sends `pause`, or has not read from the socket for 1.5 seconds. */
  async flood(): Promise<void> {
    let fullSince = 0;
    while (this.#sent < LongLog.COUNT && !this.#isPaused()) {
      if (this.#isFull()) {
        fullSince ||= performance.now();
        if (performance.now() - fullSince > 1_500) return;
        await pause(20);
      } else {
        fullSince = 0;
        this.#sendNext();
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }

  /** Sends the events that the client asks for, or otherwise those that were not sent yet. */
  async sendRest(): Promise<void> {
    if (this.#isPaused()) await this.#resumed();
    while (this.#sent < LongLog.COUNT) {
      if (this.#isPaused()) await this.#resumed();
      else if (this.#isFull()) await pause(5);
      else this.#sendNext();
      this.#look();
    }
    // A client that stopped near the end asks for the rest again.
    for (let tries = 0; tries < 200; tries++) {
      await pause(25);
      this.#look();
      while (this.#sent < LongLog.COUNT && !this.#isFull() && !this.#isPaused()) this.#sendNext();
    }
  }

  #sendNext(): void {
    const sequence = ++this.#sent;
    this.#peer.event(sequence, sequence - 1, {
      data: { messageId: `e-${sequence}`, content: `message ${sequence} ${this.#text}` },
    });
  }

  #isFull(): boolean {
    return this.#peer.stream.writableLength > 1_000_000;
  }

  #isPaused(): boolean {
    const last = this.#peer.frames.findLast(({ type }) => type === "pause" || type === "resume");
    return last?.type === "pause";
  }

  async #resumed(): Promise<void> {
    while (this.#isPaused()) await pause(10);
    this.#look();
  }

  /** A `resume` gives the sequence after which to continue. */
  #look(): void {
    const { frames } = this.#peer;
    for (; this.#from < frames.length; this.#from++) {
      const frame = frames[this.#from];
      if (frame?.type === "resume") this.#sent = Number(frame.after);
    }
  }
}
