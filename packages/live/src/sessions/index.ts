/**
 * Sessions and keys: gets or creates the session of a key, and stores repeated input once.
 *
 * Promises: one key has one open session on all servers; input that is sent again is stored once.
 * Does not know: who owns a session.
 */

export { appendOnce, assertAccepted, storedAudio } from "./deduplication.ts";
export { findKey, listKeys, setKey } from "./keys.ts";
export { isLiveSession, openLiveSession, parseSessionRequest } from "./open-session.ts";
