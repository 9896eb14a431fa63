/**
 * Witnesses: the target agent's own program reads a new session back, in a private home that holds nothing else.
 *
 * Promises: the environment is built from nothing; every route to a model leads to a closed port of this machine; the
 * program ends with everything that it started; settings, hooks and extensions of a project are not loaded.
 * Does not know: any agent. Each agent has a `Witness`.
 */

export { exportedBy, type OwnListRequest, ownListOf } from "./own-lists.ts";
export { CLOSED_URL } from "./program.ts";
export type { SpokenTestimony, StagedSession } from "./witness.ts";
export { firstFileOf, witnessOf } from "./witnesses.ts";
