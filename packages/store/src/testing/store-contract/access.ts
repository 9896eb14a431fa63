/** Tokens and webhook keys: who may call a server, and the keys that it signs with. */

import assert from "node:assert/strict";
import { type ContractCase, eventually, rejects } from "./case.ts";

const KEY = { keyId: "k1", algorithm: "Ed25519", publicKey: "public", privateKey: "private" };

export const tokenCases: readonly ContractCase[] = [
  {
    name: "createToken returns the secret once, and authenticate returns the token without it",
    run: async ({ store }) => {
      const issued = await store.createToken({
        scopes: ["channel:team:read", "channel:team:write", "channel:team:read"],
        handle: "ada",
        label: "Ada's laptop",
        issuedFrom: "loopback",
        expiresAt: "2999-01-01T00:00:00.000Z",
      });
      const { secret, ...token } = issued;
      const { tokenId, createdAt, ...rest } = token;
      assert.deepEqual(rest, {
        workspaceId: store.workspaceId,
        scopes: ["channel:team:read", "channel:team:write"],
        handle: "ada",
        label: "Ada's laptop",
        issuedFrom: "loopback",
        state: "active",
        expiresAt: "2999-01-01T00:00:00.000Z",
        revokedAt: null,
      });
      assert.ok(secret.length >= 40 && createdAt.endsWith("Z"));
      assert.deepEqual(await store.authenticate(secret), token);
      assert.deepEqual(await store.getToken(tokenId), token);
      assert.deepEqual((await store.listTokens()).items, [token]);
    },
  },
  {
    name: "authenticate returns null for every text that is not the secret of an active token",
    run: async ({ store }) => {
      const { secret, tokenId } = await store.createToken({ scopes: ["admin"] });
      const last = secret.endsWith("A") ? "B" : "A";
      const wrong = [
        "",
        tokenId,
        secret.slice(0, -1),
        secret.slice(0, -1) + last,
        `${secret} `,
        `${secret}\n`,
        secret.toUpperCase(),
        "x".repeat(10_000),
        undefined as never,
        { toString: () => secret } as never,
      ];
      for (const text of wrong) assert.equal(await store.authenticate(text), null);
      assert.equal((await store.authenticate(secret))?.tokenId, tokenId);
    },
  },
  {
    name: "a revoked token authenticates nobody, and stays in the list",
    run: async ({ store }) => {
      const { secret, tokenId } = await store.createToken({ scopes: ["admin"] });
      const revoked = await store.revokeToken(tokenId);
      assert.equal(revoked.state, "revoked");
      assert.ok(revoked.revokedAt !== null);
      assert.equal(await store.authenticate(secret), null);
      assert.deepEqual(await store.revokeToken(tokenId), revoked);
      assert.deepEqual((await store.listTokens({ state: "revoked" })).items, [revoked]);
      assert.deepEqual((await store.listTokens({ state: "active" })).items, []);
      await rejects("not_found", store.revokeToken("none"));
    },
  },
  {
    name: "a token expires by the database's clock",
    run: async ({ store }) => {
      const expiresAt = new Date(Date.now() + 300).toISOString();
      const { secret, tokenId } = await store.createToken({ scopes: ["admin"], expiresAt });
      await eventually(async () => (await store.authenticate(secret)) === null);
      assert.equal((await store.getToken(tokenId))?.state, "expired");
      assert.equal((await store.listTokens({ state: "expired" })).items.length, 1);
      assert.equal((await store.listTokens({ state: "active" })).items.length, 0);
    },
  },
  {
    name: "removeTokens forgets the tokens of this workspace that ended before a time",
    run: async ({ store }) => {
      const active = await store.createToken({ scopes: ["a"] });
      const revoked = await store.createToken({ scopes: ["a"] });
      await store.revokeToken(revoked.tokenId);
      const later = new Date(Date.now() + 60_000).toISOString();
      assert.equal(await store.removeTokens({ endedBefore: "2001-01-01T00:00:00.000Z" }), 0);
      assert.equal(await store.forWorkspace("elsewhere").removeTokens({ endedBefore: later }), 0);
      assert.equal(await store.removeTokens({ endedBefore: later }), 1);
      assert.deepEqual(
        (await store.listTokens()).items.map(({ tokenId }) => tokenId),
        [active.tokenId],
      );
      await rejects("invalid", store.removeTokens({ endedBefore: "yesterday" }));
    },
  },
  {
    name: "listWorkspaces returns the workspaces with a log or a token, from any of them",
    run: async ({ store }) => {
      const [own, other] = [store.workspaceId, `${store.workspaceId}-other`];
      await store.createLog();
      await store.forWorkspace(other).createToken({ scopes: ["a"] });
      const all = await store.forWorkspace(other).listWorkspaces();
      assert.deepEqual(
        all.filter((one) => one === own || one === other),
        [own, other],
      );
    },
  },
  {
    name: "createToken refuses a list of scopes that is empty or too long, invalid names and times in the past",
    run: async ({ store }) => {
      await rejects("invalid", store.createToken({ scopes: [] }));
      await rejects("invalid", store.createToken({ scopes: "admin" as never }));
      await rejects("invalid", store.createToken({ scopes: ["a\nb"] }));
      await rejects(
        "too_large",
        store.createToken({ scopes: Array.from({ length: 101 }, (_, n) => `s${n}`) }),
      );
      await rejects("invalid", store.createToken({ scopes: ["a"], handle: "" }));
      await rejects("too_large", store.createToken({ scopes: ["a"], label: "x".repeat(600) }));
      await rejects("invalid", store.createToken({ scopes: ["a"], issuedFrom: "moon" as never }));
      await rejects("invalid", store.createToken({ scopes: ["a"], expiresAt: "tomorrow" }));
      await rejects("invalid", store.createToken({ scopes: ["a"], expiresAt: "2001-01-01T00:00:00.000Z" }));
      assert.deepEqual((await store.listTokens()).items, []);
    },
  },
  {
    name: "createToken takes rights to exact names and to beginnings, whatever the names are",
    run: async ({ store }) => {
      const { tokenId } = await store.createToken({
        scopes: [
          "metrics",
          { kind: "channel", name: "team", access: "write" },
          { kind: "session", name: "x:read,write", access: "read" },
          { kind: "stream", beginsWith: "ann/", access: "read" },
          { kind: "live", beginsWith: "ann:", access: "write" },
          { kind: "channel", name: "team", access: "write" },
        ],
        anyHandle: true,
      });
      const token = await store.getToken(tokenId);
      assert.deepEqual(token?.scopes, [
        "metrics",
        "channel:team:read,write",
        "session:x:read,write:read",
        "stream:ann/*:read",
        "live:ann:*:read,write",
      ]);
      assert.equal(token.handle, "*");
    },
  },
  {
    name: "createToken refuses a name that would be a beginning, a right that is not one, and the handle of all",
    run: async ({ store }) => {
      const right = { kind: "session", access: "read" } as const;
      for (const name of ["*", "a*", "*a", "a*b", "", "a\nb", "a\u0085b", 7 as never]) {
        await rejects("invalid", store.createToken({ scopes: [{ ...right, name }] }));
        await rejects("invalid", store.createToken({ scopes: ["metrics", { ...right, beginsWith: name }] }));
      }
      for (const wrong of [
        right,
        { ...right, name: "a", beginsWith: "a" },
        { ...right, startsWith: "a" },
        { ...right, name: "a", names: ["b"] },
        { ...right, name: "a", kind: "machine" },
        { ...right, name: "a", kind: "toString" },
        { ...right, name: "a", access: "admin" },
        { ...right, name: "a", access: ["read"] },
        { kind: "session", name: "a" },
        ["session:a:read"],
        null,
      ])
        await rejects("invalid", store.createToken({ scopes: [wrong as never] }));
      const scopes = [{ ...right, name: "a" }];
      await rejects("too_large", store.createToken({ scopes: [{ ...right, name: "x".repeat(600) }] }));
      const { hint } = await rejects("invalid", store.createToken({ scopes, handle: "*" }));
      assert.match(hint ?? "", /anyHandle/u);
      await rejects("invalid", store.createToken({ scopes, handle: "*", anyHandle: false }));
      await rejects("invalid", store.createToken({ scopes, handle: "ann", anyHandle: true }));
      await rejects("invalid", store.createToken({ scopes, anyHandle: "yes" as never }));
      assert.deepEqual((await store.listTokens()).items, []);
    },
  },
  {
    name: "listTokens: oldest first, by handle, page by page",
    run: async ({ store }) => {
      const made: string[] = [];
      for (const handle of ["a", "b", "a"])
        made.push((await store.createToken({ scopes: ["x"], handle })).tokenId);
      const ids = async (options: object): Promise<readonly string[]> =>
        (await store.listTokens(options)).items.map((token) => token.tokenId);
      assert.deepEqual(await ids({}), made);
      assert.deepEqual(await ids({ handle: "a" }), [made[0], made[2]]);
      const { nextCursor } = await store.listTokens({ limit: 2 });
      assert.deepEqual(await ids({ limit: 2, cursor: nextCursor ?? "" }), [made[2]]);
    },
  },
  {
    name: "listTokens: for given ids, only the tokens that exist",
    run: async ({ store }) => {
      const made: string[] = [];
      for (let count = 0; count < 3; count++) made.push((await store.createToken({ scopes: ["x"] })).tokenId);
      const [first = "", , last = ""] = made;
      const ids = async (tokenIds: readonly string[]): Promise<readonly string[]> =>
        (await store.listTokens({ tokenIds })).items.map((token) => token.tokenId);
      assert.deepEqual(await ids([last, "none", first]), [first, last]);
      assert.deepEqual(await ids([]), []);
      await rejects("invalid", ids([""]));
      await rejects("too_large", ids(Array.from({ length: 501 }, (_, n) => `t${n}`)));
    },
  },
  {
    name: "a token of one workspace is in no list of another, but authenticates from every one",
    run: async ({ store }) => {
      await using other = store.forWorkspace(`${store.workspaceId}-other`);
      const { secret, tokenId } = await store.createToken({ scopes: ["x"] });
      assert.equal(await other.getToken(tokenId), null);
      assert.deepEqual((await other.listTokens()).items, []);
      await rejects("not_found", other.revokeToken(tokenId));
      assert.equal((await other.authenticate(secret))?.workspaceId, store.workspaceId);
    },
  },
];

