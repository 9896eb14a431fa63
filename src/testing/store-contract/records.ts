/** Logs of bytes, and the order of a writer of its own. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  bytes,
  type ContractCase,
  newLog,
  numbered,
  readAll,
  rejects,
  said,
  sequencesOf,
  textOf,
} from "./case.ts";

export const recordCases: readonly ContractCase[] = [
  {
    name: "a log with another media type holds records of bytes",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", mediaType: "application/octet-stream" });
      const all = Uint8Array.from({ length: 256 }, (_, n) => n);
      const [stored] = await store.append("a", [{ type: "bytes", data: all }]);
      const [read] = (await store.read("a")).events;
      assert.ok(read?.data instanceof Uint8Array);
      assert.deepEqual(Buffer.from(read.data), Buffer.from(all));
      assert.deepEqual(read, stored);
      assert.equal(read.payloadHash, createHash("sha256").update(all).digest("hex"));
      assert.equal((await store.verify("a")).ok, true);
    },
  },
  {
    name: "records of bytes are numbered, read and tailed as events are",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", mediaType: "text/plain", events: [bytes("a"), bytes("b")] });
      await store.append("a", [bytes("c")], { also: [{ type: "close" }] });
      const events = [];
      for await (const event of store.tail("a")) events.push(event);
      assert.deepEqual([sequencesOf(events), textOf(events)], [[1, 2, 3], "a|b|c"]);
      assert.equal(textOf((await store.read("a", { maxBytes: 2 })).events), "a|b");
    },
  },
  {
    name: "what the caller does to its buffer afterwards changes nothing",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", mediaType: "text/plain" });
      const data = new TextEncoder().encode("before");
      const appending = store.append("a", [{ type: "bytes", data }]);
      data.fill(0);
      assert.equal(textOf(await appending), "before");
      assert.equal(textOf((await store.read("a")).events), "before");
    },
  },
  {
    name: "an empty record is a record",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", mediaType: "text/plain", events: [bytes(""), bytes("x")] });
      assert.equal(textOf(await readAll(store, "a")), "|x");
      assert.equal((await store.verify("a")).ok, true);
    },
  },
  {
    name: "events are no records of bytes, and bytes are no events",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", mediaType: "text/plain" });
      await rejects("invalid", store.append("a", [said("x")]));
      await rejects("invalid", store.append("a", [{ type: "bytes", data: { text: "x" } }]));
      await rejects("invalid", store.append(await newLog(store), [bytes("x")]));
    },
  },
  {
    name: "a record of bytes can be redacted",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", mediaType: "text/plain", events: [bytes("secret"), bytes("x")] });
      const event = await store.redact("a", 1, { reason: "r" });
      assert.equal(event.data, null);
      assert.deepEqual(await store.verify("a"), { ok: true, checkedCount: 2, prunedCount: 1 });
    },
  },
  {
    name: "ids make appends of bytes idempotent too",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", mediaType: "text/plain" });
      const record = { ...bytes("x"), id: "r1" };
      const first = await store.append("a", [record]);
      assert.deepEqual(await store.append("a", [record]), first);
      await rejects("conflict", store.append("a", [{ ...bytes("y"), id: "r1" }]));
    },
  },
  {
    name: "a writer's own order is kept, character by character",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const write = (value: string): Promise<unknown> =>
        store.append(logId, numbered(1), { also: [{ type: "writer_sequence", value }] });
      await write("09");
      await write("10");
      await write("2");
      for (const value of ["10", "2", ""]) await rejects("conflict", write(value));
      await write("a");
      await rejects("conflict", write("B"));
      assert.equal((await store.getLog(logId))?.writerSequence, "a");
      assert.equal(await store.latestSequence(logId), 4);
    },
  },
];
