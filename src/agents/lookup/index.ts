/**
 * From a name to what reads and writes an agent's sessions, and from an id, a path or a wish to the session that is
 * meant. Adding an agent begins here.
 *
 * Promises: reading never writes but for the caller's own cache file; no agent is started; a name that could mean two
 * sessions is told, with both.
 * Does not know: any format, or what is done with a session.
 */

export { placesOfThisUser } from "./environment.ts";
export {
  findSessions,
  type ListOptions,
  listNativeSessions,
  listSessions,
  pick,
  type SessionList,
} from "./list.ts";
export { type Lookup, type LookupOptions, lookUpSession, type SessionRef } from "./lookup.ts";
export { READABLE_AGENTS, readerOf } from "./readers.ts";
export { resumeCommandOf } from "./resume-command.ts";
export { writerOf } from "./writers.ts";
