import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ContinuoError, type Store } from "../model/index.ts";
import { LIMITS } from "./limits.ts";
import { patientStore } from "./patient-store.ts";

const BUSY = new ContinuoError("busy", "the store is busy");
const AWAY = new ContinuoError("unavailable", "the store does not answer");
const CLOSED = new ContinuoError("unavailable", "the store is closed", { details: { permanent: true } });

/** Fails with each error once, then answers. */
function storeThatFails(...errors: readonly unknown[]): { store: Store; calls: unknown[][] } {
  const calls: unknown[][] = [];
  const left = [...errors];
  const call = (...args: unknown[]): Promise<unknown> => {
    calls.push(args);
    const error = left.shift();
    return error === undefined ? Promise.resolve("answer") : Promise.reject(error);
  };
  return { store: { getSession: call, createSession: call, kind: "kind" } as unknown as Store, calls };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("a store that does not answer is asked again, with the same words", async () => {
  const { store, calls } = storeThatFails(BUSY, AWAY, BUSY);
  const answer = patientStore(store, { storeMs: 1_000 }).getSession("s");
  await vi.runAllTimersAsync();
  expect(await answer).toBe("answer");
  expect(calls).toEqual([["s"], ["s"], ["s"], ["s"]]);
});

test("it is asked less and less often", async () => {
  const { store, calls } = storeThatFails(...Array.from({ length: 50 }, () => BUSY));
  patientStore(store, { storeMs: 60_000 }).getSession("s").catch(String);
  const counts: number[] = [];
  for (const ms of [0, LIMITS.retryMs, 2 * LIMITS.retryMs, 4 * LIMITS.retryMs]) {
    await vi.advanceTimersByTimeAsync(ms);
    counts.push(calls.length);
  }
  expect(counts).toEqual([1, 2, 3, 4]);
  await vi.advanceTimersByTimeAsync(5_000);
  const before = calls.length;
  await vi.advanceTimersByTimeAsync(10 * LIMITS.maxRetryMs);
  expect(calls.length - before).toBe(10);
});

test("its own error is passed on when the time is over", async () => {
  const { store } = storeThatFails(...Array.from({ length: 50 }, () => AWAY));
  const refused = expect(patientStore(store, { storeMs: 1_000 }).getSession("s")).rejects.toBe(AWAY);
  await vi.advanceTimersByTimeAsync(1_001);
  await refused;
});

test("an answer in between begins the time anew", async () => {
  const { store, calls } = storeThatFails(BUSY, undefined, BUSY);
  const patient = patientStore(store, { storeMs: 40 });
  for (let n = 0; n < 2; n++) {
    const answer = patient.getSession("s");
    await vi.advanceTimersByTimeAsync(30);
    expect(await answer).toBe("answer");
  }
  expect(calls).toHaveLength(4);
});

test("a caller who gave up waits for less", async () => {
  const { store } = storeThatFails(...Array.from({ length: 50 }, () => BUSY));
  const patience = { storeMs: 1_000_000, signal: AbortSignal.abort() };
  const refused = expect(patientStore(store, patience).getSession("s")).rejects.toBe(BUSY);
  await vi.advanceTimersByTimeAsync(LIMITS.impatientStoreMs + 1);
  await refused;
});

test.each([
  ["a store that is closed", CLOSED],
  ["any other error", new ContinuoError("conflict", "no")],
  ["an error of nobody's", new Error("no")],
])("%s is not asked again", async (_name, error) => {
  const { store, calls } = storeThatFails(error);
  await expect(patientStore(store, { storeMs: 1_000 }).getSession("s")).rejects.toBe(error);
  expect(calls).toHaveLength(1);
});

test("a call that may not be repeated is made once, and other fields are as they were", async () => {
  const { store, calls } = storeThatFails(BUSY);
  const patient = patientStore(store, { storeMs: 1_000 });
  await expect(patient.createSession({ sessionId: "s" })).rejects.toBe(BUSY);
  expect(calls).toHaveLength(1);
  expect((patient as unknown as { kind: string }).kind).toBe("kind");
});
