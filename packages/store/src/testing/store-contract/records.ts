/** Logs of bytes, and the order of a writer. */

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
    name: "joined records are those of read, end to end or with commas, page by page",
    run: async ({ store }) => {
      const words = ["a", "", "ccc", "d\u0000d", "ü"];
      await store.createLog({
        logId: "a",
        mediaType: "text/plain",
        events: words.map((word) => bytes(word)),
      });
      const { events } = await store.read("a");
      for (const separator of ["", ","] as const) {
        const whole = await store.readJoined("a", { separator });
        assert.equal(Buffer.from(whole.bytes).toString(), words.join(separator));
        const { bytes: _, ...rest } = whole;
        const lastHash = events.at(-1)?.chainHash;
        assert.deepEqual(rest, { records: 5, pruned: 0, lastSequence: 5, lastHash, nextAfter: null });
      }
      const pages: string[] = [];
      for (let after: number | null = 0; after !== null; ) {
        const page = await store.readJoined("a", { after, separator: ",", maxBytes: 3 });
        pages.push(Buffer.from(page.bytes).toString());
        after = page.nextAfter;
      }
      assert.deepEqual(pages, ["a,", "ccc", "d\u0000d", "ü"]);
      const two = await store.readJoined("a", { after: 1, limit: 2, separator: "" });
      assert.deepEqual([Buffer.from(two.bytes).toString(), two.nextAfter], ["ccc", 3]);
      const none = await store.readJoined("a", { after: 5, separator: "" });
      assert.deepEqual(
        [none.bytes.length, none.lastSequence, none.lastHash, none.nextAfter],
        [0, 5, null, null],
      );
    },
  },
  {
    name: "joined records have every byte",
    run: async ({ store }) => {
      const all = Uint8Array.from({ length: 256 }, (_, n) => n);
      await store.createLog({ logId: "a", mediaType: "application/octet-stream" });
      await store.append("a", [
        { type: "bytes", data: all },
        { type: "bytes", data: all.toReversed() },
      ]);
      const { bytes: joined } = await store.readJoined("a", { separator: "" });
      assert.deepEqual([...joined], [...all, ...all.toReversed()]);
    },
  },
  {
    name: "joined records of a fork begin with those that it inherited, and leave out pruned ones",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", mediaType: "text/plain", events: ["1", "2", "3"].map(bytes) });
      await store.forkLog("a", 2, { newLogId: "b" });
      await store.append("b", ["4", "5"].map(bytes));
      await store.append("a", [bytes("not inherited")]);
      await store.redact("a", 1, { reason: "r" });
      const { bytes: joined, ...rest } = await store.readJoined("b", { separator: "," });
      assert.equal(Buffer.from(joined).toString(), "2,4,5");
      assert.deepEqual([rest.records, rest.pruned, rest.lastSequence, rest.nextAfter], [3, 1, 4, null]);
      const later = await store.readJoined("b", { after: 1, limit: 2, separator: "," });
      assert.deepEqual([Buffer.from(later.bytes).toString(), later.nextAfter], ["2,4", 3]);
    },
  },
  {
    name: "joined records need an existing log of bytes",
    run: async ({ store }) => {
      await rejects("not_found", store.readJoined("nowhere", { separator: "" }));
      await rejects("invalid", store.readJoined(await newLog(store), { separator: "" }));
      await store.createLog({ logId: "a", mediaType: "text/plain", events: [bytes("1")] });
      await rejects("invalid", store.readJoined("a", { separator: "", maxBytes: 0 }));
    },
  },
  {
    name: "an append that names another media type than the log's is refused",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", mediaType: "text/plain" });
      await store.append("a", [bytes("1")], { mediaType: "text/plain" });
      await rejects("conflict", store.append("a", [bytes("2")], { mediaType: "application/json" }));
      await store.deleteLog("a");
      await store.createLog({ logId: "a", mediaType: "application/json" });
      await rejects("conflict", store.append("a", [bytes("3")], { mediaType: "text/plain" }));
      assert.equal(await store.latestSequence("a"), 0);
    },
  },
  {
    name: "later changes of the buffer by the caller have no effect",
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
    name: "a log of bytes refuses events, and a log of events refuses bytes",
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
    name: "the order of a writer is kept, character by character",
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
