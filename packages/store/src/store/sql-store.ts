/** The store over an engine: every method is a rule that the engine runs. */

import {
  type AppendOptions,
  type CallOptions,
  ContinuoError,
  type Coordination,
  cancellable,
  type LogReader,
  type NewEvent,
  type Principal,
  type PruneOptions,
  type RunStore,
  type SessionStore,
  type Store,
  type StoredEvent,
  type StoreInfo,
  type VerifyResult,
} from "@continuo/core/model";
import { accessStore } from "./access.ts";
import { auditStore, writeAudited } from "./audit.ts";
import { blobStore } from "./blobs/index.ts";
import { countedLease, type Engine, engineOfWorkspace, LIMITS, measuredAppend } from "./engine/index.ts";
import { methodOptions } from "./method-options.ts";
import * as rules from "./rules/index.ts";
import { SharedTails } from "./shared-tail.ts";
import { tail } from "./tail.ts";

/** The store, and the engine below it for tasks of operators. */
export interface OpenedStore extends Store {
  readonly engine: Engine;
  forWorkspace(workspaceId: string, by?: Principal): OpenedStore;
}

export function createStore(engine: Engine): OpenedStore {
  return openView({ tails: new SharedTails(), root: checkingSignals(engine) }, undefined);
}

/** The parts that all views of one store share. */
interface StoreParts {
  readonly tails: SharedTails;
  readonly root: Engine;
}

/** The parts of a store that its views need: a view is usable only while its store is open. */
interface Base {
  readonly closed: AbortSignal;
  readonly begun: Set<Promise<unknown>>;
  readonly workspaceId: string;
  readonly by: Principal | undefined;
}