export const webhookKeyCases: readonly ContractCase[] = [
  {
    name: "many callers that store the first webhook key at the same time all get the same key",
    run: async ({ store }) => {
      const keys = await Promise.all(
        Array.from({ length: 6 }, (_, n) => store.putWebhookKey({ ...KEY, version: 1, keyId: `k${n}` })),
      );
      for (const key of keys) assert.deepEqual(key, keys[0]);
      assert.deepEqual((await store.listWebhookKeys()).items, [keys[0]]);
    },
  },
  {
    name: "webhook keys have consecutive versions, newest first, and can be retired",
    run: async ({ store }) => {
      const first = await store.putWebhookKey({ ...KEY, version: 1 });
      const { createdAt: _, ...rest } = first;
      assert.deepEqual(rest, { ...KEY, version: 1, retiredAt: null });
      const gap = await rejects("conflict", store.putWebhookKey({ ...KEY, version: 3 }));
      assert.equal(gap.details.newest, 1);
      const second = await store.putWebhookKey({ ...KEY, version: 2, keyId: "k2" });
      const retired = await store.retireWebhookKey(1);
      assert.ok(retired.retiredAt !== null);
      assert.deepEqual((await store.listWebhookKeys()).items, [second, retired]);
      assert.deepEqual((await store.listWebhookKeys({ limit: 1 })).items, [second]);
      const { nextCursor } = await store.listWebhookKeys({ limit: 1 });
      assert.deepEqual(await store.listWebhookKeys({ limit: 1, cursor: nextCursor ?? "" }), {
        items: [retired],
        nextCursor: null,
      });
      await rejects("not_found", store.retireWebhookKey(3));
      await rejects("invalid", store.putWebhookKey({ ...KEY, version: 0 }));
    },
  },
];
