/**
 * Requests of pages to a server that may be away for a moment, and the events that it streams.
 *
 * Promises: each wait ends with its signal or after its limit; a reader that leaves closes its connection.
 * Does not know: what is asked.
 */

export { authorizationOf, httpAddress } from "./address.ts";
export { backOffMs } from "./back-off.ts";
export { eventData } from "./event-data.ts";
export { patiently, pause, type WaitLimit } from "./patiently.ts";
