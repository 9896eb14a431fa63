/**
 * Forks of native sessions: where a history may be cut, what an agent's own part is given, and whether a fork
 * says what its source said up to there. Each agent's own part is a `NativeForker` in its folder.
 *
 * Promises: pure; a call and its result stay together.
 * Does not know: files, or how any agent writes its sessions.
 */

export { type Cut, cutAt } from "./cut.ts";
export type { Fork, ForkSource, NativeForker } from "./forker.ts";
export { firstDifference } from "./same.ts";
