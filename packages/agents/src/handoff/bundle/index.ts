/**
 * Bundles: one native session as one file, with every file that its agent keeps for it, for another machine.
 *
 * Promises: a bundle was unpacked and read back before it is given out, and every file in it has its hash; the code
 * that unpacks a bundle trusts nothing in it: no path leads out of its folder, and every size is bounded.
 * Does not know: the format of any agent, or the later use of a session that was unpacked.
 */

export { copyRows } from "./database.ts";
export { isSafePath } from "./manifest.ts";
export { type PackedSession, packSession } from "./pack.ts";
export { type UnpackedSession, unpackBundle } from "./unpack.ts";