/** The store itself, or a view of it from another workspace. */
function openView(shared: StoreParts, base: Base | undefined): OpenedStore {
  const { root, tails } = shared;
  const engine = base === undefined ? root : engineOfWorkspace(root, base.workspaceId, base.by);
  const closing = new AbortController();
  const closed = base === undefined ? closing.signal : AbortSignal.any([closing.signal, base.closed]);
  const begun = new Set<Promise<unknown>>();
  const end = async (): Promise<void> => {
    closing.abort(
      new ContinuoError("unavailable", "the store is closed", {
        hint: "Open it again with openStore.",
        details: { permanent: true },
      }),
    );
    await Promise.allSettled(begun);
    await engine.close();
  };
  let ended: Promise<void> | undefined;
  const close = (): Promise<void> => {
    ended ??= end();
    return ended;
  };
  const methods = {
    ...logReader(engine),
    ...logWriter(engine),
    ...sessionStore(engine),
    ...runStore(engine),
    ...coordination(engine),
    ...blobStore(engine),
    ...accessStore(engine),
    ...auditStore(engine),
    info: (options?: CallOptions) => readInfo(engine, options),
  };
  const all = base === undefined ? [begun] : [begun, base.begun];
  return {
    engine,
    workspaceId: engine.scope.workspaceId,
    forWorkspace: (workspaceId, by = engine.scope.by) => {
      rules.assertName("workspaceId", workspaceId);
      closed.throwIfAborted();
      const life = { closed: base?.closed ?? closed, begun: base?.begun ?? begun };
      return openView(shared, { ...life, workspaceId, by });
    },
    ...whileOpen(methods, closed, all),
    tail: (logId, options = {}) => {
      methodOptions("tail", [logId, options]);
      return tail({ engine, tails, closed }, logId, options);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

type Methods = Readonly<Record<string, (...given: never[]) => Promise<unknown>>>;

/**
 * The same methods with checks: calls are refused if the store is closed or an option is unknown, and running calls are
 * counted.
 */
function whileOpen<M extends Methods>(
  methods: M,
  closed: AbortSignal,
  begun: readonly Set<Promise<unknown>>[],
): M {
  const wrapped = Object.entries(methods).map(([name, method]) => [
    name,
    async (...given: never[]) => {
      closed.throwIfAborted();
      const { signal } = methodOptions(name, given);
      const begin = (): Promise<unknown> => method(...given);
      const call = signal === undefined ? begin() : cancellable(signal, begin);
      for (const calls of begun) calls.add(call);
      try {
        return await call;
      } finally {
        for (const calls of begun) calls.delete(call);
      }
    },
  ]);
  return Object.fromEntries(wrapped) as M;
}

function checkingSignals(engine: Engine): Engine {
  return {
    ...engine,
    read: async (rule, signal) => {
      signal?.throwIfAborted();
      return engine.read(rule, signal);
    },
    write: async (rule, signal) => {
      signal?.throwIfAborted();
      return engine.write(rule, signal);
    },
  };
}

function logReader(engine: Engine): Omit<LogReader, "tail"> {
  return {
    getLog: (logId, { signal } = {}) => engine.read((scope) => rules.getLog(scope, logId), signal),
    listLogs: async (options = {}) => {
      if (await engine.read(rules.mustEndMark, options.signal))
        await engine.write(rules.endMark, options.signal);
      return engine.read((scope) => rules.listLogs(scope, options), options.signal);
    },
    read: (logId, options = {}) => engine.read((scope) => rules.read(scope, logId, options), options.signal),
    readJoined: (logId, { signal, ...request }) =>
      engine.read((scope) => rules.readJoined(scope, logId, request), signal),
    latestSequence: async (logId, { signal } = {}) =>
      (await engine.read((scope) => rules.openLog(scope, logId, "read"), signal)).head_sequence,
  };
}

type LogWriter = Pick<
  Store,
  | "createLog"
  | "forkLog"
  | "touchLog"
  | "closeLog"
  | "deleteLog"
  | "listDeletedLogs"
  | "removeExpired"
  | "countEvents"
  | "readMedia"
  | "append"
  | "verify"
  | "prune"
  | "redact"
>;

function logWriter(engine: Engine): LogWriter {
  const createLog: Store["createLog"] = async ({ signal, events = [], ...request } = {}) => {
    const prepared = rules.prepareEvents(engine.scope, events);
    return engine.write((tx) => rules.createLog(tx, request, prepared), signal);
  };
  return {
    createLog,
    forkLog: (logId, atSequence, { newLogId, bytes, ...options } = {}) =>
      createLog({
        ...options,
        ...(newLogId === undefined ? {} : { logId: newLogId }),
        forkedFrom: { logId, sequence: atSequence, ...(bytes === undefined ? {} : { bytes }) },
      }),
    touchLog: (logId, { signal } = {}) => engine.write((tx) => rules.touchLog(tx, logId), signal),
    closeLog: (logId, { signal } = {}) => engine.write((tx) => rules.closeLog(tx, logId), signal),
    deleteLog: async (logId, { signal, reason = "deleted" } = {}) => {
      await writeAudited(
        engine,
        (tx) => rules.deleteLog(tx, logId, reason),
        () => ({ what: "log_deleted", target: logId, details: { reason } }),
        signal,
      );
      await removeHidden(engine, logId, signal);
    },
    listDeletedLogs: (options = {}) =>
      engine.read((scope) => rules.listDeletedLogs(scope, options), options.signal),
    append: (logId, events, options = {}) =>
      measuredAppend(events.length, () => append(engine, logId, events, options)),
    verify: (logId, options = {}) => verify(engine, logId, options),
    removeExpired: ({ signal } = {}) => removeExpired(engine, signal),
    countEvents: (logId, { signal, ...request } = {}) =>
      engine.read((scope) => rules.countEvents(scope, logId, request), signal),
    readMedia: (logId, { signal, ...request }) =>
      engine.read((scope) => rules.readMedia(scope, logId, request), signal),
    prune: (logId, options) => prune(engine, logId, options),
    redact: (logId, sequence, { signal, reason }) =>
      writeAudited(
        engine,
        (tx) => rules.redact(tx, logId, sequence, reason),
        () => ({ what: "event_redacted", target: logId, details: { sequence, reason } }),
        signal,
      ),
  };
}

async function prune(
  engine: Engine,
  logId: string,
  { signal, sequences, ...request }: PruneOptions,
): Promise<{ readonly pruned: number }> {
  let pruned = 0;
  for (const part of sequences === undefined ? [undefined] : partsOf(sequences)) {
    const page = part === undefined ? request : { ...request, sequences: part };
    for (let after: number | null = 0; after !== null; ) {
      const from: number = after;
      const { count, nextAfter } = await writeAudited(
        engine,
        (tx) => rules.prunePage(tx, logId, page, from),
        ({ count: events }) =>
          events === 0
            ? null
            : { what: "log_pruned", target: logId, details: { events, reason: request.reason } },
        signal,
      );
      pruned += count;
      after = nextAfter;
    }
  }
  return { pruned };
}

function partsOf(sequences: readonly number[]): readonly (readonly number[])[] {
  if (!Array.isArray(sequences)) throw rules.invalid("sequences is an array.");
  if (sequences.length > LIMITS.readEvents) {
    throw rules.tooLarge("Sequences to prune", LIMITS.readEvents, sequences.length);
  }
  const count = Math.ceil(sequences.length / rules.PRUNE_SEQUENCES);
  return Array.from({ length: count }, (_, n) =>
    sequences.slice(n * rules.PRUNE_SEQUENCES, (n + 1) * rules.PRUNE_SEQUENCES),
  );
}

const EXPIRED_PAGE = 100;
const LEASES_PAGE = 1_000;

async function removeExpired(engine: Engine, signal: AbortSignal | undefined): Promise<number> {
  let removed = 0;
  for (let more = true; more; ) {
    const logs = await engine.read((scope) => rules.expiredLogs(scope, EXPIRED_PAGE), signal);
    for (const { logId, state } of logs) {
      if (state === "expired") {
        await engine.write((tx) => rules.removeExpired(tx, logId), signal);
        removed++;
      }
      await removeHidden(engine, logId, signal);
    }
    more = logs.length === EXPIRED_PAGE;
  }
  return removed;
}

/** Events that a killed process leaves behind are removed later, together with expired logs. */
async function removeHidden(engine: Engine, logId: string, signal: AbortSignal | undefined): Promise<void> {
  const page = (): Promise<"more" | "gone"> => engine.write((tx) => rules.removeHidden(tx, logId), signal);
  while ((await page()) === "more");
}

async function removeLeases(
  engine: Engine,
  ended: rules.EndedLeases,
  signal: AbortSignal | undefined,
): Promise<number> {
  let removed = 0;
  for (let more = true; more; ) {
    const count = await engine.write((tx) => rules.removeLeases(tx, ended, LEASES_PAGE), signal);
    removed += count;
    more = count === LEASES_PAGE;
  }
  return removed;
}

async function append(
  engine: Engine,
  logId: string,
  events: readonly NewEvent[],
  options: AppendOptions,
): Promise<readonly StoredEvent[]> {
  const { expectedSequence, also = [], lease, mediaType, onlyNew = false, signal } = options;
  if (expectedSequence !== undefined) rules.assertSequence("expectedSequence", expectedSequence);
  if (!Array.isArray(events)) throw rules.invalid("append takes an array of events.");
  if (events.length === 0 && also.length === 0)
    throw rules.invalid("An append holds no events and no side writes.");
  const prepared = rules.prepareEvents(engine.scope, events);
  signal?.throwIfAborted();
  const request = {
    also,
    onlyNew,
    ...(expectedSequence === undefined ? {} : { expectedSequence }),
    ...(lease === undefined ? {} : { lease }),
    ...(mediaType === undefined ? {} : { mediaType }),
  };
  // An engine without a faster way awaits nothing before the write, so that the work begins immediately.
  if (engine.appendFast !== undefined) {
    const fast = await engine.appendFast(engine.scope, { logId, events: prepared, options });
    if (fast !== undefined) return fast;
    // If many callers compare and swap, most of them lose, and need not wait for the lock to learn that.
    const known =
      expectedSequence === undefined
        ? undefined
        : await engine.read((scope) => rules.checkAppend(scope, logId, prepared, request), signal);
    if (known !== undefined) return known;
  }
  return engine.write((tx) => rules.append(tx, logId, prepared, request), signal);
}

async function verify(engine: Engine, logId: string, { signal }: CallOptions): Promise<VerifyResult> {
  for (let so: rules.Verification = rules.BEGIN; ; ) {
    const next = await engine.read((scope) => rules.verifyPage(scope, logId, so), signal);
    if ("ok" in next) return next;
    so = next;
  }
}

function sessionStore(engine: Engine): SessionStore {
  return {
    createSession: ({ signal, ...session } = {}) =>
      engine.write((tx) => rules.createSession(tx, session), signal),
    getSession: (sessionId, { signal } = {}) =>
      engine.read((scope) => rules.getSession(scope, sessionId), signal),
    updateSession: (sessionId, patch, { signal } = {}) =>
      engine.write((tx) => rules.updateSession(tx, sessionId, patch), signal),
    listSessions: (options = {}) =>
      engine.read((scope) => rules.listSessions(scope, options), options.signal),
    deleteSession: async (sessionId, { signal, reason = "deleted" } = {}) => {
      await writeAudited(
        engine,
        (tx) => rules.deleteSession(tx, sessionId, reason),
        () => ({ what: "session_deleted", target: sessionId, details: { reason } }),
        signal,
      );
      await removeHidden(engine, sessionId, signal);
    },
  };
}

function runStore(engine: Engine): RunStore {
  return {
    createRun: ({ signal, sessionId, ...run }) =>
      engine.write((tx) => rules.createRun(tx, sessionId, run), signal),
    getRun: (runId, { signal } = {}) => engine.read((scope) => rules.getRun(scope, runId), signal),
    listRuns: (options = {}) => engine.read((scope) => rules.listRuns(scope, options), options.signal),
    transitionRun: (runId, { signal, to, lease, ...patch }) =>
      engine.write(
        (tx) => rules.transitionRun(tx, runId, { to, patch, ...(lease === undefined ? {} : { lease }) }),
        signal,
      ),
    claimNextRun: ({ signal, ...claim }) => engine.write((tx) => rules.claimNextRun(tx, claim), signal),
  };
}

function coordination(engine: Engine): Coordination {
  return {
    commitCursor: ({ logId, signal, ...request }) =>
      engine.write((tx) => rules.commitCursor(tx, logId, request), signal),
    getCursor: ({ logId, name, signal }) =>
      engine.read((scope) => rules.getCursor(scope, logId, name), signal),
    listCursors: (options = {}) => engine.read((scope) => rules.listCursors(scope, options), options.signal),
    resetCursor: ({ logId, name, sequence, signal }) =>
      engine.write((tx) => rules.resetCursor(tx, logId, name, sequence), signal),
    acquireLease: (name, { signal, ...request }) =>
      countedLease(
        engine.write((tx) => rules.acquireLease(tx, name, request), signal),
        { done: "acquired", failed: "refused" },
      ),
    renewLease: ({ name, token, ttlMs = rules.DEFAULT_LEASE_MS, signal }) =>
      countedLease(
        engine.write((tx) => rules.renewLease(tx, name, token, ttlMs), signal),
        { done: "renewed", failed: "lost" },
      ),
    releaseLease: ({ name, token, signal }) =>
      engine.write((tx) => rules.releaseLease(tx, name, token), signal),
    getLease: (name, { signal } = {}) => engine.read((scope) => rules.getLease(scope, name), signal),
    listLeases: (options = {}) => engine.read((scope) => rules.listLeases(scope, options), options.signal),
    removeLeases: ({ signal, ...ended }) => removeLeases(engine, ended, signal),
    getProducer: (logId, producerId, { signal } = {}) =>
      engine.read(function* (scope) {
        rules.assertName("producerId", producerId);
        const log = yield* rules.openLog(scope, logId, "read");
        const row = yield* rules.findProducer(scope, log.log_key, producerId);
        return row === undefined ? null : rules.toProducer(logId, row);
      }, signal),
    putClaim: ({ signal, ...claim }) => engine.write((tx) => rules.putClaim(tx, claim), signal),
    deleteClaim: ({ signal, ...claim }) => engine.write((tx) => rules.deleteClaim(tx, claim), signal),
    getClaim: (name, { signal } = {}) => engine.read((scope) => rules.getClaim(scope, name), signal),
    listClaims: (options = {}) => engine.read((scope) => rules.listClaims(scope, options), options.signal),
    putSnapshot: ({ logId, signal, ...snapshot }) =>
      engine.write((tx) => rules.putSnapshot(tx, logId, snapshot), signal),
    getLatestSnapshot: ({ logId, name, atSequence = Number.MAX_SAFE_INTEGER, signal }) =>
      engine.read((scope) => rules.getLatestSnapshot(scope, logId, name, atSequence), signal),
    deleteSnapshots: ({ signal, ...options }) =>
      engine.write((tx) => rules.deleteSnapshots(tx, options), signal),
  };
}

async function readInfo(engine: Engine, { signal }: CallOptions = {}): Promise<StoreInfo> {
  const counts = await engine.read((scope) => rules.countAll(scope), signal);
  return { ...(await engine.describe()), ...counts };
}
