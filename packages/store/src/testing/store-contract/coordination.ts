/** Cursors, snapshots, claims, and all side writes of an append together. */

import assert from "node:assert/strict";
import { type ContractCase, eventually, newLog, numbered, rejects } from "./case.ts";

export const coordinationCases: readonly ContractCase[] = [
  {
    name: "a cursor moves forward and never back",
    run: async ({ store }) => {
      const logId = await newLog(store, 5);
      const name = "reader";
      assert.equal(await store.getCursor({ logId, name }), null);
      assert.equal((await store.commitCursor({ logId, name, sequence: 3 })).sequence, 3);
      const back = await store.commitCursor({ logId, name, sequence: 2 });
      assert.equal(back.sequence, 3);
      assert.deepEqual(await store.getCursor({ logId, name }), back);
      assert.equal((await store.commitCursor({ logId, name, sequence: 5 })).sequence, 5);
    },
  },
  {
    name: "many commits of one cursor at the same time leave the greatest",
    run: async ({ store }) => {
      const logId = await newLog(store, 20);
      const commits = Array.from({ length: 20 }, (_, n) =>
        store.commitCursor({ logId, name: "c", sequence: 20 - n }),
      );
      await Promise.all(commits);
      assert.equal((await store.getCursor({ logId, name: "c" }))?.sequence, 20);
    },
  },
  {
    name: "a cursor cannot be at a sequence that the log has not reached",
    run: async ({ store }) => {
      const logId = await newLog(store, 2);
      await rejects("out_of_range", store.commitCursor({ logId, name: "c", sequence: 3 }));
      await rejects("not_found", store.commitCursor({ logId: "none", name: "c", sequence: 1 }));
      await rejects("invalid", store.commitCursor({ logId, name: "c", sequence: -1 }));
    },
  },
  {
    name: "a log that does not exist yet can have cursors, which stay when it is created and are deleted with it",
    run: async ({ store }) => {
      const of = { logId: "later", name: "ada" };
      const early = await store.commitCursor({ ...of, sequence: 0, data: { seen: 0 } });
      assert.deepEqual([early.sequence, early.data], [0, { seen: 0 }]);
      assert.deepEqual((await store.listCursors({ name: "ada" })).items, [early]);
      await store.createLog({ logId: "later", events: numbered(3) });
      assert.deepEqual(await store.getCursor(of), early);
      const later = await store.commitCursor({ ...of, sequence: 2 });
      assert.deepEqual([later.sequence, later.data], [2, { seen: 0 }]);
      await store.deleteLog("later");
      assert.equal(await store.getCursor(of), null);
      await store.append(await newLog(store), [], { also: [{ type: "cursor", ...of }] });
      assert.equal((await store.getCursor(of))?.sequence, 0);
      await store.resetCursor(of);
      assert.equal(await store.getCursor(of), null);
      await rejects("not_found", store.resetCursor({ ...of, sequence: 1 }));
    },
  },
  {
    name: "the readers of an expired log begin again",
    run: async ({ store }) => {
      const of = { logId: "short", name: "ada" };
      await store.createLog({ logId: "short", ttl: 1, events: numbered(3) });
      await store.commitCursor({ ...of, sequence: 3, data: 1 });
      await eventually(async () => (await store.getLog("short")) === null);
      assert.equal(await store.getCursor(of), null);
      assert.deepEqual((await store.listCursors({ logId: "short" })).items, []);
      await rejects("not_found", store.commitCursor({ ...of, sequence: 3 }));
      const anew = await store.commitCursor(of);
      assert.deepEqual([anew.sequence, anew.data], [0, null]);
    },
  },
  {
    name: "data of a cursor change with it or alone, but not with a lower sequence",
    run: async ({ store }) => {
      const of = { logId: await newLog(store, 5), name: "ada" };
      await store.commitCursor({ ...of, sequence: 3, data: { sdk: "a" } });
      const kept = await store.commitCursor({ ...of, sequence: 4 });
      assert.deepEqual([kept.sequence, kept.data], [4, { sdk: "a" }]);
      const alone = await store.commitCursor({ ...of, data: { sdk: "b" } });
      assert.deepEqual([alone.sequence, alone.data], [4, { sdk: "b" }]);
      const same = await store.commitCursor({ ...of, sequence: 4, data: ["\u0000", "\ud800"] });
      assert.deepEqual(same.data, ["\u0000", "\ud800"]);
      const behind = await store.commitCursor({ ...of, sequence: 2, data: "old" });
      assert.deepEqual(behind, same);
      assert.deepEqual(await store.getCursor(of), same);
      await store.append(of.logId, [], {
        also: [{ type: "cursor", name: "ada", sequence: 5, data: { sdk: "c" } }],
      });
      assert.deepEqual((await store.getCursor(of))?.data, { sdk: "c" });
      assert.equal((await store.commitCursor({ ...of, data: null })).data, null);
    },
  },
  {
    name: "data of a cursor are JSON of at most 16 KiB",
    run: async ({ store }) => {
      const of = { logId: await newLog(store, 1), name: "ada" };
      await store.commitCursor({ ...of, data: "x".repeat(16_382) });
      await rejects("too_large", store.commitCursor({ ...of, data: "x".repeat(16_383) }));
      await rejects("too_large", store.commitCursor({ ...of, data: "\u20ac".repeat(6_000) }));
      await rejects("invalid", store.commitCursor({ ...of, data: 1n }));
      assert.equal((await store.getCursor(of))?.data, "x".repeat(16_382));
    },
  },
  {
    name: "only resetCursor moves a cursor back",
    run: async ({ store }) => {
      const logId = await newLog(store, 5);
      await store.commitCursor({ logId, name: "c", sequence: 5 });
      await store.resetCursor({ logId, name: "c", sequence: 1 });
      assert.equal((await store.getCursor({ logId, name: "c" }))?.sequence, 1);
      await store.resetCursor({ logId, name: "c" });
      assert.equal(await store.getCursor({ logId, name: "c" }), null);
    },
  },
  {
    name: "listCursors: of a log, of a name, page by page",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", events: numbered(1) });
      await store.createLog({ logId: "b", events: numbered(1) });
      for (const logId of ["a", "b"]) {
        for (const name of ["x", "y"]) await store.commitCursor({ logId, name, sequence: 1 });
      }
      const names = async (options: object): Promise<readonly string[]> =>
        (await store.listCursors(options)).items.map((cursor) => cursor.logId + cursor.name);
      assert.deepEqual(await names({}), ["ax", "ay", "bx", "by"]);
      assert.deepEqual(await names({ logId: "b" }), ["bx", "by"]);
      assert.deepEqual(await names({ name: "y" }), ["ay", "by"]);
      const { nextCursor } = await store.listCursors({ limit: 3 });
      assert.deepEqual(await names({ limit: 3, cursor: nextCursor ?? "" }), ["by"]);
    },
  },
  {
    name: "an append can commit cursors of its own and of another log",
    run: async ({ store }) => {
      const [logId, other] = [await newLog(store), await newLog(store, 4)];
      const also = [
        { type: "cursor", name: "c", sequence: 2 },
        { type: "cursor", name: "c", sequence: 4, logId: other },
      ] as const;
      await store.append(logId, numbered(2), { also });
      assert.equal((await store.getCursor({ logId, name: "c" }))?.sequence, 2);
      assert.equal((await store.getCursor({ logId: other, name: "c" }))?.sequence, 4);
      await rejects(
        "out_of_range",
        store.append(logId, numbered(1), { also: [{ type: "cursor", name: "c", sequence: 9 }] }),
      );
      assert.equal(await store.latestSequence(logId), 2);
    },
  },
  {
    name: "the latest snapshot is the one with the greatest sequence",
    run: async ({ store }) => {
      const logId = await newLog(store, 6);
      for (const sequence of [2, 6, 4])
        await store.putSnapshot({ logId, name: "s", sequence, data: { n: sequence } });
      const latest = await store.getLatestSnapshot({ logId, name: "s" });
      assert.deepEqual([latest?.sequence, latest?.data], [6, { n: 6 }]);
      assert.equal((await store.getLatestSnapshot({ logId, name: "s", atSequence: 5 }))?.sequence, 4);
      assert.equal(await store.getLatestSnapshot({ logId, name: "s", atSequence: 1 }), null);
      assert.equal(await store.getLatestSnapshot({ logId, name: "other" }), null);
    },
  },
  {
    name: "a snapshot of the same sequence replaces the one before",
    run: async ({ store }) => {
      const logId = await newLog(store, 1);
      await store.putSnapshot({ logId, name: "s", data: 1 });
      const stored = await store.putSnapshot({ logId, name: "s", data: 2 });
      assert.deepEqual(await store.getLatestSnapshot({ logId, name: "s" }), stored);
      assert.equal(await store.deleteSnapshots({ logId }), 1);
    },
  },
  {
    name: "a snapshot cannot be at a sequence that the log has not reached",
    run: async ({ store }) => {
      const logId = await newLog(store, 1);
      await rejects("out_of_range", store.putSnapshot({ logId, name: "s", data: 1, sequence: 2 }));
      await rejects("invalid", store.putSnapshot({ logId, name: "s", data: 1n }));
    },
  },
  {
    name: "snapshots are deleted by name and by sequence, and change nothing else",
    run: async ({ store }) => {
      const logId = await newLog(store, 3);
      const before = await store.getLog(logId);
      for (const sequence of [1, 2, 3]) await store.putSnapshot({ logId, name: "a", sequence, data: null });
      await store.putSnapshot({ logId, name: "b", data: "\u0000\ud800" });
      assert.equal(await store.deleteSnapshots({ logId, name: "a", before: 3 }), 2);
      assert.equal((await store.getLatestSnapshot({ logId, name: "a" }))?.sequence, 3);
      assert.equal((await store.getLatestSnapshot({ logId, name: "b" }))?.data, "\u0000\ud800");
      assert.equal(await store.deleteSnapshots({ logId }), 2);
      assert.deepEqual(await store.getLog(logId), before);
    },
  },
  {
    name: "an append can store a snapshot up to itself",
    run: async ({ store }) => {
      const logId = await newLog(store, 1);
      await store.append(logId, numbered(2), { also: [{ type: "snapshot", name: "s", data: { n: 3 } }] });
      assert.equal((await store.getLatestSnapshot({ logId, name: "s" }))?.sequence, 3);
    },
  },
  {
    name: "a claim is taken in the next generation, by one caller",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const claim = (owner: string, generation: number, more: object = {}): Promise<unknown> =>
        store.append(logId, [], { also: [{ type: "claim", name: "m1", owner, generation, ...more }] });
      assert.equal(await store.getClaim("m1"), null);
      const results = await Promise.allSettled(["a", "b", "c"].map((owner) => claim(owner, 1)));
      assert.equal(results.filter((result) => result.status === "fulfilled").length, 1);
      const held = await store.getClaim("m1");
      assert.deepEqual([held?.generation, held?.status, held?.data], [1, "claimed", null]);
      const owner = held?.owner ?? "";
      await claim(owner, 1, { status: "done", data: { answer: 42 } });
      assert.deepEqual((await store.getClaim("m1"))?.data, { answer: 42 });
      await claim("d", 2);
      const error = await rejects("fenced", claim(owner, 1));
      assert.deepEqual([error.details.generation, error.details.owner], [2, "d"]);
      await rejects("fenced", claim("e", 2));
      await rejects("fenced", claim("e", 4));
      await rejects("invalid", claim("e", 0));
    },
  },
  {
    name: "a claim with `onlyNext` is changed by one of several callers that share an owner",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const write = { name: "m1", owner: "a" } as const;
      await store.putClaim({ ...write, generation: 1, onlyNext: true });
      await rejects("fenced", store.putClaim({ ...write, generation: 1, onlyNext: true }));
      const claim = { type: "claim", ...write, generation: 2, onlyNext: true } as const;
      const results = await Promise.allSettled(
        [1, 2, 3].map((data) => store.append(logId, numbered(1), { also: [{ ...claim, data }] })),
      );
      assert.equal(results.filter((result) => result.status === "fulfilled").length, 1);
      assert.equal(await store.latestSequence(logId), 1);
      await store.putClaim({ ...write, generation: 2, data: "changed" });
      assert.equal((await store.getClaim("m1"))?.data, "changed");
    },
  },
  {
    name: "an append whose claim is refused stores nothing",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const also = [{ type: "claim", name: "m1", owner: "a", generation: 2 }] as const;
      await rejects("fenced", store.append(logId, numbered(1), { also }));
      assert.equal(await store.latestSequence(logId), 0);
      assert.equal(await store.getClaim("m1"), null);
    },
  },
  {
    name: "a session is made together with its claims, or not at all",
    run: async ({ store }) => {
      const claim = { name: "m1", owner: "a", generation: 1, data: { x: 1 } };
      await store.createSession({ sessionId: "s1", claims: [claim] });
      assert.deepEqual((await store.getClaim("m1"))?.data, { x: 1 });
      const other = { ...claim, owner: "b" };
      await rejects(
        "fenced",
        store.createSession({ sessionId: "s2", claims: [{ ...claim, name: "m2" }, other] }),
      );
      assert.equal(await store.getSession("s2"), null);
      assert.equal(await store.getLog("s2"), null);
      assert.equal(await store.getClaim("m2"), null);
      await rejects(
        "conflict",
        store.createSession({ sessionId: "s1", claims: [{ ...claim, generation: 2 }] }),
      );
      assert.equal((await store.getClaim("m1"))?.generation, 1);
    },
  },
  {
    name: "listClaims: by prefix, status and owner",
    run: async ({ store }) => {
      const logId = await newLog(store);
      for (const [name, owner, status] of [
        ["a/1", "x", "open"],
        ["a/2", "y", "done"],
        ["b/1", "x", "done"],
      ] as const) {
        await store.append(logId, [], { also: [{ type: "claim", name, owner, status, generation: 1 }] });
      }
      const names = async (options: object): Promise<readonly string[]> =>
        (await store.listClaims(options)).items.map((claim) => claim.name);
      assert.deepEqual(await names({}), ["a/1", "a/2", "b/1"]);
      assert.deepEqual(await names({ prefix: "a/" }), ["a/1", "a/2"]);
      assert.deepEqual(await names({ status: "done" }), ["a/2", "b/1"]);
      assert.deepEqual(await names({ owner: "x", limit: 1 }), ["a/1"]);
      const { nextCursor } = await store.listClaims({ limit: 2 });
      assert.deepEqual(await names({ limit: 2, cursor: nextCursor ?? "" }), ["b/1"]);
    },
  },
  {
    name: "all side writes of an append are made together, or none",
    run: async ({ store }) => {
      const { sessionId } = await store.createSession();
      const good = [
        { type: "session", patch: { title: "new" } },
        { type: "new_run", run: { runId: "r1" } },
        { type: "run", runId: "r1", to: "running" },
        { type: "cursor", name: "c", sequence: 2 },
        { type: "snapshot", name: "s", data: 1 },
        { type: "producer", producerId: "p", epoch: 0, sequence: 0 },
        { type: "writer_sequence", value: "1" },
        { type: "claim", name: "k", owner: "o", generation: 1 },
      ] as const;
      const bad = [...good, { type: "run", runId: "none", to: "running" }] as const;
      await rejects("not_found", store.append(sessionId, numbered(1), { also: bad }));
      assert.equal((await store.getSession(sessionId))?.title, null);
      assert.equal(await store.getRun("r1"), null);
      assert.equal(await store.getClaim("k"), null);
      assert.equal(await store.latestSequence(sessionId), 1);
      await store.append(sessionId, numbered(1), { also: good });
      assert.equal((await store.getSession(sessionId))?.title, "new");
      assert.equal((await store.getRun("r1"))?.status, "running");
      assert.equal((await store.getCursor({ logId: sessionId, name: "c" }))?.sequence, 2);
      assert.equal((await store.getProducer(sessionId, "p"))?.sequence, 0);
      assert.equal((await store.getClaim("k"))?.owner, "o");
      assert.equal((await store.getLog(sessionId))?.writerSequence, "1");
    },
  },
  {
    name: "a side write of no known type is refused",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await rejects("invalid", store.append(logId, numbered(1), { also: [{ type: "magic" } as never] }));
      assert.equal(await store.latestSequence(logId), 0);
    },
  },
];
