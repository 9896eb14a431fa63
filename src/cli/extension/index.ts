/**
 * `continuo extension`: prints where the browser extension is, and the three steps to the first note.
 *
 * Promises: nothing is installed or changed; the folder that is printed is the build of this version.
 * Does not know: how the extension is connected, which its panel and the server do.
 */

export { addExtensionCommand } from "./commands.ts";
