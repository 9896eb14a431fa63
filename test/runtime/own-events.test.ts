/** Events of a program's own types in the streams of sessions and runs, with their types. */

import type { ClientEvent, MessageEvent } from "@continuo/core/client";
import type { Payload, StoredEvent } from "@continuo/core/model";
import {
  type Continuo,
  type DefinedEvent,
  defineEvent,
  isKnownEvent,
  openContinuo,
  type SessionHandle,
} from "@continuo/server/runtime";
import { afterEach, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";

let c: Continuo;
afterEach(() => c.close());

const placed = defineEvent("order.placed", z.object({ order: z.number().int() }));
const placed2 = defineEvent("order.placed", z.object({ id: z.string().min(1) }), {
  version: 2,
  upcasters: { 1: ({ order }: { order: number }) => ({ id: order === 0 ? "" : `order-${order}` }) },
});
const paid = defineEvent("order.paid", z.object({ cents: z.number() }));

/** Reads the events up to one that is appended now. */
async function read<const Own extends readonly DefinedEvent<unknown>[] = []>(
  session: SessionHandle,
  options: { readonly include?: Own; readonly after?: number } = {},
): Promise<readonly { readonly sequence: number; readonly type: string; readonly data: unknown }[]> {
  const end = await session.append("custom", { name: "end" });
  const seen = [];
  for await (const event of session.events(options)) {
    if (event.sequence === end.sequence) break;
    seen.push(event);
  }
  return seen;
}

/** The compiler checks that `type` tells the data, without a cast. */
function wordsOf(event: StoredEvent): string {
  // A store also has events of unknown types, and events whose data was removed or does not fit.
  expectTypeOf(event.data).toBeUnknown();
  if (placed.is(event)) {
    expectTypeOf(event.data).toEqualTypeOf<{ order: number }>();
    return `order ${event.data.order}`;
  }
  if (!isKnownEvent(event)) return `unknown ${event.type}`;
  switch (event.type) {
    case "message_sent":
      expectTypeOf(event.data).toEqualTypeOf<Payload<"message_sent">>();
      return `message ${String(event.data.content)}`;
    case "custom":
      expectTypeOf(event.data).toEqualTypeOf<Payload<"custom">>();
      return `custom ${event.data.name}`;
    default:
      expectTypeOf(event.data).not.toBeAny();
      return event.type;
  }
}

/** Reads a stream that does not end by itself, up to an event that is appended now. */
async function textOf(session: SessionHandle, open: (signal: AbortSignal) => Response): Promise<string> {
  const end = await session.append("custom", { name: "end" });
  const reader = new AbortController();
  let text = "";
  for await (const part of open(reader.signal).body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (text.includes(`id: ${end.sequence}\n`)) break;
  }
  reader.abort();
  return text;
}

test("a session's events include those of the given own types, and `type` tells their data", async () => {
  c = await openContinuo("memory:", { agents: [new EchoAgent()] });
  const session = c.session("s", { create: true });
  await session.append(placed, { order: 7 });
  await session.append(paid, { cents: 900 });
  await session.send("hello").result();
  const seen: string[] = [];
  await session.append("custom", { name: "end" });
  for await (const event of session.events({ include: [placed] })) {
    if (event.type === "custom") break;
    if (event.type === "order.placed") {
      expectTypeOf(event.data).toEqualTypeOf<{ order: number }>();
      seen.push(`order ${event.data.order}`);
    } else if (event.type === "message_received") {
      expectTypeOf(event.data).toEqualTypeOf<Payload<"message_received">>();
      seen.push(event.type);
    }
  }
  expect(seen).toEqual(["order 7", "message_received"]);
  const both = await read(session, { include: [placed, paid], after: 1 });
  expect(both.map(({ type }) => type).slice(0, 2)).toEqual(["order.placed", "order.paid"]);
  const known = await read(session);
  expect(known.filter(({ type }) => type.includes("."))).toEqual([]);
});

test("an own event of an earlier version comes in the newest form, and one that does not fit is left out", async () => {
  c = await openContinuo("memory:");
  const session = c.session("s", { create: true });
  for (const order of [7, 0]) await session.append(placed, { order });
  await session.append(placed2, { id: "order-8" });
  const events = await read(session, { include: [placed2], after: 1 });
  expect(events.map(({ type, data, sequence }) => [sequence, type, data])).toEqual([
    [2, "order.placed.v2", { id: "order-7" }],
    [4, "order.placed.v2", { id: "order-8" }],
  ]);
});

test("a mistake in an upcaster ends the stream with its error", async () => {
  c = await openContinuo("memory:");
  const session = c.session("s", { create: true });
  await session.append(placed, { order: 7 });
  const broken = defineEvent("order.placed", z.object({ id: z.string() }), {
    version: 2,
    upcasters: {
      1: (): unknown => {
        throw new TypeError("a mistake");
      },
    },
  });
  await expect(read(session, { include: [broken] })).rejects.toThrow("a mistake");
});

test("a run's events and its server-sent events include own events that were appended with its id", async () => {
  c = await openContinuo("memory:", { agents: [new EchoAgent()] });
  const session = c.session("s", { create: true });
  const { runId } = await session.send("hello", { id: "1" });
  await session.run("1").result();
  const first = await session.append(paid, { cents: 900 }, { id: "paid-1", runId });
  expect(await session.append(paid, { cents: 900 }, { id: "paid-1", runId })).toEqual(first);
  await session.append(paid, { cents: 1 });
  const run = session.run("1");
  const events = await Array.fromAsync(run.events({ include: [paid] }));
  // The end of the run is its last event for readers who follow it; this one came after the end.
  expect(events.at(-1)?.type).toBe("run_completed");
  const whole = await textOf(session, (signal) => session.toSSE({ include: [paid], signal }));
  const cents = [...whole.matchAll(/^data: (\{.*\})$/gmu)]
    .map(([, json]) => JSON.parse(json ?? "") as { type: string; data: { cents?: number } })
    .filter(({ type }) => type === "order.paid");
  expect(cents.map(({ data }) => data)).toEqual([{ cents: 900 }, { cents: 1 }]);
  expect(cents[0]).not.toHaveProperty("payloadHash");
  const request = new Request("http://localhost/", { headers: { "last-event-id": String(first.sequence) } });
  const later = await textOf(session, (signal) =>
    session.toSSE(new Request(request, { signal }), { include: [paid] }),
  );
  expect(later).toMatch(/^:\n\nid: \d+\ndata: \{[^\n]*"data":\{"cents":1\}/u);
  expect(await textOf(session, (signal) => session.toSSE({ signal }))).not.toContain("order.paid");
});

test("an own event during a run is read between the events of the run", async () => {
  const agent = {
    name: "shop",
    async execute({ run }: { readonly run: { readonly runId: string } }) {
      await c.session("s").append(paid, { cents: 5 }, { runId: run.runId });
      return {};
    },
  };
  c = await openContinuo("memory:", { agents: [agent] });
  const run = c.session("s", { create: true }).send("pay");
  const types = (await Array.fromAsync(run.events({ include: [paid] }))).map(({ type }) => type);
  expect(types).toContain("order.paid");
  expect(types.indexOf("order.paid")).toBeLessThan(types.indexOf("run_completed"));
  expect((await Array.fromAsync(run)).map(({ type }) => type)).not.toContain("order.paid");
  expect(await run.toSSE(undefined, { include: [paid] }).text()).toContain('"cents":5');
});

test("a name that is no type of Continuo is refused with a hint, and creates no session", async () => {
  c = await openContinuo("memory:");
  const session = c.session("s", { create: true });
  const mistyped = session.append("mesage_sent" as never, { content: "hello" } as never);
  await expect(mistyped).rejects.toMatchObject({
    code: "invalid",
    message: "cannot append mesage_sent: this is not a type of Continuo",
    hint: expect.stringContaining("defineEvent"),
  });
  expect(await c.store.getSession("s")).toBe(null);
});

test("`include` takes only types of `defineEvent`, also from JavaScript", async () => {
  c = await openContinuo("memory:");
  const session = c.session("s", { create: true });
  const wrong = { include: ["order.placed"] } as never;
  await expect(Array.fromAsync(session.events(wrong))).rejects.toMatchObject({ code: "usage" });
  expect(() => session.toSSE(wrong)).toThrow("`include` must be an array of types");
  expect(() => session.toSSE(undefined, wrong)).toThrow("`include` must be an array of types");
});

test("`type` tells the data of an event of the store after `isKnownEvent`, and that of a type of one's own after `is`", async () => {
  c = await openContinuo("memory:");
  const session = c.session("s", { create: true });
  await session.append(placed, { order: 7 });
  await session.append("custom", { name: "end" });
  const data = { content: "hello" };
  await c.store.append("s", [
    { type: "message_sent", data },
    { type: "order.lost", data: { order: 7 } },
    { type: "message_sent", data: { content: 7 } },
  ]);
  const { events } = await c.store.read("s");
  expectTypeOf(events).toEqualTypeOf<readonly StoredEvent[]>();
  expect(events.map(wordsOf)).toEqual([
    "session_created",
    "order 7",
    "custom end",
    "message hello",
    "unknown order.lost",
    "unknown message_sent",
  ]);
});

test("`type` tells the data of an event of a session's stream without a further check", async () => {
  c = await openContinuo("memory:");
  const session = c.session("s", { create: true });
  await session.append("custom", { name: "end" });
  const seen: string[] = [];
  for await (const event of session.events()) {
    switch (event.type) {
      case "session_created":
        expectTypeOf(event.data).toEqualTypeOf<Payload<"session_created">>();
        break;
      case "custom":
        expectTypeOf(event.data).toEqualTypeOf<Payload<"custom">>();
        seen.push(event.data.name);
        break;
      default:
        expectTypeOf(event.data).not.toBeAny();
    }
    if (seen.length > 0) break;
  }
  expect(seen).toEqual(["end"]);
});

test("`type` tells the fields of an event of a client", () => {
  const contentOf = (event: ClientEvent): string => {
    switch (event.type) {
      case "message":
        expectTypeOf(event).toEqualTypeOf<MessageEvent>();
        return event.content;
      case "error":
        expectTypeOf(event.message).toEqualTypeOf<string>();
        return event.message;
      default:
        expectTypeOf(event).not.toBeAny();
        return event.type;
    }
  };
  expect(contentOf({ type: "error", code: "invalid", message: "no" } as ClientEvent)).toBe("no");
});
