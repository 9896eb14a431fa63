/** The operator's calls on an opened store. */

import type { CallOptions, VerifyResult } from "../model/index.ts";
import type { BackupResult, RestoreResult } from "./operations/index.ts";
import { expiredLogs, removeExpired } from "./rules/index.ts";
import type { OpenedStore } from "./sql-store.ts";

/** Everything of all workspaces in one file, as it is at one moment. Errors: `conflict` when the file is there. */
export async function backupStore(store: OpenedStore, file: string): Promise<BackupResult> {
  return (await import("./operations/index.ts")).backup(store.engine, file);
}

/** A backup into an empty store, of another engine too. Errors: `conflict`, `unreadable`, `migration_required`. */
export async function restoreStore(store: OpenedStore, file: string): Promise<RestoreResult> {
  return (await import("./operations/index.ts")).restore(store.engine, file);
}

export interface VacuumResult {
  readonly expiredLogs: number;
  readonly blobs: number;
  readonly blobBytes: number;
}

const PAGE = 100;

/** Removes what expired and blobs that nothing refers to, and gives space back. */
export async function vacuumStore(store: OpenedStore, { signal }: CallOptions = {}): Promise<VacuumResult> {
  const { engine } = store;
  let removed = 0;
  for (let more = true; more; ) {
    const logIds = await engine.read((scope) => expiredLogs(scope, PAGE), signal);
    for (const logId of logIds) await engine.write((tx) => removeExpired(tx, logId), signal);
    removed += logIds.length;
    more = logIds.length === PAGE;
  }
  const blobs = await store.collectBlobs(signal === undefined ? {} : { signal });
  await engine.vacuum();
  return { expiredLogs: removed, blobs: blobs.removed, blobBytes: blobs.sizeBytes };
}

export type LogVerification = VerifyResult & { readonly logId: string };

/** Every log of the workspace. */
export async function* verifyStore(
  store: OpenedStore,
  { signal }: CallOptions = {},
): AsyncGenerator<LogVerification, void, void> {
  let cursor: string | undefined;
  const call = signal === undefined ? {} : { signal };
  do {
    const page = await store.listLogs({ ...call, limit: 500, ...(cursor === undefined ? {} : { cursor }) });
    for (const { logId } of page.items) yield { logId, ...(await store.verify(logId, call)) };
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
