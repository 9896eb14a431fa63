/** Forks: the records that they read, where they begin, and how their sources are removed. */

import assert from "node:assert/strict";
import {
  bytes,
  type ContractCase,
  eventually,
  newLog,
  numbered,
  readAll,
  rejects,
  said,
  sequencesOf,
  textOf,
  valuesOf,
} from "./case.ts";

export const forkCases: readonly ContractCase[] = [
  {
    name: "a fork reads its source's records up to the fork point, then its own",
    run: async ({ store }) => {
      const logId = await newLog(store, 4);
      const fork = await store.forkLog(logId, 2, { newLogId: "fork" });
      assert.deepEqual(fork.forkedFrom, { logId, sequence: 2 });
      assert.equal(fork.latestSequence, 2);
      await store.append("fork", numbered(2, 30));
      const events = await readAll(store, "fork");
      assert.deepEqual(
        [sequencesOf(events), valuesOf(events)],
        [
          [1, 2, 3, 4],
          [1, 2, 30, 31],
        ],
      );
      assert.ok(events.every((event) => event.logId === "fork"));
    },
  },
  {
    name: "source and fork continue independently",
    run: async ({ store }) => {
      const logId = await newLog(store, 2);
      const fork = await store.forkLog(logId, 2);
      await store.append(logId, numbered(1, 10));
      await store.append(fork.logId, numbered(1, 20));
      assert.deepEqual(valuesOf(await readAll(store, logId)), [1, 2, 10]);
      assert.deepEqual(valuesOf(await readAll(store, fork.logId)), [1, 2, 20]);
    },
  },
  {
    name: "a fork can begin at every sequence, 0 and the newest too",
    run: async ({ store }) => {
      const logId = await newLog(store, 3);
      for (const at of [0, 1, 2, 3]) {
        const fork = await store.forkLog(logId, at);
        assert.deepEqual(valuesOf(await readAll(store, fork.logId)), [1, 2, 3].slice(0, at));
        assert.equal((await store.append(fork.logId, numbered(1)))[0]?.sequence, at + 1);
      }
    },
  },
  {
    name: "a fork beyond the newest record is out_of_range",
    run: async ({ store }) => {
      const error = await rejects("out_of_range", store.forkLog(await newLog(store, 1), 2));
      assert.equal(error.details.latestSequence, 1);
      await rejects("not_found", store.forkLog("none", 0));
    },
  },
  {
    name: "forks of forks read through all of them, also pages and both ends",
    run: async ({ store }) => {
      const a = await newLog(store, 4);
      const b = (await store.forkLog(a, 3)).logId;
      await store.append(b, numbered(2, 20));
      const c = (await store.forkLog(b, 4)).logId;
      await store.append(c, numbered(2, 30));
      const inherited = (await store.forkLog(c, 2)).logId;
      await store.append(inherited, numbered(1, 40));
      assert.deepEqual(valuesOf(await readAll(store, c)), [1, 2, 3, 20, 30, 31]);
      assert.deepEqual(valuesOf(await readAll(store, inherited)), [1, 2, 40]);
      assert.deepEqual(valuesOf((await store.read(c, { after: 2, limit: 3 })).events), [3, 20, 30]);
      assert.deepEqual(
        valuesOf((await store.read(c, { limit: 4, order: "newest" })).events),
        [3, 20, 30, 31],
      );
      assert.deepEqual(valuesOf((await store.read(c, { after: 1, before: 5 })).events), [2, 3, 20]);
    },
  },
  {
    name: "a fork of a closed log starts open",
    run: async ({ store }) => {
      const logId = await newLog(store, 1);
      await store.closeLog(logId);
      const fork = await store.forkLog(logId, 1);
      assert.equal(fork.closedAt, undefined);
      await store.append(fork.logId, numbered(1));
      await store.closeLog(fork.logId);
      await rejects("log_closed", store.append(fork.logId, numbered(1)));
    },
  },
  {
    name: "a fork can be made with first events of its own",
    run: async ({ store }) => {
      const logId = await newLog(store, 2);
      const fork = await store.forkLog(logId, 1, { events: numbered(1, 9) });
      assert.deepEqual(valuesOf(await readAll(store, fork.logId)), [1, 9]);
    },
  },
  {
    name: "the same fork again returns the existing log; another fork is a conflict",
    run: async ({ store }) => {
      const logId = await newLog(store, 3);
      const fork = await store.forkLog(logId, 2, { newLogId: "f" });
      assert.deepEqual(await store.forkLog(logId, 2, { newLogId: "f" }), { ...fork, created: false });
      await rejects("conflict", store.forkLog(logId, 1, { newLogId: "f" }));
      await rejects("conflict", store.createLog({ logId: "f" }));
      await rejects("conflict", store.forkLog(logId, 2, { newLogId: logId }));
    },
  },
  {
    name: "a fork has its source's media type and no other",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", mediaType: "text/plain", events: [bytes("x")] });
      assert.equal((await store.forkLog("a", 1)).mediaType, "text/plain");
      await rejects("conflict", store.forkLog("a", 1, { mediaType: "image/png" }));
    },
  },
  {
    name: "a fork takes its source's time to live, or its own",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", ttl: 3600 });
      assert.equal((await store.forkLog("a", 0)).ttl, 3600);
      assert.equal((await store.forkLog("a", 0, { ttl: 7200 })).ttl, 7200);
      const expiresAt = "2099-01-01T00:00:00.000Z";
      const fixed = await store.forkLog("a", 0, { expiresAt });
      assert.deepEqual([fixed.ttl, fixed.expiresAt], [undefined, expiresAt]);
      await store.createLog({ logId: "b", expiresAt });
      assert.equal((await store.forkLog("b", 0)).expiresAt, expiresAt);
    },
  },
  {
    name: "a fork does not inherit producers, cursors or snapshots",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const also = [
        { type: "producer", producerId: "p", epoch: 0, sequence: 0 },
        { type: "cursor", name: "c", sequence: 1 },
        { type: "snapshot", name: "s", data: 1 },
      ] as const;
      await store.append(logId, numbered(1), { also });
      const fork = (await store.forkLog(logId, 1)).logId;
      assert.equal(await store.getProducer(fork, "p"), null);
      assert.equal(await store.getCursor({ logId: fork, name: "c" }), null);
      assert.equal(await store.getLatestSnapshot({ logId: fork, name: "s" }), null);
    },
  },
  {
    name: "a fork can begin inside a record of bytes",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", mediaType: "text/plain", events: [bytes("one"), bytes("hello")] });
      const fork = await store.forkLog("a", 1, { newLogId: "f", bytes: 3 });
      assert.deepEqual(fork.forkedFrom, { logId: "a", sequence: 1, bytes: 3 });
      assert.equal(textOf(await readAll(store, "f")), "one|hel");
      await store.append("f", [bytes("p!")]);
      assert.equal(textOf(await readAll(store, "f")), "one|hel|p!");
      assert.equal((await store.verify("f")).ok, true);
      assert.equal((await store.forkLog("a", 1, { newLogId: "f", bytes: 3 })).created, false);
      await rejects("conflict", store.forkLog("a", 1, { newLogId: "f", bytes: 2 }));
      await rejects("conflict", store.forkLog("a", 1, { newLogId: "f" }));
    },
  },
  {
    name: "a fork inside a record continues with first events of its own, and can be forked inside again",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", mediaType: "text/plain", events: [bytes("hello")] });
      await store.forkLog("a", 0, { newLogId: "f", bytes: 4, events: [bytes("!")] });
      assert.equal(textOf(await readAll(store, "f")), "hell|!");
      await store.forkLog("f", 0, { newLogId: "g", bytes: 2 });
      assert.equal(textOf(await readAll(store, "g")), "he");
    },
  },
  {
    name: "a fork takes at most the whole record, and none if there is none",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", mediaType: "text/plain", events: [bytes("hi")] });
      assert.equal(textOf(await readAll(store, (await store.forkLog("a", 0, { bytes: 2 })).logId)), "hi");
      await rejects("invalid", store.forkLog("a", 0, { bytes: 3, newLogId: "f" }));
      assert.equal(await store.getLog("f"), null);
      await rejects("out_of_range", store.forkLog("a", 1, { bytes: 1 }));
      await rejects("invalid", store.forkLog(await newLog(store, 2), 1, { bytes: 1 }));
    },
  },
  {
    name: "a deleted log that forks read is hidden, and the forks can still read it",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", events: numbered(2) });
      await store.forkLog("a", 2, { newLogId: "f" });
      await store.deleteLog("a");
      assert.deepEqual(valuesOf(await readAll(store, "f")), [1, 2]);
      assert.equal((await store.verify("f")).ok, true);
      for (const call of [
        () => store.getLog("a"),
        () => store.read("a"),
        () => store.append("a", numbered(1)),
        () => store.deleteLog("a"),
        () => store.touchLog("a"),
        () => store.closeLog("a"),
        () => store.latestSequence("a"),
      ]) {
        await rejects("gone", call);
      }
      assert.deepEqual(
        (await store.listLogs()).items.map((log) => log.logId),
        ["f"],
      );
    },
  },
  {
    name: "a hidden log can neither be created again nor forked",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", events: numbered(1) });
      await store.forkLog("a", 1, { newLogId: "f" });
      await store.deleteLog("a");
      await rejects("conflict", store.createLog({ logId: "a" }));
      await rejects("conflict", store.forkLog("a", 1, { newLogId: "g" }));
      await store.forkLog("f", 1, { newLogId: "g" });
    },
  },
  {
    name: "a hidden log is removed with the last of its forks",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", events: numbered(1) });
      await store.forkLog("a", 1, { newLogId: "f" });
      await store.forkLog("a", 1, { newLogId: "g" });
      await store.deleteLog("a");
      await store.deleteLog("f");
      await rejects("gone", store.getLog("a"));
      await store.deleteLog("g");
      assert.equal(await store.getLog("a"), null);
      assert.equal((await store.createLog({ logId: "a" })).latestSequence, 0);
    },
  },
  {
    name: "a chain of hidden logs is removed all at once",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", events: numbered(1) });
      await store.forkLog("a", 1, { newLogId: "b" });
      await store.forkLog("b", 1, { newLogId: "c" });
      await store.deleteLog("b");
      await store.deleteLog("a");
      assert.deepEqual(valuesOf(await readAll(store, "c")), [1]);
      await store.deleteLog("c");
      for (const logId of ["a", "b", "c"]) assert.equal(await store.getLog(logId), null);
      assert.equal((await store.info()).events, 0);
    },
  },
  {
    name: "a log whose forks were deleted stays",
    run: async ({ store }) => {
      const logId = await newLog(store, 1);
      const forks = await Promise.all(Array.from({ length: 10 }, () => store.forkLog(logId, 1)));
      await Promise.all(forks.map((fork) => store.deleteLog(fork.logId)));
      assert.deepEqual(valuesOf(await readAll(store, logId)), [1]);
    },
  },
  {
    name: "a source that expires is hidden while forks read it",
    run: async ({ store }) => {
      // The time is long enough for a slow machine to fork the log first.
      await store.createLog({ logId: "a", ttl: 1.5, events: numbered(1) });
      await store.forkLog("a", 1, { newLogId: "f", ttl: 3600 });
      await eventually(async () =>
        store.getLog("a").then(
          () => false,
          () => true,
        ),
      );
      await rejects("gone", store.read("a"));
      await rejects("gone", store.getCursor({ logId: "a", name: "ada" }));
      await rejects("conflict", store.forkLog("a", 1));
      assert.deepEqual(valuesOf(await readAll(store, "f")), [1]);
      await store.deleteLog("f");
      assert.equal(await store.getLog("a"), null);
      assert.equal(await store.getCursor({ logId: "a", name: "ada" }), null);
    },
  },
  {
    name: "a source that has expired cannot be forked",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", ttl: 0.05, events: numbered(1) });
      await eventually(async () => (await store.getLog("a")) === null);
      await rejects("not_found", store.forkLog("a", 1));
    },
  },
  {
    name: "idempotency, leases and expected sequences work on a fork as on any log",
    run: async ({ store }) => {
      const logId = await newLog(store, 2);
      const fork = (await store.forkLog(logId, 1)).logId;
      const event = { ...said("mine"), id: "e" };
      const first = await store.append(fork, [event], { expectedSequence: 1 });
      assert.deepEqual(await store.append(fork, [event]), first);
      await rejects("conflict", store.append(fork, numbered(1), { expectedSequence: 1 }));
    },
  },
];
