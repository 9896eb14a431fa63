/** An update gives the same transcript as reading the whole log again, wherever the log was divided. */

import type { NewEvent, ReadOptions } from "@continuo/core/model";
import { type EventLike, type Transcript, TranscriptBuilder } from "@continuo/core/transcript";
import { type OpenedStore, openStore } from "@continuo/store";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rounds } from "../sizes/counts.ts";
import { anyEvent } from "./any-event.ts";

const { fromEvents, fromStore, updateFromStore } = TranscriptBuilder;

let store: OpenedStore;
beforeAll(async () => {
  store = await openStore("memory:");
});
afterAll(() => store.close());

async function newLog(events: readonly NewEvent[]): Promise<string> {
  const { logId } = await store.createLog({ events });
  return logId;
}

const parts = fc.tuple(
  fc.array(anyEvent, { maxLength: 14 }),
  fc.array(anyEvent, { minLength: 1, maxLength: 10 }),
  fc.array(anyEvent, { minLength: 1, maxLength: 6 }),
);

/** The transcript goes through JSON, or is used directly: both can be updated. */
const carried = fc.constantFrom(
  (transcript: Transcript) => transcript,
  (transcript: Transcript) => JSON.parse(JSON.stringify(transcript)) as Transcript,
);

test("updates, streamed messages torn apart included, equal a rebuild", async () => {
  await fc.assert(
    fc.asyncProperty(parts, carried, fc.boolean(), async ([first, second, third], carry, isPruned) => {
      const logId = await newLog(first);
      if (isPruned) await store.prune(logId, { reason: "test" });
      let transcript = await fromStore(store, logId);
      const before = JSON.stringify(transcript);
      const older = transcript;
      for (const events of [second, third]) {
        await store.append(logId, events);
        transcript = await updateFromStore(store, carry(transcript));
        expect(transcript).toEqual(await fromStore(store, logId));
      }
      // Earlier transcripts are unchanged, and can be updated too.
      expect(JSON.stringify(older)).toBe(before);
      expect(await updateFromStore(store, older)).toEqual(transcript);
    }),
    { numRuns: rounds(300) },
  );
});

test("entries without a sequence stay last, and are folded again", async () => {
  await fc.assert(
    fc.asyncProperty(parts, carried, async ([first, second, loose], carry) => {
      const logId = await newLog(first);
      const asLoose = loose.map((event, at): EventLike => ({ ...event, id: `loose-${at % 4}` }));
      const stored = async (): Promise<readonly EventLike[]> => (await store.read(logId)).events;
      const options = { sessionId: logId };
      const before = fromEvents([...asLoose, ...(await stored())], options);
      await store.append(logId, second);
      const after = await updateFromStore(store, carry(before));
      expect(after).toEqual(fromEvents([...(await stored()), ...asLoose], options));
    }),
    { numRuns: rounds(300) },
  );
});

test("a budget is a step of its own: the update of a cut transcript is that of the whole one", async () => {
  await fc.assert(
    fc.asyncProperty(parts, carried, fc.nat(30), async ([first, second], carry, maxChars) => {
      const logId = await newLog(first);
      const cut = await fromStore(store, logId, { maxChars, maxMessages: 3 });
      await store.append(logId, second);
      expect(await updateFromStore(store, carry(cut))).toEqual(await fromStore(store, logId));
      expect(await updateFromStore(store, carry(cut), { maxChars })).toEqual(
        await fromStore(store, logId, { maxChars }),
      );
    }),
    { numRuns: rounds(200) },
  );
});

test("a transcript of the newest events grows from where it begins", async () => {
  await fc.assert(
    fc.asyncProperty(
      parts,
      carried,
      fc.integer({ min: 1, max: 14 }),
      async ([first, second], carry, limit) => {
        const logId = await newLog(first);
        const newest = await fromStore(store, logId, { limit });
        const after = Math.max(0, first.length - limit);
        expect(newest).toEqual(await fromStore(store, logId, { after }));
        expect(newest.metadata.older).toEqual(
          after === 0 ? undefined : { events: after, lastSequence: after },
        );
        await store.append(logId, second);
        const updated = await updateFromStore(store, carry(newest), { limit });
        const isFar = second.length > limit;
        expect(updated).toEqual(await fromStore(store, logId, isFar ? { limit } : { after }));
      },
    ),
    { numRuns: rounds(200) },
  );
});

test("an update reads only new events", async () => {
  const events = Array.from(
    { length: 2_000 },
    (_, at): NewEvent => ({
      type: "message_received",
      data: { content: `answer ${at}`, messageId: `m${at}` },
    }),
  );
  const logId = await newLog(events);
  const transcript = await fromStore(store, logId);
  await store.append(logId, events.slice(0, 10));
  let read = 0;
  const source = {
    latestSequence: (id: string) => store.latestSequence(id),
    read: async (id: string, options?: ReadOptions) => {
      const page = await store.read(id, options);
      read += page.events.length;
      return page;
    },
  };
  const updated = await updateFromStore(source, transcript);
  expect(read).toBe(10);
  expect(updated.lastSequence).toBe(2_010);
});

test("a log that was created again, and messages that were changed, are read again", async () => {
  const said = (content: string): NewEvent => ({ type: "message_sent", data: { content } });
  const logId = await newLog([said("a"), said("b")]);
  const transcript = await fromStore(store, logId);
  const changed = { ...transcript, messages: transcript.messages.slice(1) };
  expect(await updateFromStore(store, changed)).toEqual(transcript);
  await store.deleteLog(logId);
  await store.createLog({ logId, events: [said("c")] });
  expect(await updateFromStore(store, transcript)).toEqual(await fromStore(store, logId));
});

test("upTo reads up to a sequence; reading on from there gives the whole", async () => {
  const events = ["a", "b", "c"].map((content): NewEvent => ({ type: "message_sent", data: { content } }));
  const logId = await newLog(events);
  const part = await fromStore(store, logId, { upTo: 2 });
  expect([part.lastSequence, part.messages.length]).toEqual([2, 2]);
  expect(await updateFromStore(store, part)).toEqual(await fromStore(store, logId));
  expect(await updateFromStore(store, await fromStore(store, logId), { upTo: 2 })).toEqual(part);
});

test("a transcript that cannot be read is an error with its code", async () => {
  await expect(fromStore(store, "nothing")).rejects.toMatchObject({ code: "not_found" });
  await expect(fromStore(store, "nothing", { limit: 0 })).rejects.toMatchObject({ code: "invalid" });
});
