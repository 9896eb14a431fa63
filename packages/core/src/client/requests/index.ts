/**
 * Requests of pages to a server that may be away for a moment, the events that it streams, and the obstacles on the way
 * to it.
 *
 * Promises: each wait ends with its signal or after its limit; a reader that leaves closes its connection; nothing that
 * names a user follows a redirect.
 * Does not know: what is asked.
 */

export { assertServerUrl, authorizationOf, CHECK_SERVER, httpAddress, socketAddress } from "./address.ts";
export { backOffMs, OBSTACLE_TRIES, obstacleAt } from "./back-off.ts";
export { eventData } from "./event-data.ts";
export { newIds, patiently, pause, type WaitLimit } from "./patiently.ts";
export { fetchThere, isRedirect, redirected } from "./same-server.ts";
