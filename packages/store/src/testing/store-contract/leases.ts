/** Leases and fencing. */

import assert from "node:assert/strict";
import { listAll } from "@continuo/core/model";
import { type ContractCase, eventually, newLog, numbered, rejects } from "./case.ts";

export const leaseCases: readonly ContractCase[] = [
  {
    name: "a lease is given to one owner at a time",
    run: async ({ store }) => {
      const lease = await store.acquireLease("x", { owner: "a" });
      assert.deepEqual([lease.name, lease.owner, lease.token], ["x", "a", 1]);
      const error = await rejects("lease_held", store.acquireLease("x", { owner: "b" }));
      assert.deepEqual([error.details.owner, error.details.expiresAt], ["a", lease.expiresAt]);
      assert.deepEqual(await store.getLease("x"), lease);
    },
  },
  {
    name: "if many callers ask for a lease at once, one gets it",
    run: async ({ store }) => {
      const results = await Promise.allSettled(
        Array.from({ length: 10 }, (_, n) => store.acquireLease("x", { owner: `o${n}` })),
      );
      assert.equal(results.filter((result) => result.status === "fulfilled").length, 1);
    },
  },
  {
    name: "tokens only grow, also after a release",
    run: async ({ store }) => {
      const tokens: number[] = [];
      for (let n = 0; n < 4; n++) {
        const lease = await store.acquireLease("x", { owner: `o${n}` });
        tokens.push(lease.token);
        await store.releaseLease(lease);
        assert.equal(await store.getLease("x"), null);
      }
      assert.deepEqual(tokens, [1, 2, 3, 4]);
    },
  },
  {
    name: "the owner of a lease can take it again, with a greater token",
    run: async ({ store }) => {
      const first = await store.acquireLease("x", { owner: "a" });
      const second = await store.acquireLease("x", { owner: "a" });
      assert.ok(second.token > first.token);
      await rejects("fenced", store.renewLease(first));
    },
  },
  {
    name: "an expired lease can be taken, and the old holder is fenced",
    run: async ({ store }) => {
      const old = await store.acquireLease("x", { owner: "a", ttlMs: 1 });
      await eventually(async () => (await store.getLease("x")) === null);
      const next = await store.acquireLease("x", { owner: "b" });
      assert.equal(next.token, old.token + 1);
      const error = await rejects("fenced", store.renewLease(old));
      assert.deepEqual([error.details.token, error.details.owner], [next.token, "b"]);
    },
  },
  {
    name: "listLeases: by prefix, page by page, with expired leases, without released ones",
    run: async ({ store }) => {
      const held = await store.acquireLease("room/a", { owner: "a" });
      const expired = await store.acquireLease("room/b", { owner: "b", ttlMs: 1 });
      await store.releaseLease(await store.acquireLease("room/c", { owner: "c" }));
      const other = await store.acquireLease("rooms", { owner: "d" });
      await eventually(async () => (await store.getLease("room/b")) === null);
      const first = await store.listLeases({ prefix: "room/", limit: 1 });
      assert.deepEqual(first.items, [{ ...held, state: "held" }]);
      assert.ok(first.nextCursor !== null);
      const second = await store.listLeases({ prefix: "room/", limit: 1, cursor: first.nextCursor });
      assert.deepEqual(second, { items: [{ ...expired, state: "expired" }], nextCursor: null });
      const all = (await store.listLeases()).items;
      assert.deepEqual(
        all.map(({ name }) => name),
        ["room/a", "room/b", other.name],
      );
    },
  },
  {
    name: "a lease that expired but was given to nobody can be renewed",
    run: async ({ store }) => {
      const lease = await store.acquireLease("x", { owner: "a", ttlMs: 1 });
      await eventually(async () => (await store.getLease("x")) === null);
      const renewed = await store.renewLease({ ...lease, ttlMs: 60_000 });
      assert.equal(renewed.token, lease.token);
      await rejects("lease_held", store.acquireLease("x", { owner: "b" }));
    },
  },
  {
    name: "a lease that has not expired is taken from the given holder, who is then fenced",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const old = await store.acquireLease("x", { owner: "a" });
      const next = await store.acquireLease("x", { owner: "b", takeFrom: old.token });
      assert.deepEqual([next.owner, next.token], ["b", old.token + 1]);
      await rejects("fenced", store.renewLease(old));
      await rejects("fenced", store.append(logId, numbered(1), { lease: old }));
      await store.releaseLease(old);
      assert.deepEqual(await store.getLease("x"), next);
      await store.append(logId, numbered(1), { lease: next });
      assert.equal(await store.latestSequence(logId), 1);
    },
  },
  {
    name: "a lease is not taken from its later owner, nor by an unknown token",
    run: async ({ store }) => {
      const old = await store.acquireLease("x", { owner: "a" });
      const next = await store.acquireLease("x", { owner: "b", takeFrom: old.token });
      for (const takeFrom of [old.token, 0, next.token + 1]) {
        const error = await rejects("lease_held", store.acquireLease("x", { owner: "c", takeFrom }));
        assert.deepEqual([error.details.owner, error.details.token], ["b", next.token]);
      }
    },
  },
  {
    name: "if many callers take a lease from the same holder at once, one gets it",
    run: async ({ store }) => {
      const { token: takeFrom } = await store.acquireLease("x", { owner: "a" });
      const results = await Promise.allSettled(
        Array.from({ length: 10 }, (_, n) => store.acquireLease("x", { owner: `o${n}`, takeFrom })),
      );
      assert.equal(results.filter((result) => result.status === "fulfilled").length, 1);
    },
  },
  {
    name: "renewing moves the expiry by the database's clock",
    run: async ({ store }) => {
      const lease = await store.acquireLease("x", { owner: "a", ttlMs: 1_000 });
      const renewed = await store.renewLease({ ...lease, ttlMs: 100_000 });
      assert.ok(Date.parse(renewed.expiresAt) - Date.parse(lease.expiresAt) >= 99_000);
    },
  },
  {
    name: "releasing a lease that was given to somebody else does nothing",
    run: async ({ store }) => {
      const old = await store.acquireLease("x", { owner: "a" });
      await store.releaseLease(old);
      const next = await store.acquireLease("x", { owner: "b" });
      await store.releaseLease(old);
      assert.deepEqual(await store.getLease("x"), next);
    },
  },
  {
    name: "an append with the newest lease is accepted, even if it has expired",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const lease = await store.acquireLease("x", { owner: "a", ttlMs: 1 });
      await store.append(logId, numbered(1), { lease });
      await eventually(async () => (await store.getLease("x")) === null);
      await store.append(logId, numbered(1), { lease });
      assert.equal(await store.latestSequence(logId), 2);
    },
  },
  {
    name: "an append with an older lease is fenced as soon as a greater token was given",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const old = await store.acquireLease("x", { owner: "a" });
      await store.append(logId, numbered(1), { lease: old });
      await store.releaseLease(old);
      await store.append(logId, numbered(1), { lease: old });
      const next = await store.acquireLease("x", { owner: "b" });
      const error = await rejects("fenced", store.append(logId, numbered(1), { lease: old }));
      assert.equal(error.details.token, next.token);
      await store.releaseLease(next);
      await rejects("fenced", store.append(logId, numbered(1), { lease: old }));
      assert.equal(await store.latestSequence(logId), 2);
    },
  },
  {
    name: "an append can release its lease, and is the last one under it",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const lease = await store.acquireLease("x", { owner: "a" });
      const also = [{ type: "lease_release", name: "x", token: lease.token }] as const;
      await rejects("conflict", store.append(logId, numbered(1), { lease, also, expectedSequence: 7 }));
      assert.deepEqual(await store.getLease("x"), lease);
      await store.append(logId, numbered(1), { lease, also });
      assert.equal(await store.getLease("x"), null);
      const next = await store.acquireLease("x", { owner: "b" });
      assert.equal(next.token, lease.token + 1);
      await rejects("fenced", store.append(logId, numbered(1), { lease, also }));
      await store.append(logId, numbered(1), { also });
      assert.deepEqual(await store.getLease("x"), next);
    },
  },
  {
    name: "many callers take a lease, append and release it with that append, one after another",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const old = await store.acquireLease("x", { owner: "old" });
      await store.releaseLease(old);
      const turn = async (owner: string): Promise<void> => {
        const lease = await store.acquireLease("x", { owner }).catch(() => null);
        if (lease === null) return turn(owner);
        // A writer with the lease of an earlier holder needs the same rows at the same time.
        const late = rejects("fenced", store.append(logId, numbered(1), { lease: old }));
        const also = [{ type: "lease_release", name: "x", token: lease.token }] as const;
        await store.append(logId, numbered(1), { lease, also });
        await late;
      };
      await Promise.all(Array.from({ length: 8 }, (_, n) => turn(`o${n}`)));
      assert.equal(await store.latestSequence(logId), 8);
      assert.equal(await store.getLease("x"), null);
    },
  },
  {
    name: "an append with a lease that was never given is fenced",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await rejects("fenced", store.append(logId, numbered(1), { lease: { name: "x", token: 1 } }));
      await store.acquireLease("x", { owner: "a" });
      await rejects("fenced", store.append(logId, numbered(1), { lease: { name: "x", token: 2 } }));
    },
  },
  {
    name: "the lease is checked before the expected sequence",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const options = { lease: { name: "x", token: 1 }, expectedSequence: 7 };
      await rejects("fenced", store.append(logId, numbered(1), options));
    },
  },
  {
    name: "an append without a lease needs none",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.acquireLease("x", { owner: "a" });
      assert.equal((await store.append(logId, numbered(1))).length, 1);
    },
  },
  {
    name: "a lease that does not exist cannot be renewed",
    run: async ({ store }) => {
      await rejects("not_found", store.renewLease({ name: "x", token: 1 }));
      await rejects("invalid", store.acquireLease("x", { owner: "a", ttlMs: 0 }));
    },
  },
  {
    name: "removeLeases forgets released leases, and the tokens of their names continue to grow",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const old = await store.acquireLease("room/a", { owner: "a" });
      const twice = await store.acquireLease("room/a", { owner: "a" });
      await store.releaseLease(twice);
      const held = await store.acquireLease("room/b", { owner: "b" });
      await store.acquireLease("room/c", { owner: "c", ttlMs: 1 });
      await eventually(async () => (await store.getLease("room/c")) === null);
      assert.equal(await store.removeLeases({ state: "released", endedForMs: 60_000 }), 0);
      assert.equal(await store.removeLeases({ state: "released", endedForMs: 0, prefix: "other/" }), 0);
      assert.equal(await store.removeLeases({ state: "released", endedForMs: 0, prefix: "room/" }), 1);
      const names = async (state: "held" | "expired" | "released"): Promise<readonly string[]> =>
        (await store.listLeases({ state })).items.map(({ name }) => name);
      assert.deepEqual(
        [await names("held"), await names("expired"), await names("released")],
        [["room/b"], ["room/c"], []],
      );
      for (const lease of [old, twice]) {
        await rejects("fenced", store.append(logId, numbered(1), { lease }));
        await rejects("not_found", store.renewLease(lease));
      }
      const again = await store.acquireLease("room/a", { owner: "d" });
      assert.ok(again.token > twice.token);
      for (const lease of [old, twice]) {
        await rejects("fenced", store.append(logId, numbered(1), { lease }));
        await rejects("fenced", store.renewLease(lease));
      }
      assert.deepEqual(await store.getLease("room/b"), held);
      await store.append(logId, numbered(1), { lease: held });
    },
  },
  {
    name: "removeLeases forgets expired leases only on request",
    run: async ({ store }) => {
      await store.acquireLease("run/a", { owner: "a", ttlMs: 1 });
      await store.acquireLease("seat/a", { owner: "a", ttlMs: 1 });
      const kept = await store.acquireLease("run/b", { owner: "b" });
      await eventually(async () => (await store.listLeases({ state: "expired" })).items.length === 2);
      assert.equal(await store.removeLeases({ state: "expired", endedForMs: 60_000 }), 0);
      assert.equal(await store.removeLeases({ state: "expired", endedForMs: 0, prefix: "run/" }), 1);
      assert.deepEqual(
        (await store.listLeases()).items.map(({ name }) => name),
        [kept.name, "seat/a"],
      );
      await rejects("invalid", store.removeLeases({ state: "held" as never, endedForMs: 0 }));
      await rejects("invalid", store.removeLeases({ state: "expired", endedForMs: -1 }));
    },
  },
  {
    name: "a name that is taken while leases are removed gets a token above the removed ones",
    run: async ({ store }) => {
      const turn = async (n: number): Promise<number> => {
        const lease = await store.acquireLease("busy", { owner: `o${n}` }).catch(() => null);
        if (lease === null) return turn(n);
        await store.releaseLease(lease);
        return lease.token;
      };
      const [tokens] = await Promise.all([
        Promise.all(Array.from({ length: 20 }, (_, n) => turn(n))),
        Promise.all(
          Array.from({ length: 20 }, () => store.removeLeases({ state: "released", endedForMs: 0 })),
        ),
      ]);
      assert.equal(new Set(tokens).size, 20);
    },
  },
  {
    name: "listLeases: expired leases by the time of their expiry, page by page",
    run: async ({ store }) => {
      for (const name of ["c", "a", "b"]) {
        await store.acquireLease(name, { owner: "x", ttlMs: 1 });
        await eventually(async () => (await store.getLease(name)) === null);
      }
      const expired = listAll((place) => store.listLeases({ state: "expired", limit: 2, ...place }));
      assert.deepEqual(await Array.fromAsync(expired, ({ name }) => name), ["c", "a", "b"]);
    },
  },
];
