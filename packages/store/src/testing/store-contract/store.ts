/** The store itself: opening it again, workspaces, closing, signals, errors. */

import assert from "node:assert/strict";
import { type ContractCase, newLog, numbered, readAll, rejects, said } from "./case.ts";

export const storeCases: readonly ContractCase[] = [
  {
    name: "stored data are present when the store is opened again",
    needs: "shared",
    run: async ({ another }) => {
      const first = await another();
      const { sessionId } = await first.createSession({ title: "T" });
      await first.append(sessionId, numbered(3));
      const events = await readAll(first, sessionId);
      await first.close();
      const second = await another();
      assert.deepEqual(await readAll(second, sessionId), events);
      assert.equal((await second.getSession(sessionId))?.title, "T");
    },
  },
  {
    name: "workspaces do not see each other's data",
    needs: "shared",
    run: async ({ store, another }) => {
      const other = await another(`${store.workspaceId}-other`);
      await store.createSession({ sessionId: "s", title: "mine" });
      await store.createRun({ sessionId: "s", runId: "r" });
      const lease = await store.acquireLease("l", { owner: "a" });
      const { hash } = await store.putBlob(new Uint8Array([1, 2, 3]));
      const also = [
        { type: "claim", name: "c", owner: "a", generation: 1 },
        { type: "cursor", name: "k", sequence: 1 },
      ] as const;
      await store.append("s", [{ ...said("x"), blobs: [hash] }], { also });
      assert.deepEqual(
        await Promise.all([
          other.getSession("s"),
          other.getLog("s"),
          other.getRun("r"),
          other.getLease("l"),
          other.getClaim("c"),
          other.statBlob(hash),
          other.claimNextRun({ owner: "b" }),
        ]),
        [null, null, null, null, null, null, null],
      );
      for (const page of await Promise.all([
        other.listLogs(),
        other.listSessions(),
        other.listRuns(),
        other.listCursors(),
        other.listClaims(),
      ])) {
        assert.deepEqual(page.items, []);
      }
      await rejects("not_found", other.read("s"));
      await rejects("not_found", other.forkLog("s", 1));
      await rejects("not_found", other.append("s", [said("x")]));
      await other.createSession({ sessionId: "s", title: "theirs" });
      assert.equal((await other.acquireLease("l", { owner: "b" })).token, 1);
      await rejects("not_found", other.append("s", [{ ...said("x"), blobs: [hash] }]));
      await rejects(
        "fenced",
        other.append("s", numbered(1), { lease: { name: "l", token: lease.token + 1 } }),
      );
      assert.equal((await other.collectBlobs({ minAgeMs: 0 })).removed, 0);
      assert.equal((await store.getSession("s"))?.title, "mine");
      assert.equal((await other.info()).events, 1);
    },
  },
  {
    name: "info counts the content of the workspace",
    run: async ({ store }) => {
      await store.createSession({ sessionId: "s" });
      await store.createRun({ sessionId: "s" });
      await newLog(store, 3);
      await store.putBlob(new Uint8Array(1));
      const { engine, location, schemaVersion, sizeBytes, ...counts } = await store.info();
      assert.deepEqual(counts, { logs: 2, events: 5, sessions: 1, runs: 1, blobs: 1 });
      assert.ok(engine.length > 0 && location.length > 0);
      assert.ok(schemaVersion > 0 && sizeBytes > 0);
    },
  },
  {
    name: "a closed store is unavailable, and closing again is fine",
    needs: "shared",
    run: async ({ another }) => {
      const store = await another();
      const logId = await newLog(store, 1);
      await store.close();
      await store.close();
      for (const call of [
        () => store.read(logId),
        () => store.append(logId, numbered(1)),
        () => store.getLog(logId),
        () => store.info(),
      ]) {
        await rejects("unavailable", call);
      }
    },
  },
  {
    name: "closing waits for calls that have begun",
    needs: "shared",
    run: async ({ store, another }) => {
      const other = await another();
      const logId = await newLog(store);
      const appending = Promise.all(Array.from({ length: 5 }, () => other.append(logId, numbered(1))));
      await other.close();
      await appending;
      assert.equal(await store.latestSequence(logId), 5);
    },
  },
  {
    name: "a store is closed at the end of its block",
    needs: "shared",
    run: async ({ another }) => {
      const store = await another();
      await store[Symbol.asyncDispose]();
      await rejects("unavailable", store.listLogs());
    },
  },
  {
    name: "a call whose signal is aborted does nothing",
    run: async ({ store }) => {
      const logId = await newLog(store, 1);
      const signal = AbortSignal.abort(new Error("stopped"));
      for (const call of [
        () => store.append(logId, numbered(1), { signal }),
        () => store.read(logId, { signal }),
        () => store.createLog({ logId: "x", signal }),
        () => store.deleteLog(logId, { signal }),
        () => store.putBlob(new Uint8Array(1), { signal }),
        () => store.listLogs({ signal }),
      ]) {
        await assert.rejects(call, /stopped/);
      }
      assert.equal(await store.latestSequence(logId), 1);
      assert.equal(await store.getLog("x"), null);
    },
  },
  {
    name: "every error has a code, a sentence and details",
    run: async ({ store }) => {
      const error = await rejects("not_found", store.read("none"));
      assert.match(error.message, /^there is no log none$/);
      assert.deepEqual(error.details, { logId: "none" });
      assert.ok((error.hint ?? "").length > 0);
    },
  },
];
