/**
 * The store: logs of events or bytes and what is written together with them, on SQLite, on Postgres, or
 * in memory.
 *
 * Promises: everything in `Store` of the model, on every engine alike; acknowledged means durable; engines
 * are loaded when they are opened. Knows nothing of what events mean.
 */

export { LIMITS } from "./engine/index.ts";
export { defaultStorePath } from "./environment.ts";
export { type OpenStoreOptions, openStore } from "./open-store.ts";
export {
  backupStore,
  type LogVerification,
  restoreStore,
  type VacuumResult,
  vacuumStore,
  verifyStore,
} from "./operate.ts";
export type { OpenedStore } from "./sql-store.ts";
