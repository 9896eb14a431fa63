/**
 * The flags that `chat` and `repl` have in common.
 *
 * Promises: loads nothing but the words. Does not know: what is done with them.
 */

export { addTalkOptions, type TalkFlags } from "./flags.ts";
