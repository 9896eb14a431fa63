/**
 * Subscriptions of the Durable Streams protocol (`/v1/stream/__ds/*`): wake a worker when matching streams have
 * unacknowledged records.
 *
 * Promises: one worker at a time holds a wake, until everything is acknowledged; all servers of a database share the
 * subscriptions; the holder of an older generation cannot change anything; a wake survives the server that created
 * it.
 * Does not know: what the streams contain.
 */

export { assertWebhookKey } from "./keys.ts";
export { subscriptions } from "./routes.ts";
