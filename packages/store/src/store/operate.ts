/** The operator's calls on an opened store. */

import { setImmediate as otherWork } from "node:timers/promises";
import {
  type AuditEntry,
  assertKnownOptions,
  type CallOptions,
  cancellable,
  isContinuoError,
  listAll,
  present,
  type VerifyResult,
} from "@continuo/core/model";
import { auditFollower } from "./audit.ts";
import { sweepObjects } from "./blobs/index.ts";
import type { BackupResult, MoveBlobsOptions, MovedBlobs, RestoreResult } from "./operations/index.ts";
import { cursorProblems, sessionProblems } from "./projections.ts";
import { auditStatement, findOrphans } from "./rules/index.ts";
import type { OpenedStore } from "./sql-store.ts";

/**
 * Copies everything of all workspaces, at one moment, into one file. Errors: `conflict` if the file exists,
 * `unwritable`, `unavailable`.
 */
export async function backupStore(store: OpenedStore, file: string): Promise<BackupResult> {
  const result = await (await import("./operations/index.ts")).backup(store.engine, file);
  await store.recordAudit({ what: "store_backed_up", target: file, details: { events: result.events } });
  return result;
}

/**
 * Returns a function. Each call of it returns the entries of all workspaces since its previous call, at most 500; its
 * first call returns none.
 */
export function followAudit(store: OpenedStore): (options?: CallOptions) => Promise<readonly AuditEntry[]> {
  return auditFollower(store.engine);
}

/**
 * Restores a backup into an empty store, which may have another engine. Errors: `conflict`, `unreadable`,
 * `migration_required`, `schema_newer`.
 */
export async function restoreStore(store: OpenedStore, file: string): Promise<RestoreResult> {
  const { scope } = store.engine;
  const restored = auditStatement(scope, scope.by, { what: "store_restored", target: file });
  return (await import("./operations/index.ts")).restore(store.engine, file, restored);
}

/**
 * Moves the bytes of large blobs into files, the database or S3, while other programs use the store. Each copy is read
 * back before it counts. If a call was killed, call it again. Errors: `unsupported`, `corrupt`, `unavailable`.
 */
export async function moveBlobs(store: OpenedStore, options: MoveBlobsOptions): Promise<MovedBlobs> {
  assertKnownOptions("moveBlobs", options, {
    to: true,
    exceptMediaTypes: true,
    onMoved: true,
    signal: true,
  });
  return await cancellable(options.signal, async () =>
    (await import("./operations/index.ts")).moveBlobs(store.engine, options),
  );
}

export interface VacuumResult {
  readonly expiredLogs: number;
  readonly blobs: number;
  readonly blobBytes: number;
  /** Objects in S3 that killed processes left behind. */
  readonly objects: number;
}

/** Removes expired rows and blobs without a reference, and frees their space. */
export async function vacuumStore(store: OpenedStore, options: CallOptions = {}): Promise<VacuumResult> {
  assertKnownOptions("vacuumStore", options, { signal: true });
  const { signal } = options;
  const removed = await store.removeExpired(signal === undefined ? {} : { signal });
  const blobs = await store.collectBlobs(signal === undefined ? {} : { signal });
  const objects = await sweepObjects(store.engine, present({ signal }));
  await store.engine.vacuum();
  return { expiredLogs: removed, blobs: blobs.removed, blobBytes: blobs.sizeBytes, objects };
}

/** `ok` is false without `firstBadSequence` if the events are correct, but rows next to them are not. */
export type LogVerification = VerifyResult & { readonly logId: string };

/** Logs that are verified in one turn of the event loop: a short log has few rows, but takes several queries. */
const LOGS_OF_TURN = 8;

/**
 * Verifies every log of the workspace: its hashes, and the rows of sessions, runs and cursors that follow from its
 * events. Rows without a log or a session come last.
 */
export async function* verifyStore(
  store: OpenedStore,
  options: CallOptions = {},
): AsyncGenerator<LogVerification, void, void> {
  assertKnownOptions("verifyStore", options, { signal: true });
  const { signal } = options;
  const call = signal === undefined ? {} : { signal };
  let count = 0;
  for await (const { logId } of listAll((place) => store.listLogs({ ...call, ...place, limit: 500 }))) {
    if (++count % LOGS_OF_TURN === 0) await otherWork();
    try {
      const verified = await store.verify(logId, call);
      yield {
        logId,
        ...(verified.ok ? withRows(verified, await rowProblems(store, logId, call)) : verified),
      };
    } catch (error) {
      // The log was deleted after it was listed.
      if (!isContinuoError(error, "not_found") && !isContinuoError(error, "gone")) throw error;
    }
  }
  for (const { logId, reason } of await store.engine.read(findOrphans, signal)) {
    yield { logId, ok: false, checkedCount: 0, prunedCount: 0, reason };
  }
}

async function rowProblems(store: OpenedStore, logId: string, call: CallOptions): Promise<readonly string[]> {
  return [...(await sessionProblems(store, logId, call)), ...(await cursorProblems(store, logId, call))];
}

function withRows(verified: VerifyResult, problems: readonly string[]): VerifyResult {
  return problems.length === 0 ? verified : { ...verified, ok: false, reason: problems.join(" ") };
}

/**
 * Returns the damage that the database itself finds in its pages and indexes. For Postgres, use `pg_amcheck`.
 */
export function checkDatabase(store: OpenedStore): Promise<readonly string[]> {
  return store.engine.check();
}
