/**
 * Forks of native sessions: where a history can be cut, and whether the fork equals its source up to the cut.
 *
 * Promises: pure; a call and its result stay together.
 * Does not know: files, or how an agent writes its sessions. Each agent implements `NativeForker`.
 */

export { cutAt } from "./cut.ts";
export type { Fork, ForkSource, NativeForker } from "./forker.ts";
