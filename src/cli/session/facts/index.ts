/**
 * `session info` and `session check`: the facts about a session, and its faults.
 *
 * Promises: the keys of `--json` are a contract; damage is distinguished from warnings.
 * Does not know: how messages are shown.
 */

export { type CheckFlags, runCheck } from "./check.ts";
export { type InfoFlags, runInfo } from "./info.ts";
