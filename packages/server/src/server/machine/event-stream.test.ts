import { expect, onTestFinished, test, vi } from "vitest";
import { LIMITS, type ServerContext } from "../context/index.ts";
import { eventStream, merged } from "./event-stream.ts";
import type { Call } from "./request-input.ts";

test("events of several sources arrive when they happen, and the stream ends when all sources have ended", async () => {
  const slow = Promise.withResolvers<string>();
  async function* late(): AsyncGenerator<string> {
    yield await slow.promise;
  }
  async function* quick(): AsyncGenerator<string> {
    yield "one";
    yield "two";
    slow.resolve("late");
  }
  expect(await Array.fromAsync(merged([late(), quick()]))).toEqual(["one", "two", "late"]);
});

test("a source that fails ends the others, and a reader that leaves ends every source", async () => {
  const ended: string[] = [];
  async function* endless(name: string): AsyncGenerator<string> {
    try {
      for (;;) yield name;
    } finally {
      ended.push(name);
    }
  }
  async function* failing(): AsyncGenerator<string> {
    yield* [];
    throw new Error("it failed");
  }
  await expect(Array.fromAsync(merged([endless("a"), failing()]))).rejects.toThrow("it failed");
  expect(ended).toEqual(["a"]);
  for await (const name of merged([endless("b"), endless("c")])) if (name === "c") break;
  expect(ended.sort()).toEqual(["a", "b", "c"]);
});

test("a stream whose client leaves before it reads anything no longer counts for its token", async () => {
  const open = new Set<Disposable>();
  const connect = (): Disposable => {
    const connection = { [Symbol.dispose]: () => void open.delete(connection) };
    open.add(connection);
    return connection;
  };
  const context = { quotas: { connect }, draining: new AbortController().signal } as unknown as ServerContext;
  const raw = new Request("http://127.0.0.1/v1/machine/sessions");
  const call = { var: { grant: {} }, req: { raw } } as unknown as Call;
  const response = eventStream(call, context, async function* () {
    yield { event: "session", data: {} };
  });
  expect(open.size).toBe(1);
  await response.body?.cancel();
  expect(open.size).toBe(0);
});

test("a stream in which nothing happens sends a heartbeat, and its next event after it", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const connect = (): Disposable => ({ [Symbol.dispose]: () => undefined });
  const context = { quotas: { connect }, draining: new AbortController().signal } as unknown as ServerContext;
  const raw = new Request("http://127.0.0.1/v1/machine/sessions");
  const call = { var: { grant: {} }, req: { raw } } as unknown as Call;
  const happens = Promise.withResolvers<void>();
  const { body } = eventStream(call, context, async function* () {
    await happens.promise;
    yield { event: "session", data: {} };
  });
  const reader = body?.getReader();
  const next = async (): Promise<string> => {
    const read = reader?.read();
    await vi.advanceTimersByTimeAsync(LIMITS.sseIdleMs);
    return Buffer.from((await read)?.value ?? []).toString();
  };
  expect([await next(), await next()]).toEqual([`retry: ${LIMITS.retryMs}\n\n`, ": \n\n"]);
  happens.resolve();
  expect(await next()).toBe("event: session\ndata: {}\n\n");
  await reader?.cancel();
});

test("a stream whose token was revoked ends", async () => {
  let lose: () => void = () => undefined;
  const connect = (_: unknown, onLost: () => void): Disposable => {
    lose = onLost;
    return { [Symbol.dispose]: () => undefined };
  };
  const context = { quotas: { connect }, draining: new AbortController().signal } as unknown as ServerContext;
  const raw = new Request("http://127.0.0.1/v1/machine/sessions");
  const call = { var: { grant: {} }, req: { raw } } as unknown as Call;
  const { body } = eventStream(call, context, async function* (signal) {
    yield { event: "session", data: {} };
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  lose();
  expect(await new Response(body).text()).not.toContain("event: session");
});
