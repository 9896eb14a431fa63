/**
 * The schema of the store: its tables as types, and the migrations that create them.
 *
 * Promises: the same logical schema on every engine.
 * Does not know: rules, connections, files.
 */

export {
  MIGRATION_TIMES,
  MIGRATIONS,
  type Migration,
  migrate,
  readSchemaVersion,
  SCHEMA_VERSION,
} from "./migrate.ts";
export {
  type AuditTable,
  type DeletedLogTable,
  type EventTable,
  type LogTable,
  type RunTable,
  type Schema,
  type SessionTable,
  TABLES,
  type TokenTable,
  type WebhookKeyTable,
} from "./tables.ts";
