/**
 * Sessions and keys: gets or creates the session of a key, and stores repeated input once.
 *
 * Promises: a key has one open session on all servers together, and so does a video whose tabs share their notes;
 * repeated input is stored once.
 * Does not know: who owns a session.
 */

export { acceptedEvents } from "./accepted-events.ts";
export { appendOnce, assertAccepted, storedAudio } from "./deduplication.ts";
export {
  findKey,
  joinKey,
  keysOf,
  listKeys,
  openKeys,
  sessionIdForInput,
  sessionIdOfKey,
  setKeyStatus,
} from "./keys.ts";
export {
  firstKeyOf,
  isLiveSession,
  isOfVideo,
  openLiveSession,
  parseSessionRequest,
} from "./open-session.ts";
export { findVideo, setVideo } from "./video-sessions.ts";
