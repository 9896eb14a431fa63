/**
 * The options of every method of a store. Unknown options are refused, because a misspelt `before` of `prune` would
 * prune everything.
 */

import {
  assertKnownOptions,
  type CallOptions,
  type Claim,
  type ClaimWrite,
  type KnownOptions,
  type ListedLease,
  type Store,
} from "@continuo/core/model";

type Method = {
  [Name in keyof Store]: Name extends "close" | "forWorkspace" | symbol
    ? never
    : Store[Name] extends (...given: never[]) => unknown
      ? Name
      : never;
}[keyof Store];

/** Options are the last parameter of a method. */
type OptionsOf<Name extends Method> =
  Required<Parameters<Store[Name]>> extends [...unknown[], infer Options]
    ? KnownOptions<Required<Options>>
    : never;

type IndexOf<Name extends Method> =
  Required<Parameters<Store[Name]>> extends [unknown, ...infer Others] ? Others["length"] : never;

const CALL = { signal: true } as const;
const PAGE = { ...CALL, limit: true, cursor: true } as const;
const CURSOR = { ...CALL, logId: true, name: true } as const;
/** A lease or a claim as the store returned it is an option too. */
const LEASE: KnownOptions<ListedLease & CallOptions> = {
  ...CALL,
  name: true,
  token: true,
  owner: true,
  expiresAt: true,
  state: true,
};
const CLAIM: KnownOptions<Claim & Pick<ClaimWrite, "onlyNext"> & CallOptions> = {
  ...CALL,
  onlyNext: true,
  name: true,
  generation: true,
  owner: true,
  status: true,
  data: true,
  updatedAt: true,
};
const LOG = {
  ...CALL,
  mediaType: true,
  ttl: true,
  expiresAt: true,
  metadata: true,
  events: true,
  state: true,
} as const;

/** The position of the options among the parameters, and their names. */
export const METHODS: { readonly [Name in Method]: readonly [index: IndexOf<Name>, known: OptionsOf<Name>] } =
  {
    getLog: [1, CALL],
    listLogs: [0, { ...PAGE, prefix: true, changedAfter: true }],
    read: [
      1,
      {
        ...CALL,
        after: true,
        before: true,
        limit: true,
        maxBytes: true,
        types: true,
        id: true,
        runId: true,
        texts: true,
        order: true,
      },
    ],
    readJoined: [1, { ...CALL, after: true, limit: true, maxBytes: true, separator: true }],
    tail: [1, { ...CALL, after: true, types: true }],
    latestSequence: [1, CALL],
    createLog: [0, { ...LOG, logId: true, forkedFrom: true }],
    forkLog: [2, { ...LOG, newLogId: true, bytes: true }],
    touchLog: [1, CALL],
    closeLog: [1, CALL],
    deleteLog: [1, { ...CALL, reason: true }],
    removeExpired: [0, CALL],
    listDeletedLogs: [0, { ...PAGE, logId: true }],
    append: [2, { ...CALL, expectedSequence: true, lease: true, also: true, mediaType: true, onlyNew: true }],
    countEvents: [1, { ...CALL, after: true, before: true, types: true, retention: true }],
    readMedia: [
      1,
      {
        ...CALL,
        fromMs: true,
        toMs: true,
        nearMs: true,
        retention: true,
        types: true,
        limit: true,
        maxBytes: true,
      },
    ],
    verify: [1, CALL],
    prune: [1, { ...CALL, reason: true, before: true, olderThan: true, types: true, sequences: true }],
    redact: [2, { ...CALL, reason: true }],
    info: [0, CALL],
    createSession: [
      0,
      {
        ...CALL,
        sessionId: true,
        status: true,
        title: true,
        agent: true,
        cwd: true,
        parentId: true,
        metadata: true,
        ttl: true,
        expiresAt: true,
        forkedFrom: true,
        claims: true,
      },
    ],
    getSession: [1, CALL],
    updateSession: [2, CALL],
    listSessions: [
      0,
      {
        ...PAGE,
        status: true,
        agent: true,
        cwd: true,
        parentId: true,
        prefix: true,
        metadata: true,
        activeAfter: true,
        activeBefore: true,
      },
    ],
    deleteSession: [1, { ...CALL, reason: true }],
    createRun: [
      0,
      {
        ...CALL,
        sessionId: true,
        runId: true,
        agent: true,
        input: true,
        metadata: true,
        priority: true,
        placeOf: true,
        delayMs: true,
      },
    ],
    getRun: [1, CALL],
    listRuns: [0, { ...PAGE, sessionId: true, status: true, owner: true, order: true }],
    transitionRun: [
      1,
      { ...CALL, to: true, lease: true, owner: true, result: true, error: true, metadata: true },
    ],
    claimNextRun: [0, { ...CALL, owner: true, sessionId: true, agents: true }],
    commitCursor: [0, { ...CURSOR, sequence: true, data: true }],
    getCursor: [0, CURSOR],
    listCursors: [0, { ...PAGE, logId: true, name: true }],
    resetCursor: [0, { ...CURSOR, sequence: true }],
    acquireLease: [1, { ...CALL, owner: true, ttlMs: true, takeFrom: true }],
    renewLease: [0, { ...LEASE, ttlMs: true }],
    releaseLease: [0, LEASE],
    getLease: [1, CALL],
    listLeases: [0, { ...PAGE, prefix: true, owner: true, state: true }],
    removeLeases: [0, { ...CALL, state: true, endedForMs: true, prefix: true }],
    getProducer: [2, CALL],
    getClaim: [1, CALL],
    putClaim: [0, CLAIM],
    deleteClaim: [0, CLAIM],
    listClaims: [0, { ...PAGE, prefix: true, status: true, owner: true }],
    putSnapshot: [0, { ...CURSOR, data: true, sequence: true }],
    getLatestSnapshot: [0, { ...CURSOR, atSequence: true }],
    deleteSnapshots: [0, { ...CALL, logId: true, name: true, before: true }],
    putBlob: [1, { ...CALL, mediaType: true, expiresAt: true }],
    openBlob: [1, CALL],
    statBlob: [1, CALL],
    listBlobs: [0, { ...PAGE, expiresBefore: true, expiresAfter: true }],
    setBlobExpiry: [2, CALL],
    collectBlobs: [0, { ...CALL, minAgeMs: true, only: true }],
    createToken: [
      0,
      {
        ...CALL,
        scopes: true,
        handle: true,
        anyHandle: true,
        label: true,
        issuedFrom: true,
        expiresAt: true,
      },
    ],
    authenticate: [1, CALL],
    getToken: [1, CALL],
    listTokens: [0, { ...PAGE, handle: true, state: true, tokenIds: true }],
    revokeToken: [1, CALL],
    removeTokens: [0, { ...CALL, endedBefore: true }],
    listWorkspaces: [0, CALL],
    putWebhookKey: [
      0,
      { ...CALL, version: true, keyId: true, algorithm: true, publicKey: true, privateKey: true },
    ],
    listWebhookKeys: [0, PAGE],
    retireWebhookKey: [1, CALL],
    listAudit: [0, { ...PAGE, since: true, who: true, what: true }],
    recordAudit: [0, { ...CALL, what: true, target: true, details: true }],
  };

/** The signal of a call. Errors: `usage` for an option that the method does not have. */
export function methodOptions(name: string, given: readonly unknown[]): CallOptions {
  if (!Object.hasOwn(METHODS, name)) return {};
  const [index, known] = METHODS[name as Method];
  const options = given[index];
  if (typeof options !== "object" || options === null) return {};
  assertKnownOptions(name, options, known);
  return options;
}
