import { type AgentEvent, ContinuoError } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import { AgentTurn, type TurnOptions } from "./turn.ts";

const open = (options: Partial<TurnOptions> = {}): AgentTurn =>
  new AgentTurn({
    cancel: () => undefined,
    stuck: () => new ContinuoError("agent_failed", "stuck"),
    silent: () => new ContinuoError("agent_failed", "silent"),
    cancelMs: Number.POSITIVE_INFINITY,
    silenceMs: Number.POSITIVE_INFINITY,
    ...options,
  });
const text = (delta: string): AgentEvent => ({ type: "text", delta });
const DONE: AgentEvent = { type: "turn_completed", stopReason: "end_turn" };

describe("a turn", () => {
  test("yields the pushed events in order, and then the end", async () => {
    const turn = open();
    void turn.push(text("a"));
    void turn.push(text("b"));
    turn.end("end_turn");
    void turn.push(text("after the end"));
    expect(await Array.fromAsync(turn.events())).toEqual([text("a"), text("b"), DONE]);
  });

  test("makes a writer wait while there is no reader, so that memory stays flat", async () => {
    const turn = open();
    let pushed = 0;
    const writing = (async () => {
      for (let n = 0; n < 1000; n += 1) {
        await turn.push(text(String(n)));
        pushed += 1;
      }
      turn.end("end_turn");
    })();
    await new Promise((done) => setImmediate(done));
    expect(pushed).toBeLessThan(64);
    let read = 0;
    for await (const _ of turn.events()) {
      read += 1;
      expect(pushed - read).toBeLessThan(64);
    }
    await writing;
    expect(read).toBe(1001);
  });

  test("makes the writer of a few large events wait as well", async () => {
    const turn = open();
    let pushed = 0;
    const writing = (async () => {
      for (let n = 0; n < 20; n += 1) {
        await turn.push(text("x".repeat(1_500_000)));
        pushed += 1;
      }
      turn.end("end_turn");
    })();
    await new Promise((done) => setImmediate(done));
    expect(pushed).toBe(2);
    let read = 0;
    for await (const _ of turn.events()) {
      read += 1;
      expect(pushed - read).toBeLessThan(3);
    }
    await writing;
    expect(read).toBe(21);
  });

  test("reports the output before the failure", async () => {
    const turn = open();
    void turn.push(text("a"));
    turn.fail(new ContinuoError("agent_failed", "died"));
    const told: AgentEvent[] = [];
    const reading = (async () => {
      for await (const event of turn.events()) told.push(event);
    })();
    await expect(reading).rejects.toMatchObject({ code: "agent_failed", message: "died" });
    expect(told).toEqual([text("a")]);
  });

  test("is cancelled when the reader leaves the loop, and ends before the reader continues", async () => {
    const asked: string[] = [];
    const turn: AgentTurn = open({
      cancel: () => {
        asked.push("stop");
        setImmediate(() => turn.end("cancelled"));
      },
    });
    void turn.push(text("a"));
    for await (const _ of turn.events()) break;
    expect(asked).toEqual(["stop"]);
    expect(turn.ended).toBe(true);
  });

  test("is cancelled by a signal, and reports it", async () => {
    const stop = new AbortController();
    const turn: AgentTurn = open({ signal: stop.signal, cancel: () => turn.end("cancelled") });
    void turn.push(text("a"));
    const told: AgentEvent[] = [];
    for await (const event of turn.events()) {
      told.push(event);
      stop.abort();
    }
    expect(told).toEqual([text("a"), { type: "turn_completed", stopReason: "cancelled" }]);
  });

  test.each([
    ["does not stop", { cancelMs: 5 }, "stuck", (turn: AgentTurn) => void turn.cancel()],
    ["says nothing", { silenceMs: 5 }, "silent", () => undefined],
  ] as const)("fails when its agent %s in time", async (_, limits, message, act) => {
    const turn = open(limits);
    act(turn);
    await expect(Array.fromAsync(turn.events())).rejects.toMatchObject({ message });
  });

  test("may be silent while a person is asked", async () => {
    const turn = open({ silenceMs: 5 });
    const resume = turn.pause();
    await new Promise((done) => setTimeout(done, 30));
    expect(turn.ended).toBe(false);
    resume();
    await expect(Array.fromAsync(turn.events())).rejects.toMatchObject({ message: "silent" });
  });

  test("delivers an event when its reader has done its work with it and asks for the next one", async () => {
    const turn = open();
    const stored = Promise.withResolvers<void>();
    const order: string[] = [];
    const reading = (async () => {
      for await (const event of turn.events()) {
        order.push(event.type);
        if (event.type === "text") await stored.promise;
        order.push(`${event.type} is stored`);
      }
    })();
    const delivered = turn.deliver(text("a"), new AbortController().signal).then((isTaken) => {
      order.push(`delivered: ${isTaken}`);
      turn.end("end_turn");
    });
    await new Promise((done) => setImmediate(done));
    expect(order).toEqual(["text"]);
    stored.resolve();
    await Promise.all([delivered, reading]);
    expect(order.slice(0, 3)).toEqual(["text", "text is stored", "delivered: true"]);
  });

  test.each([
    ["the turn ends", (turn: AgentTurn) => turn.end("end_turn")],
    ["the turn fails", (turn: AgentTurn) => turn.fail(new ContinuoError("agent_failed", "died"))],
    ["its signal aborts", (_: AgentTurn, stop: AbortController) => stop.abort()],
    [
      "its reader leaves at the event",
      async (turn: AgentTurn) => {
        for await (const _ of turn.events()) break;
      },
    ],
  ] as const)("waits no longer for the delivery of an event when %s", async (_, act) => {
    const turn: AgentTurn = open({ cancel: () => turn.end("cancelled") });
    const stop = new AbortController();
    const delivered = turn.deliver(text("a"), stop.signal);
    void act(turn, stop);
    expect(await delivered).toBe(false);
  });

  test("does not wait for the delivery of an event after its end", async () => {
    const turn = open();
    turn.end("end_turn");
    expect(await turn.deliver(text("a"), new AbortController().signal)).toBe(false);
    expect(await Array.fromAsync(turn.events())).toEqual([DONE]);
  });
});
