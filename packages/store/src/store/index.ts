/**
 * The store: logs of events or bytes, and the rows that are written with them, on SQLite, on Postgres or in memory.
 *
 * Promises: everything in `Store` of the model, on every engine; an acknowledged write is durable; an engine is
 * loaded when it is opened.
 * Does not know: what events mean.
 */

export { LIMITS } from "./engine/index.ts";
export { defaultStorePath } from "./environment.ts";
export { type OpenStoreOptions, openStore } from "./open-store.ts";
export {
  backupStore,
  checkDatabase,
  followAudit,
  type LogVerification,
  moveBlobs,
  restoreStore,
  type VacuumResult,
  vacuumStore,
  verifyStore,
} from "./operate.ts";
export type { MoveBlobsOptions, MovedBlobs } from "./operations/index.ts";
export type { S3Settings } from "./s3/index.ts";
export type { OpenedStore } from "./sql-store.ts";
