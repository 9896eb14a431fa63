/**
 * The flags that `chat` and `repl` share.
 *
 * Promises: loads nothing but the descriptions.
 * Does not know: what the flags do.
 */

export { addTalkOptions, parseTime } from "./flags.ts";
