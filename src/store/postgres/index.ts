/**
 * The Postgres engine: many servers, one database.
 *
 * Promises: acknowledged means committed; a plain append is one statement; what one server appends, the
 * others' readers hear of. Knows nothing of the rules that it runs.
 */

export { openPostgres, type PostgresOptions } from "./open.ts";
