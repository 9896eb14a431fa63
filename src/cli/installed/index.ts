/**
 * The content of the installation: the version, the files that ship with the command, and the compile cache.
 *
 * Promises: the same answers from `src/` and from the bundle in `dist/`.
 * Does not know: what the files are for.
 */

export { compileCacheFolder } from "./compile-cache.ts";
