/** Refusals of calls that write rows without events. */

import { test } from "vitest";
import {
  FENCED,
  HASH,
  KEY,
  NO_LOG,
  NO_NAME,
  NO_TIME,
  PAST,
  type Refusal,
  refusedAsGone,
  refusing,
  TOO_LARGE,
} from "./world.ts";

const CURSORS: readonly Refusal[] = [
  [(store) => store.commitCursor({ logId: "", name: "c" }), `the logId ${NO_NAME}`, {}],
  [(store) => store.commitCursor({ logId: "log", name: "" }), `the name of a cursor ${NO_NAME}`, {}],
  [
    (store) => store.commitCursor({ logId: "log", name: "c", sequence: -1 }),
    "the sequence of a cursor must be a sequence (a whole number of at least 0)",
    {},
  ],
  [
    (store) => store.commitCursor({ logId: "log", name: "c", sequence: 3 }),
    "the log log has not reached sequence 3",
    { code: "out_of_range", logId: "log", sequence: 3, latestSequence: 2 },
  ],
  [
    (store) => store.commitCursor({ logId: "none", name: "c", sequence: 1 }),
    "there is no log none",
    { code: "not_found", hint: NO_LOG, logId: "none" },
  ],
  refusedAsGone((store) => store.commitCursor({ logId: "hidden", name: "c" })),
  refusedAsGone((store) => store.getCursor({ logId: "hidden", name: "c" })),
  refusedAsGone((store) => store.resetCursor({ logId: "hidden", name: "c", sequence: 1 })),
  [
    (store) => store.commitCursor({ logId: "log", name: "c", data: "x".repeat(16_383) }),
    "bytes of a cursor's data: 16385 is more than the limit of 16384",
    { code: "too_large", hint: TOO_LARGE, what: "bytes of a cursor's data", limit: 16_384, size: 16_385 },
  ],
  [(store) => store.getCursor({ logId: "log", name: "" }), `the name of a cursor ${NO_NAME}`, {}],
  [(store) => store.getCursor({ logId: "", name: "c" }), `the logId ${NO_NAME}`, {}],
  [(store) => store.resetCursor({ logId: "log", name: "" }), `the name of a cursor ${NO_NAME}`, {}],
  [(store) => store.resetCursor({ logId: "", name: "c" }), `the logId ${NO_NAME}`, {}],
  ...["logId", "name"].map(
    (filter): Refusal => [(store) => store.listCursors({ [filter]: 7 }), `the ${filter} must be a text`, {}],
  ),
];

const LEASES: readonly Refusal[] = [
  [(store) => store.acquireLease("", { owner: "bob" }), `the name of a lease ${NO_NAME}`, {}],
  [(store) => store.acquireLease("lease", { owner: "" }), `the owner of a lease ${NO_NAME}`, {}],
  ...[0, 0.5].map(
    (ttlMs): Refusal => [
      (store) => store.acquireLease("lease", { owner: "ada", ttlMs }),
      "the ttlMs of a lease must be a whole number above 0",
      {},
    ],
  ),
  [
    (store) => store.acquireLease("lease", { owner: "bob" }),
    "the lease lease is held by ada",
    {
      code: "lease_held",
      hint: "Wait until it is released or expires.",
      name: "lease",
      owner: "ada",
      token: 1,
      expiresAt: "2026-01-01T00:01:00.000Z",
      leftMs: 60_000,
    },
  ],
  [
    (store) => store.renewLease({ name: "lease", token: 2 }),
    "the lease lease was granted to ada",
    { code: "fenced", hint: FENCED, name: "lease", token: 1, owner: "ada" },
  ],
  [
    (store) => store.renewLease({ name: "none", token: 1 }),
    "there is no lease none",
    { code: "not_found", id: "none" },
  ],
  [(store) => store.renewLease({ name: "", token: 1 }), `the name of a lease ${NO_NAME}`, {}],
  [(store) => store.releaseLease({ name: "", token: 1 }), `the name of a lease ${NO_NAME}`, {}],
  [(store) => store.getLease(""), `the name of a lease ${NO_NAME}`, {}],
  ...["prefix", "owner"].map(
    (filter): Refusal => [(store) => store.listLeases({ [filter]: 7 }), `the ${filter} must be a text`, {}],
  ),
  [
    (store) => store.listLeases({ state: "lost" as never }),
    "the state of a lease must be held, expired or released",
    {},
  ],
];

