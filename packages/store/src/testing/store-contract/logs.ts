/** Logs: made, closed, deleted, expired, listed. */

import assert from "node:assert/strict";
import { EVENTS_MEDIA_TYPE, listAll, present } from "@continuo/core/model";
import { type ContractCase, eventually, newLog, numbered, readAll, rejects, said } from "./case.ts";

export const logCases: readonly ContractCase[] = [
  {
    name: "createLog makes an empty log",
    run: async ({ store }) => {
      const { createdAt, changedAt, ...log } = await store.createLog({ logId: "a" });
      assert.deepEqual(log, {
        logId: "a",
        mediaType: EVENTS_MEDIA_TYPE,
        latestSequence: 0,
        chainHash: "0".repeat(64),
        created: true,
      });
      assert.equal(createdAt, changedAt);
      assert.deepEqual((await store.read("a")).events, []);
    },
  },
  {
    name: "createLog makes an id if none is given",
    run: async ({ store }) => {
      const [a, b] = [await store.createLog(), await store.createLog()];
      assert.notEqual(a.logId, b.logId);
    },
  },
  {
    name: "createLog again with the same settings returns the existing log",
    run: async ({ store }) => {
      const settings = { logId: "a", mediaType: "text/plain", ttl: 3600 };
      const first = await store.createLog(settings);
      const again = await store.createLog({ ...settings, mediaType: "TEXT/Plain" });
      assert.deepEqual(again, { ...first, created: false });
    },
  },
  {
    name: "createLog again with the same fork or expiry returns the existing log, and with another does not",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", ttl: 3600, events: numbered(2), mediaType: EVENTS_MEDIA_TYPE });
      const of = (fork: object): object => ({ logId: "f", forkedFrom: { logId: "a", ...fork } });
      await store.createLog({ ...of({ sequence: 2 }), ttl: 60 });
      for (const same of [{}, { sequence: 2 }]) {
        assert.equal((await store.createLog(of(same))).created, false);
        assert.equal((await store.createLog({ ...of(same), ttl: 60 })).created, false);
      }
      await rejects("conflict", store.createLog({ ...of({}), ttl: 61 }));
      await rejects("conflict", store.createLog({ ...of({}), mediaType: "text/plain" }));
      await rejects("conflict", store.createLog(of({ sequence: 1 })));
      await rejects("conflict", store.createLog({ logId: "f", ttl: 60 }));
      await store.append("a", numbered(1));
      await rejects("conflict", store.createLog(of({})));
      await store.createLog({ logId: "e", expiresAt: "2099-01-01T00:00:00Z" });
      const again = await store.createLog({ logId: "e", expiresAt: "2099-01-01T00:00:00.000Z" });
      assert.equal(again.created, false);
      await rejects("conflict", store.createLog({ logId: "e", expiresAt: "2099-01-02T00:00:00Z" }));
      await rejects("conflict", store.createLog({ logId: "e" }));
    },
  },
  {
    name: "a fork takes the time to live or the expiry of its source if it has none of its own",
    run: async ({ store }) => {
      const expiresAt = "2099-01-01T00:00:00.000Z";
      await store.createLog({ logId: "ttl", ttl: 3600 });
      await store.createLog({ logId: "expiry", expiresAt });
      assert.equal((await store.forkLog("ttl", 0)).ttl, 3600);
      assert.equal((await store.forkLog("ttl", 0, { ttl: 60 })).ttl, 60);
      const fixed = await store.forkLog("ttl", 0, { expiresAt });
      assert.deepEqual([fixed.ttl, fixed.expiresAt], [undefined, expiresAt]);
      assert.equal((await store.forkLog("expiry", 0)).expiresAt, expiresAt);
      const other = await store.forkLog("expiry", 0, { ttl: 60 });
      assert.deepEqual([other.ttl, other.expiresAt === expiresAt], [60, false]);
    },
  },
  {
    name: "the media type of events is the same in any case",
    run: async ({ store }) => {
      const { mediaType } = await store.createLog({ mediaType: EVENTS_MEDIA_TYPE.toUpperCase() });
      assert.equal(mediaType, EVENTS_MEDIA_TYPE);
    },
  },
  {
    name: "listDeletedLogs: newest first, of a log, page by page",
    run: async ({ store }) => {
      for (const logId of ["a", "b", "a", "c"]) {
        await store.createLog({ logId });
        await store.deleteLog(logId);
      }
      const deleted = listAll((place) => store.listDeletedLogs({ limit: 1, ...place }));
      const seen = await Array.fromAsync(deleted, ({ logId, reason }) => `${logId} ${reason}`);
      assert.deepEqual(seen, ["c deleted", "a deleted", "b deleted", "a deleted"]);
      assert.equal((await store.listDeletedLogs({ logId: "a" })).items.length, 2);
    },
  },
  ...(
    [
      ["media type", { mediaType: "text/plain" }],
      ["time to live", { ttl: 60 }],
      ["expiry", { expiresAt: "2099-01-01T00:00:00Z" }],
      ["state", { state: "closed" }],
    ] as const
  ).map(
    ([what, other]): ContractCase => ({
      name: `createLog again with another ${what} is a conflict`,
      run: async ({ store }) => {
        await store.createLog({ logId: "a" });
        await rejects("conflict", store.createLog({ logId: "a", ...other }));
      },
    }),
  ),
  {
    name: "createLog stores its first events and closes the log, together",
    run: async ({ store }) => {
      const log = await store.createLog({ logId: "a", events: numbered(3), state: "closed" });
      assert.equal(log.latestSequence, 3);
      assert.ok(log.closedAt !== undefined);
      await rejects("invalid", store.createLog({ logId: "b", events: [{ type: "", data: 1 }] }));
      assert.equal(await store.getLog("b"), null);
    },
  },
  {
    name: "if many callers create the same log at once, it is created once",
    run: async ({ store }) => {
      const logs = await Promise.all(Array.from({ length: 8 }, () => store.createLog({ logId: "a" })));
      assert.equal(logs.filter((log) => log.created).length, 1);
    },
  },
  {
    name: "metadata of a log is kept",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", metadata: { title: "x", deep: { n: [1] } } });
      assert.deepEqual((await store.getLog("a"))?.metadata, { title: "x", deep: { n: [1] } });
    },
  },
  {
    name: "getLog of a missing log is null",
    run: async ({ store }) => {
      assert.equal(await store.getLog("none"), null);
    },
  },
  {
    name: "an id may contain anything except control characters, up to 512 units",
    run: async ({ store }) => {
      for (const logId of ["a/b c", "日本語", "🙂", "'; drop table logs; --", "%_", "x".repeat(512)]) {
        await store.createLog({ logId });
        assert.equal((await store.getLog(logId))?.logId, logId);
      }
      for (const logId of ["", "a\u0000b", "a\nb", "\ud800"])
        await rejects("invalid", store.createLog({ logId }));
      await rejects("too_large", store.createLog({ logId: "x".repeat(513) }));
    },
  },
  {
    name: "a closed log refuses appends, and reports that it is closed",
    run: async ({ store }) => {
      const logId = await newLog(store, 2);
      const log = await store.closeLog(logId);
      assert.ok(log.closedAt !== undefined);
      const error = await rejects("log_closed", store.append(logId, [said("late")]));
      assert.equal(error.details.latestSequence, 2);
      assert.equal((await readAll(store, logId)).length, 2);
    },
  },
  {
    name: "closing again changes nothing",
    run: async ({ store }) => {
      const logId = await newLog(store, 1);
      assert.deepEqual(await store.closeLog(logId), await store.closeLog(logId));
    },
  },
  {
    name: "the last append can close the log",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.append(logId, [said("bye")], { also: [{ type: "close" }] });
      assert.ok((await store.getLog(logId))?.closedAt !== undefined);
      await store.append(logId, [], { also: [{ type: "close" }] });
      await rejects("log_closed", store.append(logId, [said("late")], { also: [{ type: "close" }] }));
    },
  },
  {
    name: "a deleted log no longer exists, and leaves a tombstone",
    run: async ({ store }) => {
      const logId = await newLog(store, 3);
      const { chainHash } = (await store.getLog(logId)) ?? {};
      await store.deleteLog(logId, { reason: "asked to" });
      assert.equal(await store.getLog(logId), null);
      for (const call of [
        () => store.read(logId),
        () => store.append(logId, [said("x")]),
        () => store.latestSequence(logId),
        () => store.verify(logId),
        () => store.closeLog(logId),
        () => store.deleteLog(logId),
      ]) {
        await rejects("not_found", call);
      }
      const { items } = await store.listDeletedLogs({ logId });
      const deletedAt = items[0]?.deletedAt;
      assert.deepEqual(items, [{ logId, deletedAt, reason: "asked to", latestSequence: 3, chainHash }]);
    },
  },
  {
    name: "a log that is created again under a deleted id begins empty",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", events: [{ ...said("old"), id: "e" }] });
      await store.commitCursor({ logId: "a", name: "c", sequence: 1 });
      await store.deleteLog("a");
      const log = await store.createLog({ logId: "a" });
      assert.deepEqual([log.created, log.latestSequence], [true, 0]);
      assert.equal(await store.getCursor({ logId: "a", name: "c" }), null);
      assert.equal((await store.append("a", [{ ...said("new"), id: "e" }]))[0]?.sequence, 1);
    },
  },
  {
    name: "a log whose time to live is shorter than its creation is created",
    run: async ({ store }) => {
      const request = { logId: "a", ttl: 0.001, events: numbered(200), state: "closed" } as const;
      assert.equal((await store.createLog(request)).created, true);
    },
  },
  {
    name: "a log expires when its time to live is over",
    run: async ({ store }) => {
      await store.createLog({ logId: "a", ttl: 0.05, events: numbered(1) });
      await eventually(async () => (await store.getLog("a")) === null);
      await rejects("not_found", store.read("a"));
      await rejects("not_found", store.append("a", numbered(1)));
      assert.deepEqual((await store.listLogs()).items, []);
      assert.equal((await store.createLog({ logId: "a" })).latestSequence, 0);
    },
  },
  {
    name: "touchLog and append restart the time to live; a read does not",
    run: async ({ store }) => {
      const created = await store.createLog({ logId: "a", ttl: 3600 });
      const at = async (): Promise<number> => Date.parse((await store.getLog("a"))?.expiresAt ?? "");
      assert.equal(await at(), Date.parse(created.createdAt) + 3_600_000);
      await new Promise((resolve) => setTimeout(resolve, 5));
      await store.read("a");
      assert.equal(await at(), Date.parse(created.createdAt) + 3_600_000);
      const touched = await store.touchLog("a");
      assert.ok((await at()) > Date.parse(created.createdAt) + 3_600_000);
      assert.equal(touched.expiresAt, (await store.getLog("a"))?.expiresAt);
      await new Promise((resolve) => setTimeout(resolve, 5));
      await store.append("a", numbered(1));
      assert.ok((await at()) > Date.parse(touched.expiresAt ?? ""));
    },
  },
  {
    name: "an expiry at a fixed time does not change",
    run: async ({ store }) => {
      const expiresAt = "2099-01-01T00:00:00.000Z";
      await store.createLog({ logId: "a", expiresAt });
      await store.append("a", numbered(1));
      assert.equal((await store.touchLog("a")).expiresAt, expiresAt);
      await store.createLog({ logId: "past", expiresAt: "2020-01-01T00:00:00Z" }).catch(() => undefined);
      assert.equal(await store.getLog("past"), null);
    },
  },
  {
    name: "a log has a valid time to live or a valid expiry, not both",
    run: async ({ store }) => {
      await rejects("invalid", store.createLog({ ttl: 1, expiresAt: "2099-01-01T00:00:00Z" }));
      for (const ttl of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
        await rejects("invalid", store.createLog({ ttl }));
      for (const expiresAt of ["tomorrow", "2099-13-01T00:00:00Z"]) {
        await rejects("invalid", store.createLog({ expiresAt }));
      }
    },
  },
  {
    name: "listLogs: in order of id, by prefix, page by page",
    run: async ({ store }) => {
      for (const logId of ["b/2", "a/1", "b/1", "b/3", "c", "B", "b%"]) await store.createLog({ logId });
      const ids: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof store.listLogs>> = await store.listLogs(
          present({ prefix: "b/", limit: 2, cursor: cursor ?? undefined }),
        );
        assert.ok(page.items.length <= 2);
        ids.push(...page.items.map((log) => log.logId));
        cursor = page.nextCursor;
      } while (cursor !== null);
      assert.deepEqual(ids, ["b/1", "b/2", "b/3"]);
    },
  },
  {
    name: "lists refuse an invalid limit or cursor",
    run: async ({ store }) => {
      await newLog(store);
      for (const limit of [0, -1, 1.5, 1_001]) await rejects("invalid", store.listLogs({ limit }));
      for (const cursor of ["", "?", "bm9uZQ"]) await rejects("invalid", store.listLogs({ cursor }));
    },
  },
  {
    name: "changedAfter with a mark lists all logs that changed since then",
    run: async ({ store }) => {
      const [a, b, c] = [await newLog(store), await newLog(store), await newLog(store)];
      const { mark } = await store.listLogs();
      const changed = async (): Promise<readonly string[]> =>
        (await store.listLogs({ changedAfter: mark })).items.map((log) => log.logId);
      await store.append(b, numbered(1));
      assert.ok((await changed()).includes(b));
      await store.closeLog(a);
      const after = await changed();
      assert.ok(after.includes(a) && after.includes(b));
      await eventually(async () => {
        const next = await store.listLogs();
        return (await store.listLogs({ changedAfter: next.mark })).items.length === 0;
      });
      await store.append(c, numbered(1));
      assert.ok((await changed()).includes(c));
    },
  },
  {
    name: "changedAfter with a time lists the logs that changed later",
    run: async ({ store }) => {
      const logId = await newLog(store, 1);
      const { changedAt } = (await store.getLog(logId)) ?? { changedAt: "" };
      const before = new Date(Date.parse(changedAt) - 1).toISOString();
      assert.equal((await store.listLogs({ changedAfter: before })).items.length, 1);
      assert.equal((await store.listLogs({ changedAfter: changedAt })).items.length, 0);
      await rejects("invalid", store.listLogs({ changedAfter: "yesterday" }));
    },
  },
  {
    name: "pages of changedAfter together list every log once",
    run: async ({ store }) => {
      const { mark } = await store.listLogs();
      const made = await Promise.all(Array.from({ length: 7 }, () => newLog(store, 1)));
      const changed = listAll((place) => store.listLogs({ changedAfter: mark, limit: 3, ...place }));
      const seen = await Array.fromAsync(changed, ({ logId }) => logId);
      assert.deepEqual(seen.sort(), [...made].sort());
    },
  },
];
