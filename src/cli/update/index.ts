/**
 * `continuo update`: reports whether there is a newer release, what it changes, and how to install it.
 *
 * Promises: only this command sends a request, and only if the person configured an address; nothing is installed.
 * Does not know: how a release is made.
 */

export { addUpdateCommand } from "./commands.ts";
export { isAfter, type Release, releasesIn } from "./releases.ts";