const CLAIMS: readonly Refusal[] = [
  ...["name", "owner", "status"].map(
    (key): Refusal => [
      (store) => store.putClaim({ name: "claim", owner: "ada", generation: 1, [key]: "" }),
      `the ${key} of a claim ${NO_NAME}`,
      {},
    ],
  ),
  ...[0, 1.5].map(
    (generation): Refusal => [
      (store) => store.putClaim({ name: "claim", owner: "ada", generation }),
      "the generation of a claim must be at least 1",
      {},
    ],
  ),
  [
    (store) => store.putClaim({ name: "claim", owner: "bob", generation: 1 }),
    "the claim claim is in generation 1",
    { code: "fenced", hint: FENCED, name: "claim", generation: 1, owner: "ada" },
  ],
  [
    (store) => store.putClaim({ name: "new", owner: "bob", generation: 2 }),
    "the claim new is in generation 0",
    { code: "fenced", hint: FENCED, name: "new", generation: 0, owner: "" },
  ],
  [
    (store) => store.deleteClaim({ name: "claim", owner: "bob", generation: 1 }),
    "the claim claim is in generation 1",
    { code: "fenced", hint: FENCED, name: "claim", generation: 1, owner: "ada" },
  ],
  [
    (store) => store.deleteClaim({ name: "", owner: "ada", generation: 1 }),
    `the name of a claim ${NO_NAME}`,
    {},
  ],
  [(store) => store.getClaim(""), `the name of a claim ${NO_NAME}`, {}],
  ...["prefix", "status", "owner"].map(
    (filter): Refusal => [(store) => store.listClaims({ [filter]: 7 }), `the ${filter} must be a text`, {}],
  ),
];

const ACCESS: readonly Refusal[] = [
  [(store) => store.createToken({ scopes: [] }), "a token must have at least one scope", {}],
  [(store) => store.createToken({ scopes: "all" as never }), "a token must have at least one scope", {}],
  [(store) => store.createToken({ scopes: [""] }), `the scope of a token ${NO_NAME}`, {}],
  [
    (store) => store.createToken({ scopes: new Array(101).fill("a") }),
    "scopes of a token: 101 is more than the limit of 100",
    { code: "too_large", hint: TOO_LARGE, what: "scopes of a token", limit: 100, size: 101 },
  ],
  [(store) => store.createToken({ scopes: ["a"], handle: "" }), `the handle of a token ${NO_NAME}`, {}],
  [
    (store) => store.createToken({ scopes: ["a"], label: 7 as never }),
    "the label of a token must be a text",
    {},
  ],
  [
    (store) => store.createToken({ scopes: ["a"], label: "x".repeat(513) }),
    "the label of a token: 513 is more than the limit of 512",
    { code: "too_large", hint: TOO_LARGE, what: "the label of a token", limit: 512, size: 513 },
  ],
  [
    (store) => store.createToken({ scopes: ["a"], issuedFrom: "moon" as never }),
    "issuedFrom of a token must be loopback or network",
    {},
  ],
  [
    (store) => store.createToken({ scopes: ["a"], expiresAt: "soon" }),
    `the expiresAt of a token ${NO_TIME}`,
    {},
  ],
  [
    (store) => store.createToken({ scopes: ["a"], expiresAt: PAST }),
    "cannot create a token that has already expired",
    { expiresAt: PAST },
  ],
  [(store) => store.getToken(""), `the tokenId ${NO_NAME}`, {}],
  [(store) => store.revokeToken("none"), "there is no token none", { code: "not_found", id: "none" }],
  [(store) => store.removeTokens({ endedBefore: "soon" }), `the endedBefore ${NO_TIME}`, {}],
  [(store) => store.listTokens({ handle: 7 as never }), "the handle must be a text", {}],
  [
    (store) => store.listTokens({ state: "lost" as never }),
    "the state of a token must be active, expired or revoked",
    {},
  ],
  ...["keyId", "algorithm"].map(
    (key): Refusal => [
      (store) => store.putWebhookKey({ ...KEY, version: 1, [key]: "" }),
      `the ${key} of a webhook key ${NO_NAME}`,
      {},
    ],
  ),
  [
    (store) => store.putWebhookKey({ ...KEY, version: 1, publicKey: 7 as never }),
    "the public key must be a text",
    {},
  ],
  [
    (store) => store.putWebhookKey({ ...KEY, version: 1, privateKey: 7 as never }),
    "the private key must be a text",
    {},
  ],
  ...[0, 1.5].flatMap((version): readonly Refusal[] => [
    [
      (store) => store.putWebhookKey({ ...KEY, version }),
      "the version of a webhook key must be at least 1",
      {},
    ],
    [(store) => store.retireWebhookKey(version), "the version of a webhook key must be at least 1", {}],
  ]),
  [
    (store) => store.putWebhookKey({ ...KEY, version: 3 }),
    "the newest webhook key has version 1, so the next one must have version 2",
    { code: "conflict", version: 3, newest: 1 },
  ],
  [(store) => store.retireWebhookKey(2), "there is no webhook key 2", { code: "not_found", id: "2" }],
];

const BLOBS: readonly Refusal[] = [
  [(store) => store.setBlobExpiry(HASH, "soon"), `the expiresAt of a blob ${NO_TIME}`, {}],
  [(store) => store.setBlobExpiry(HASH, null), `there is no blob ${HASH}`, { code: "not_found", id: HASH }],
  ...["expiresBefore", "expiresAfter"].map(
    (filter): Refusal => [(store) => store.listBlobs({ [filter]: "soon" }), `the ${filter} ${NO_TIME}`, {}],
  ),
];

const expectRefusals = refusing();

test.each([
  ["cursors", CURSORS],
  ["leases", LEASES],
  ["claims", CLAIMS],
  ["tokens and keys", ACCESS],
  ["blobs", BLOBS],
] as const)("a refusal about %s names the mistake, its subject, and what to do", async (_what, refusals) => {
  await expectRefusals(refusals);
});
