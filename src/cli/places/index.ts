/**
 * Where commands look for sessions and keep what is their own: this user's places, as the shell tells them, and
 * the examples that ship with Continuo.
 *
 * Promises: reads only.
 * Does not know: any command.
 */

export {
  cacheFileOf,
  examplePlaces,
  foldersLookedInto,
  hasSessions,
  type LocatedSession,
  locate,
  placesOf,
} from "./places.ts";
