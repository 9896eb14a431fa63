/**
 * `continuo store …`: info, verify, migrate, backup, restore, vacuum.
 *
 * Promises: SQLite is brought up to date when it is opened, and that is said; Postgres by `migrate` alone.
 * Does not know: how a store works.
 */

export { addStoreCommands } from "./commands.ts";
export { openForCommand, type StoreFlags } from "./opened.ts";
