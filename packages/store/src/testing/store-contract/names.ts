/** Names that people and workers have: leases that are listed, claims without a log. */

import assert from "node:assert/strict";
import { type ContractCase, eventually, newLog, rejects } from "./case.ts";

export const nameCases: readonly ContractCase[] = [
  {
    name: "listLeases: by owner and state, released ones on request, with their holder",
    run: async ({ store }) => {
      await store.acquireLease("channel/a/ada", { owner: "tab 1", ttlMs: 60_000 });
      await store.acquireLease("channel/a/bob", { owner: "tab 2", ttlMs: 1 });
      const given = await store.acquireLease("channel/a/cyd", { owner: "tab 3", ttlMs: 60_000 });
      await store.acquireLease("channel/b/ada", { owner: "tab 1", ttlMs: 60_000 });
      await store.releaseLease(given);
      await eventually(async () => (await store.getLease("channel/a/bob")) === null);
      const shown = async (options: object): Promise<unknown> =>
        (await store.listLeases(options)).items.map(({ name, owner, state, token }) =>
          [name, owner, state, token].join(" "),
        );
      const ofA = [
        "channel/a/ada tab 1 held 1",
        "channel/a/bob tab 2 expired 1",
        "channel/a/cyd tab 3 released 1",
      ];
      assert.deepEqual(await shown({ prefix: "channel/a/" }), ofA.slice(0, 2));
      assert.deepEqual(await shown({}), [...ofA.slice(0, 2), "channel/b/ada tab 1 held 1"]);
      assert.deepEqual(await shown({ owner: "tab 1" }), [ofA[0], "channel/b/ada tab 1 held 1"]);
      for (const [n, state] of (["held", "expired", "released"] as const).entries()) {
        assert.deepEqual(await shown({ prefix: "channel/a/", state }), [ofA[n]]);
      }
      const { nextCursor } = await store.listLeases({ limit: 2 });
      assert.deepEqual(await shown({ limit: 2, cursor: nextCursor ?? "" }), ["channel/b/ada tab 1 held 1"]);
      await store.acquireLease("channel/a/bob", { owner: "tab 9", ttlMs: 60_000 });
      assert.deepEqual(await shown({ prefix: "channel/a/b" }), ["channel/a/bob tab 9 held 2"]);
    },
  },
  {
    name: "putClaim takes and changes a claim by the rules of an append, without a log",
    run: async ({ store }) => {
      const results = await Promise.allSettled(
        ["a", "b", "c"].map((owner) => store.putClaim({ name: "sub", owner, generation: 1 })),
      );
      const taken = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      assert.equal(taken.length, 1);
      assert.deepEqual(await store.getClaim("sub"), taken[0]);
      const owner = taken[0]?.owner ?? "";
      for (let n = 0; n < 50; n++) {
        await store.putClaim({ name: "sub", owner, generation: 1, status: "waiting", data: { n } });
      }
      const { updatedAt: _, ...claim } = await store.putClaim({ name: "sub", owner: "d", generation: 2 });
      assert.deepEqual(claim, { name: "sub", owner: "d", generation: 2, status: "claimed", data: null });
      const stale = await rejects("fenced", store.putClaim({ name: "sub", owner, generation: 1 }));
      assert.deepEqual([stale.details.generation, stale.details.owner], [2, "d"]);
      await rejects("invalid", store.putClaim({ name: "", owner, generation: 3 }));
      assert.equal((await store.info()).logs, 0);
    },
  },
  {
    name: "deleteClaim deletes a claim only for its holder",
    run: async ({ store }) => {
      const held = { name: "sub", owner: "a", generation: 1 };
      await store.deleteClaim(held);
      await store.putClaim(held);
      await rejects("fenced", store.deleteClaim({ ...held, owner: "b" }));
      await rejects("fenced", store.deleteClaim({ ...held, generation: 2 }));
      await store.deleteClaim(held);
      assert.equal(await store.getClaim("sub"), null);
      const logId = await newLog(store);
      await store.append(logId, [], { also: [{ type: "claim", ...held, owner: "b" }] });
      assert.equal((await store.getClaim("sub"))?.owner, "b");
    },
  },
];
