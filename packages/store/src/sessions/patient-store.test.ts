import { ContinuoError, type Store } from "@continuo/core/model";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
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

test("a store that does not answer is called again with the same arguments", async () => {
  const { store, calls } = storeThatFails(BUSY, AWAY, BUSY);
  const answer = patientStore(store, { storeMs: 1_000 }).getSession("s");
  await vi.runAllTimersAsync();
  expect(await answer).toBe("answer");
  expect(calls).toEqual([["s"], ["s"], ["s"], ["s"]]);
});

test("the pauses between calls double up to a limit", async () => {
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

test("the store's own error is thrown when the time is over", async () => {
  const { store } = storeThatFails(...Array.from({ length: 50 }, () => AWAY));
  const refused = expect(patientStore(store, { storeMs: 1_000 }).getSession("s")).rejects.toBe(AWAY);
  await vi.advanceTimersByTimeAsync(1_001);
  await refused;
});

test("an answer resets the time that is left", async () => {
  const { store, calls } = storeThatFails(BUSY, undefined, BUSY);
  const patient = patientStore(store, { storeMs: 40 });
  for (let n = 0; n < 2; n++) {
    const answer = patient.getSession("s");
    await vi.advanceTimersByTimeAsync(30);
    expect(await answer).toBe("answer");
  }
  expect(calls).toHaveLength(4);
});

test("an aborted caller waits for less time", async () => {
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
])("%s is not retried", async (_name, error) => {
  const { store, calls } = storeThatFails(error);
  await expect(patientStore(store, { storeMs: 1_000 }).getSession("s")).rejects.toBe(error);
  expect(calls).toHaveLength(1);
});

test("a call that may not be repeated is made once, and other fields stay the same", async () => {
  const { store, calls } = storeThatFails(BUSY);
  const patient = patientStore(store, { storeMs: 1_000 });
  await expect(patient.createSession({})).rejects.toBe(BUSY);
  expect(calls).toHaveLength(1);
  expect((patient as unknown as { kind: string }).kind).toBe("kind");
});

const TAKEN = new ContinuoError("conflict", "there is already a session");

/** A store that loses its first answer, and then refuses the id: the first call or another caller created `made`. */
function storeWithSession(made: object): { store: Store; calls: number } {
  const errors = [AWAY, TAKEN];
  const state = { store: {} as Store, calls: 0 };
  state.store = {
    createSession: () => {
      state.calls++;
      return Promise.reject(errors.shift());
    },
    getSession: () => Promise.resolve(made),
  } as unknown as Store;
  return state;
}

test("a session whose creation succeeded without an answer is found by its id", async () => {
  const made = { sessionId: "s", title: "one", metadata: { a: 1 } };
  const state = storeWithSession(made);
  const asked = { sessionId: "s", title: "one", metadata: { a: 1 } };
  const answer = patientStore(state.store, { storeMs: 1_000 }).createSession(asked);
  await vi.runAllTimersAsync();
  expect(await answer).toBe(made);
  expect(state.calls).toBe(2);
});

test("a session of the same id with other content belongs to another caller", async () => {
  const state = storeWithSession({ sessionId: "s", title: "two" });
  const patient = patientStore(state.store, { storeMs: 1_000 });
  const refused = expect(patient.createSession({ sessionId: "s", title: "one" })).rejects.toBe(TAKEN);
  await vi.runAllTimersAsync();
  await refused;
});

test("a session whose id is taken at the first try is not requested again", async () => {
  const { store, calls } = storeThatFails(TAKEN);
  const patient = patientStore(store, { storeMs: 1_000 });
  await expect(patient.createSession({ sessionId: "s" })).rejects.toBe(TAKEN);
  expect(calls).toHaveLength(1);
});
