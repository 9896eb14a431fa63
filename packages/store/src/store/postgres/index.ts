/**
 * The Postgres engine: many servers share one database.
 *
 * Promises: an acknowledged write is committed; a plain append is one statement; readers on other servers are
 * notified of an append.
 * Does not know: the rules that it executes.
 */

export { openPostgres, type PostgresOptions } from "./open.ts";
