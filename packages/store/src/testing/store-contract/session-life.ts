/** Cases about sessions: they begin, live and end together with their logs, and are listed by activity. */

import assert from "node:assert/strict";
import type { ListSessionsOptions, Session, Store } from "@continuo/core/model";
import { bytes, type ContractCase, eventually, newLog, numbered, readAll, rejects, said } from "./case.ts";

async function ids(store: Store, options: ListSessionsOptions = {}): Promise<readonly string[]> {
  return (await store.listSessions(options)).items.map((session) => session.sessionId);
}

export const sessionLifeCases: readonly ContractCase[] = [
  {
    name: "deleteLog of a session's log also deletes the session and its runs",
    run: async ({ store }) => {
      await store.createSession({ sessionId: "s" });
      await store.createRun({ sessionId: "s", runId: "r" });
      await store.deleteLog("s", { reason: "asked to" });
      assert.deepEqual([await store.getSession("s"), await store.getRun("r")], [null, null]);
      assert.deepEqual(await ids(store), []);
      await rejects("not_found", store.deleteSession("s"));
    },
  },
  {
    name: "a session whose log expired is gone, is no longer listed, and its runs are not claimed",
    run: async ({ store }) => {
      const made = await store.createSession({ sessionId: "s", ttl: 1 });
      assert.equal(made.ttl, 1);
      assert.ok(Date.parse(made.expiresAt ?? "") > Date.parse(made.createdAt));
      assert.deepEqual(await store.getSession("s"), made);
      await store.createSession({ sessionId: "stays" });
      await store.createRun({ sessionId: "s", runId: "r" });
      assert.deepEqual(await ids(store, { prefix: "s" }), ["stays", "s"]);
      await eventually(async () => (await store.getSession("s")) === null);
      assert.deepEqual(await ids(store), ["stays"]);
      assert.equal(await store.claimNextRun({ owner: "me" }), null);
      await rejects("not_found", store.updateSession("s", { title: "x" }));
      await rejects("not_found", store.createRun({ sessionId: "s" }));
      await rejects("not_found", store.deleteSession("s"));
      const anew = await store.createSession({ sessionId: "s" });
      assert.deepEqual([anew.ttl, anew.expiresAt], [undefined, undefined]);
      assert.equal(await store.getRun("r"), null);
    },
  },
  {
    name: "removeExpired removes only expired logs and sessions",
    run: async ({ store }) => {
      await store.createSession({ sessionId: "s", ttl: 0.2 });
      await store.createRun({ sessionId: "s", runId: "r" });
      await store.createLog({ logId: "l", ttl: 0.2 });
      await store.createSession({ sessionId: "stays", ttl: 1_000 });
      await eventually(async () => (await store.getLog("l")) === null && (await store.getLog("s")) === null);
      assert.equal(await store.removeExpired(), 2);
      assert.equal(await store.removeExpired(), 0);
      assert.equal(await store.getRun("r"), null);
      assert.equal((await store.listDeletedLogs({ logId: "s" })).items[0]?.reason, "expired");
      assert.deepEqual(await ids(store), ["stays"]);
    },
  },
  {
    name: "an append prolongs the life of a session",
    run: async ({ store }) => {
      const { expiresAt } = await store.createSession({ sessionId: "s", ttl: 60 });
      await new Promise((resolve) => setTimeout(resolve, 5));
      await store.append("s", [said("hi")]);
      assert.ok(((await store.getSession("s"))?.expiresAt ?? "") > (expiresAt ?? ""));
    },
  },
  {
    name: "a fork of a session's log can be a session, with everything up to the fork point",
    run: async ({ store }) => {
      await store.createSession({
        sessionId: "s",
        title: "T",
        agent: "pi",
        cwd: "/x",
        metadata: { providerSessionId: "native" },
      });
      await store.append("s", [said("one"), said("two")]);
      const fork = await store.createSession({
        sessionId: "f",
        title: "Another way",
        forkedFrom: { logId: "s", sequence: 2 },
      });
      const { title, agent, cwd, parentId, metadata, forkedFrom } = fork;
      assert.deepEqual(
        { title, agent, cwd, parentId, metadata, forkedFrom },
        {
          title: "Another way",
          agent: "pi",
          cwd: "/x",
          parentId: "s",
          metadata: {},
          forkedFrom: { logId: "s", sequence: 2 },
        },
      );
      const same = await store.createSession({ forkedFrom: { logId: "s", sequence: 1 } });
      assert.deepEqual([same.title, same.agent, same.cwd, same.parentId], ["T", "pi", "/x", "s"]);
      const events = await readAll(store, "f");
      assert.deepEqual(
        events.map((event) => event.type),
        ["session_created", "message_sent", "session_created"],
      );
      assert.deepEqual(
        [events[2]?.data, events[2]?.invalid],
        [
          { title: "Another way", agent: "pi", cwd: "/x", forkedFrom: { logId: "s", sequence: 2 } },
          undefined,
        ],
      );
      await store.deleteSession("s");
      assert.equal((await readAll(store, "f")).length, 3);
      assert.deepEqual((await store.getSession("f"))?.forkedFrom, { logId: "s", sequence: 2 });
      assert.equal((await store.verify("f")).ok, true);
    },
  },
  {
    name: "a session can be forked from the newest event of a log, but not from a missing log or a log of bytes",
    run: async ({ store }) => {
      const logId = await newLog(store, 3);
      const fork = await store.createSession({ forkedFrom: { logId } });
      assert.deepEqual([fork.parentId, fork.forkedFrom], [null, { logId, sequence: 3 }]);
      assert.equal(await store.latestSequence(fork.sessionId), 4);
      await rejects("not_found", store.createSession({ sessionId: "x", forkedFrom: { logId: "none" } }));
      await rejects(
        "out_of_range",
        store.createSession({ sessionId: "x", forkedFrom: { logId, sequence: 9 } }),
      );
      const binary = await store.createLog({ mediaType: "text/plain", events: [bytes("x")] });
      await rejects("invalid", store.createSession({ sessionId: "x", forkedFrom: { logId: binary.logId } }));
      await rejects(
        "invalid",
        store.createSession({ sessionId: "x", ttl: 1, expiresAt: "2999-01-01T00:00:00Z" }),
      );
      const expiresAt = "2001-01-01T00:00:00.000Z";
      await rejects("invalid", store.createSession({ sessionId: "x", expiresAt }));
      assert.deepEqual([await store.getSession("x"), await store.getLog("x")], [null, null]);
    },
  },
  {
    name: "sessions are ordered by their last append, also within a millisecond",
    run: async ({ store }) => {
      const ids = ["a", "b", "c"];
      for (const sessionId of ids) await store.createSession({ sessionId });
      const key = ({ lastActivityAt, activityOrder }: Session): string =>
        `${lastActivityAt} ${String(activityOrder).padStart(20, "0")}`;
      for (const id of [..."abcbacab"]) {
        await store.append(id, [said("hi")]);
        const { items } = await store.listSessions();
        if (items.some(({ activityOrder }) => activityOrder === undefined)) return;
        assert.equal(items.toSorted((x, y) => (key(x) < key(y) ? 1 : -1))[0]?.sessionId, id);
      }
    },
  },
  {
    name: "an append changes lastActivityAt",
    run: async ({ store }) => {
      const { lastActivityAt } = await store.createSession({ sessionId: "s" });
      await new Promise((resolve) => setTimeout(resolve, 5));
      await store.append("s", [said("hi")]);
      const session = await store.getSession("s");
      assert.ok((session?.lastActivityAt ?? "") > lastActivityAt);
      assert.equal(session?.lastActivityAt, (await store.getLog("s"))?.changedAt);
      assert.deepEqual((await store.listSessions()).items, [session]);
    },
  },
  {
    name: "listSessions by several statuses, and by one",
    run: async ({ store }) => {
      for (const status of ["open", "active", "idle", "closed"])
        await store.createSession({ sessionId: status, status });
      const sorted = async (options: ListSessionsOptions): Promise<readonly string[]> =>
        [...(await ids(store, options))].sort();
      assert.deepEqual(await sorted({ status: ["active", "idle"] }), ["active", "idle"]);
      assert.deepEqual(await sorted({ status: ["closed"] }), ["closed"]);
      assert.deepEqual(await sorted({ status: "open" }), ["open"]);
      assert.deepEqual(await sorted({ status: [] }), []);
    },
  },
  {
    name: "lists refuse invalid filters with an error code",
    run: async ({ store }) => {
      await store.createSession({ sessionId: "s" });
      for (const wrong of [{}, 1, [1], [{}], null, ["a", null], true]) {
        await rejects("invalid", store.listSessions({ status: wrong as never }));
        await rejects("invalid", store.listRuns({ status: wrong as never }));
      }
      for (const wrong of [{}, 1, ["a"], null, "a\u0000"]) {
        for (const filter of ["agent", "cwd", "parentId", "prefix"]) {
          await rejects("invalid", store.listSessions({ [filter]: wrong as never }));
        }
        for (const filter of ["sessionId", "owner"])
          await rejects("invalid", store.listRuns({ [filter]: wrong as never }));
        for (const filter of ["prefix", "status", "owner"]) {
          await rejects("invalid", store.listClaims({ [filter]: wrong as never }));
        }
        for (const filter of ["prefix", "owner", "state"]) {
          await rejects("invalid", store.listLeases({ [filter]: wrong as never }));
        }
        for (const filter of ["logId", "name"])
          await rejects("invalid", store.listCursors({ [filter]: wrong as never }));
        await rejects("invalid", store.listLogs({ prefix: wrong as never }));
        await rejects("invalid", store.listDeletedLogs({ logId: wrong as never }));
        await rejects("invalid", store.listTokens({ handle: wrong as never }));
        await rejects("invalid", store.listTokens({ state: wrong as never }));
      }
      for (const wrong of ["soon", 1, {}, null]) {
        await rejects("invalid", store.listSessions({ activeAfter: wrong as never }));
        await rejects("invalid", store.listSessions({ activeBefore: wrong as never }));
      }
      assert.deepEqual((await store.listRuns({ status: [] })).items, []);
    },
  },
  {
    name: "listSessions by last activity: exactly, whatever updatedAt says",
    run: async ({ store }) => {
      for (const sessionId of ["a", "b", "c"]) await store.createSession({ sessionId });
      await new Promise((resolve) => setTimeout(resolve, 5));
      await store.append("b", numbered(1));
      const time = (await store.getLog("b"))?.changedAt ?? "";
      await new Promise((resolve) => setTimeout(resolve, 5));
      await store.append("c", numbered(1));
      assert.deepEqual(await ids(store, { activeAfter: time }), ["c"]);
      assert.deepEqual([...(await ids(store, { activeBefore: time }))].sort(), ["a", "b"]);
      const before = new Date(Date.parse(time) - 1).toISOString();
      assert.deepEqual([...(await ids(store, { activeAfter: before }))].sort(), ["b", "c"]);
      assert.deepEqual(await ids(store, { activeAfter: before, activeBefore: time }), ["b"]);
    },
  },
];
