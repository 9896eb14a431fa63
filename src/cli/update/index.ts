/**
 * `continuo update`: says whether there is a newer release, what it changes, and how to install it.
 *
 * Promises: an address is asked only where the person configured one, and only by this command; nothing is installed.
 * Does not know: how a release is made.
 */

export { addUpdateCommand } from "./commands.ts";
export { isAfter, type Release, releasesIn } from "./releases.ts";
