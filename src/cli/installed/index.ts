/**
 * What is installed with the command: its version, and the files that ship beside it.
 *
 * Promises: the same answers from `src/` and from the bundle in `dist/`. Does not know: what the files are for.
 */

export { packageFolder, readVersion } from "./package.ts";
