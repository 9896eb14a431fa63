/** Views: one store, seen from many workspaces. */

import assert from "node:assert/strict";
import { type ContractCase, newLog, numbered, readAll, rejects, said, sequencesOf } from "./case.ts";

export const viewCases: readonly ContractCase[] = [
  {
    name: "a view reads and writes in its own workspace only",
    run: async ({ store }) => {
      const view = store.forWorkspace(`${store.workspaceId}-view`);
      assert.equal(view.workspaceId, `${store.workspaceId}-view`);
      await store.createLog({ logId: "l", events: numbered(2) });
      assert.equal(await view.getLog("l"), null);
      await rejects("not_found", view.append("l", [said("x")]));
      await rejects("not_found", view.read("l"));
      await view.createLog({ logId: "l", events: numbered(1) });
      const lease = await store.acquireLease("lease", { owner: "a" });
      assert.equal((await view.acquireLease("lease", { owner: "b" })).token, 1);
      // The views alternate, so that the cached head of one log is never used for the other one.
      for (let n = 0; n < 5; n++) {
        await store.append("l", [said(`store ${n}`)], { lease });
        await view.append("l", [said(`view ${n}`)]);
      }
      assert.deepEqual([await store.latestSequence("l"), await view.latestSequence("l")], [7, 6]);
      assert.equal((await store.verify("l")).ok && (await view.verify("l")).ok, true);
      assert.deepEqual((await readAll(view, "l")).at(-1)?.data, { content: "view 4" });
      await view.createSession({ sessionId: "s" });
      await view.createRun({ sessionId: "s", runId: "r" });
      assert.deepEqual([await store.getSession("s"), await store.getRun("r")], [null, null]);
      assert.equal(await store.claimNextRun({ owner: "me" }), null);
      assert.equal((await view.claimNextRun({ owner: "me" }))?.runId, "r");
      assert.equal((await view.info()).sessions, 1);
      assert.equal((await store.info()).sessions, 0);
    },
  },
  {
    name: "a view of the same workspace sees the same data",
    run: async ({ store }) => {
      const view = store.forWorkspace(store.workspaceId);
      const logId = await newLog(view, 3);
      assert.equal(await store.latestSequence(logId), 3);
    },
  },
  {
    name: "closing a view closes nothing else, and it is unavailable afterwards",
    run: async ({ store }) => {
      const view = store.forWorkspace("v");
      const logId = await newLog(store, 1);
      await view.close();
      await view.close();
      for (const call of [() => view.info(), () => view.createLog(), async () => view.forWorkspace("w")]) {
        await rejects("unavailable", call);
      }
      assert.deepEqual(sequencesOf(await store.append(logId, [said("x")])), [2]);
      assert.equal((await store.forWorkspace("v").listLogs()).items.length, 0);
    },
  },
  {
    name: "closing a store waits for its views and closes them",
    needs: "shared",
    run: async ({ store, another }) => {
      const other = await another();
      const view = other.forWorkspace(`${store.workspaceId}-v`);
      const viewOfView = view.forWorkspace(store.workspaceId);
      const logId = await newLog(store);
      const appending = Promise.all(Array.from({ length: 5 }, () => viewOfView.append(logId, numbered(1))));
      await view.close();
      await other.close();
      await appending;
      assert.equal(await store.latestSequence(logId), 5);
      await rejects("unavailable", viewOfView.info());
    },
  },
  {
    name: "a tail of a view ends with the view, and does not end the tails of others",
    run: async ({ store }) => {
      const view = store.forWorkspace(store.workspaceId);
      const logId = await newLog(store);
      const ofStore = store.tail(logId)[Symbol.asyncIterator]();
      const ofView = view.tail(logId)[Symbol.asyncIterator]();
      const next = ofStore.next();
      const refused = rejects("unavailable", ofView.next());
      await new Promise((resolve) => setTimeout(resolve, 20));
      await view.close();
      await refused;
      await store.append(logId, [said("still here")]);
      assert.equal((await next).value?.sequence, 1);
      await ofStore.return?.();
    },
  },
  {
    name: "a workspace has a name",
    run: async ({ store }) => {
      for (const name of ["", "a\nb", "x".repeat(600)]) {
        assert.throws(() => store.forWorkspace(name), { name: "ContinuoError" });
      }
    },
  },
];
