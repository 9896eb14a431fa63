/**
 * The schema of the store: its tables as types, and the migrations that make them.
 *
 * Promises: the same logical schema on every engine. Knows nothing of rules, connections or files.
 */

export { migrate, readSchemaVersion, SCHEMA_VERSION } from "./migrate.ts";
export {
  type EventTable,
  type LogTable,
  type RunTable,
  type Schema,
  type SessionTable,
  TABLES,
} from "./tables.ts";
