/**
 * What is installed with the command: its version, the files that ship beside it, and what is kept of compiling it.
 *
 * Promises: the same answers from `src/` and from the bundle in `dist/`. Does not know: what the files are for.
 */

export { compiledFolder } from "./compiled.ts";
export { packageFolder, readVersion } from "./package.ts";
