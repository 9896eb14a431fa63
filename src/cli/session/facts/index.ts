/**
 * `session info` and `session check`: what is known of a session, and what is wrong with it.
 *
 * Promises: the keys of `--json` are a contract; damage is told apart from warnings.
 * Does not know: how messages are shown.
 */

export { type CheckFlags, runCheck } from "./check.ts";
export { type InfoFlags, runInfo } from "./info.ts";
