import { expect, test } from "vitest";
import { ContinuoError } from "../model/index.ts";
import type { WireEvent } from "../wire/index.ts";
import { Calls, type MethodCall } from "./calls.ts";

function begin(more: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {}): {
  readonly calls: Calls;
  readonly call: MethodCall;
  readonly cancelled: string[];
} {
  const cancelled: string[] = [];
  const calls = new Calls();
  const { timeoutMs = 60_000, ...rest } = more;
  const call = calls.start(
    { callId: "c", to: "ann", timeoutMs },
    { ...rest, cancel: (reason) => void cancelled.push(reason) },
  );
  return { calls, call, cancelled };
}

function answered(from: string, value: unknown, done: boolean, callId = "c"): WireEvent {
  const data = { callId, value, done };
  return { type: "method_answered", actor: { kind: "agent", id: from }, data } as unknown as WireEvent;
}

test("only answers of the called participant count, and the last result ends the call", async () => {
  const { calls, call } = begin();
  calls.take(answered("bob", "forged", true));
  calls.take(answered("ann", 1, false, "other"));
  calls.take(answered("ann", 1, false));
  calls.take(answered("ann", 2, true));
  calls.take(answered("ann", 3, true));
  expect([await Array.fromAsync(call), await call.result, calls.count]).toEqual([[1, 2], 2, 0]);
});

test("a call without a result ends in time, and its participant gets one cancellation", async () => {
  const { call, cancelled, calls } = begin({ timeoutMs: 5 });
  await expect(call.result).rejects.toMatchObject({ code: "unavailable" });
  call.cancel();
  expect([cancelled, calls.count]).toEqual([["no result within 5 ms"], 0]);
});

test("a caller that cancels, aborts or stops reading cancels the call", async () => {
  const one = begin();
  one.call.cancel("enough");
  expect(one.cancelled).toEqual(["enough"]);
  const abort = new AbortController();
  const two = begin({ signal: abort.signal });
  abort.abort();
  expect(two.cancelled).toHaveLength(1);
  const three = begin();
  three.calls.take(answered("ann", 1, false));
  for await (const _ of three.call) break;
  expect(three.cancelled).toHaveLength(1);
  const four = begin();
  four.calls.take(answered("ann", 1, true));
  for await (const _ of four.call) break;
  expect(four.cancelled).toEqual([]);
});

test("all calls end with the connection", async () => {
  const { calls, call, cancelled } = begin();
  calls.failAll(new ContinuoError("unavailable", "the client was closed"));
  await expect(call.result).rejects.toThrow("the client was closed");
  await expect(Array.fromAsync(call)).rejects.toThrow("the client was closed");
  expect([calls.count, cancelled]).toEqual([0, []]);
});

test("results that came before a call failed are read before its error", async () => {
  const { calls, call } = begin();
  calls.take(answered("ann", 1, false));
  calls.take(answered("ann", 2, false));
  calls.failAll(new ContinuoError("unavailable", "the connection was lost"));
  const read: unknown[] = [];
  await expect(
    (async () => {
      for await (const value of call) read.push(value);
    })(),
  ).rejects.toThrow("the connection was lost");
  expect(read).toEqual([1, 2]);
});

test("a call whose caller gave up before it began is cancelled at once", async () => {
  const { call, cancelled, calls } = begin({ signal: AbortSignal.abort() });
  await expect(call.result).rejects.toMatchObject({ code: "cancelled" });
  expect([cancelled, calls.count]).toEqual([["the caller's signal"], 0]);
});
