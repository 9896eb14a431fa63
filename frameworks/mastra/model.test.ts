/** Random sequences of calls, which the memory on a store answers as Mastra's own memory does. */

import { InMemoryDB, InMemoryMemory, type MemoryStorage } from "@mastra/core/storage";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { Store } from "../../packages/core/src/model/index.ts";
import { ContinuoMemoryStorage } from "../../packages/mastra/src/index.ts";
import { openStore } from "../../packages/store/src/store/index.ts";

type Update = Parameters<MemoryStorage["updateMessages"]>[0]["messages"][number];
type Call = (memory: MemoryStorage) => Promise<unknown>;

const BEGIN = Date.UTC(2026, 0, 1);
const at = (second: number): Date => new Date(BEGIN + 1000 * second);

const threadId = fc.constantFrom("t0", "t1", "t2");
const resourceId = fc.constantFrom("ann", "ben");
const messageId = fc.constantFrom("m0", "m1", "m2", "m3");
const metadata = fc.dictionary(fc.constantFrom("color", "step"), fc.constantFrom("red", 1, true, null), {
  noNullPrototype: true,
});
const title = fc.option(fc.constantFrom("Orders", "Parcels"), { nil: undefined });
const page = fc.record({ page: fc.nat(2), perPage: fc.constantFrom<number | false>(1, 3, 40) });
const direction = fc.constantFrom("ASC" as const, "DESC" as const);
const message = fc
  .tuple(
    messageId,
    threadId,
    resourceId,
    fc.constantFrom("user" as const, "assistant" as const),
    fc.nat(999),
    metadata,
  )
  .map(([id, thread, resource, role, second, kept]) => ({
    id,
    threadId: thread,
    resourceId: resource,
    role,
    // No two messages have the same time, because their order would not be defined.
    createdAt: new Date(at(second).getTime() + Number(id.slice(1))),
    content: {
      format: 2 as const,
      parts: [{ type: "text" as const, text: `${id} ${second}` }],
      metadata: kept,
    },
  }));
const include = fc.array(
  fc.record({ id: messageId, withPreviousMessages: fc.nat(2), withNextMessages: fc.nat(2) }),
  { maxLength: 2 },
);
const dates = fc.option(
  fc.record({ start: fc.nat(500).map(at), end: fc.nat(500).map((second) => at(second + 499)) }),
  { nil: undefined },
);

const call: fc.Arbitrary<Call> = fc.oneof(
  fc.tuple(threadId, resourceId, title, metadata, fc.nat(999)).map(
    ([id, resource, named, kept, second]): Call =>
      (memory) =>
        memory.saveThread({
          thread: {
            id,
            resourceId: resource,
            ...(named === undefined ? {} : { title: named }),
            metadata: { ...kept },
            createdAt: new Date(at(second).getTime() + Number(id.slice(1))),
            updatedAt: at(second),
          },
        }),
  ),
  fc.tuple(threadId, title, metadata).map(
    ([id, named, kept]): Call =>
      (memory) =>
        memory.updateThread({ id, ...(named === undefined ? {} : { title: named }), metadata: kept }),
  ),
  threadId.map(
    (id): Call =>
      (memory) =>
        memory.deleteThread({ threadId: id }),
  ),
  fc.tuple(threadId, fc.option(resourceId, { nil: undefined })).map(
    ([id, resource]): Call =>
      (memory) =>
        memory.getThreadById({ threadId: id, ...(resource === undefined ? {} : { resourceId: resource }) }),
  ),
  fc.array(message, { minLength: 1, maxLength: 3 }).map(
    (messages): Call =>
      (memory) =>
        memory.saveMessages({ messages: structuredClone(messages) }),
  ),
  fc.tuple(messageId, threadId, metadata, fc.boolean()).map(([id, thread, kept, isMoved]): Call => {
    return (memory) =>
      memory.updateMessages({
        messages: [
          {
            id,
            content: { metadata: { ...kept } } as NonNullable<Update["content"]>,
            ...(isMoved ? { threadId: thread } : {}),
          },
        ],
      });
  }),
  fc.array(messageId, { maxLength: 2 }).map(
    (ids): Call =>
      (memory) =>
        memory.deleteMessages(ids),
  ),
  fc.array(messageId, { maxLength: 3 }).map(
    (ids): Call =>
      (memory) =>
        memory.listMessagesById({ messageIds: ids }),
  ),
  fc
    .tuple(
      fc.oneof(threadId, fc.array(threadId, { maxLength: 2 })),
      page,
      direction,
      include,
      dates,
      metadata,
    )
    .map(
      ([id, pages, order, included, dateRange, kept]): Call =>
        (memory) =>
          memory.listMessages({
            threadId: id,
            ...pages,
            include: included,
            orderBy: { field: "createdAt", direction: order },
            filter: { metadata: kept, ...(dateRange === undefined ? {} : { dateRange }) },
          }),
    ),
  fc.tuple(resourceId, page, include).map(
    ([id, pages, included]): Call =>
      (memory) =>
        memory.listMessagesByResourceId({ resourceId: id, ...pages, include: included }),
  ),
  fc.tuple(resourceId, page, direction, metadata).map(
    ([id, pages, order, kept]): Call =>
      (memory) =>
        memory.listThreads({
          ...pages,
          filter: { resourceId: id, metadata: kept },
          orderBy: { field: "createdAt", direction: order },
        }),
  ),
  fc
    .tuple(threadId, fc.constantFrom("c0", "c1", "t1"), fc.option(resourceId, { nil: undefined }), fc.nat(3))
    .map(
      ([from, to, resource, messageLimit]): Call =>
        (memory) =>
          memory.cloneThread({
            sourceThreadId: from,
            newThreadId: to,
            ...(resource === undefined ? {} : { resourceId: resource }),
            options: { messageLimit },
          }),
    ),
  fc
    .tuple(resourceId, fc.option(fc.constantFrom("likes plums", "likes figs"), { nil: undefined }), metadata)
    .map(
      ([id, working, kept]): Call =>
        (memory) =>
          memory.updateResource({
            resourceId: id,
            ...(working === undefined ? {} : { workingMemory: working }),
            metadata: kept,
          }),
    ),
  resourceId.map(
    (id): Call =>
      (memory) =>
        memory.getResourceById({ resourceId: id }),
  ),
);

/** The answer as JSON, without the times of changes, and with one fixed word for all random ids. */
async function answer(memory: MemoryStorage, one: Call): Promise<unknown> {
  try {
    const text = JSON.stringify(await one(memory), (key, value) => (key === "updatedAt" ? undefined : value));
    return JSON.parse((text ?? "null").replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/gu, "drawn"));
  } catch {
    return "refused";
  }
}

let store: Store;
beforeAll(async () => {
  store = await openStore("memory:");
});
afterAll(() => store.close());
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("300 random sequences of calls are answered as Mastra's own memory answers them", async () => {
  let memories = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 30, maxLength: 60 }), async (calls) => {
      const sessionId = `memory-${++memories}`;
      // Short sequences change nothing: no row exists yet, and both memories answer with nothing.
      const known = new InMemoryMemory({ db: new InMemoryDB() });
      // Two objects make the calls in turn, as two processes do.
      const ours = [1, 2].map(() => new ContinuoMemoryStorage(store, { sessionId }));
      for (const [place, one] of calls.entries()) {
        vi.setSystemTime(at(10_000 + place));
        const expected = await answer(known, one);
        expect(await answer(ours[place % 2] as ContinuoMemoryStorage, one)).toEqual(expected);
      }
    }),
    { numRuns: 300 },
  );
});
