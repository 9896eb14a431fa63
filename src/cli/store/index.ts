/**
 * `continuo store …`: info, verify, migrate, backup, restore, vacuum.
 *
 * Promises: SQLite is migrated when it is opened, with a notice; Postgres is migrated only by `migrate`.
 * Does not know: how a store works.
 */

export { openForCommand, type StoreFlags } from "./command-store.ts";
export { addStoreCommands } from "./commands.ts";
