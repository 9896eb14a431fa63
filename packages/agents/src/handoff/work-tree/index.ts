/**
 * The state of a git work tree as a value: everything that `git status` and `git diff` show. Reading it makes no
 * commit, and it can be applied to a clone.
 *
 * Promises: reading changes nothing and runs no program of the repository; a clone with changes of its own is refused;
 * if the state cannot be applied to a clone, the clone is as it was before.
 * Does not know: sessions, or how the files get to another machine.
 */

export { type AppliedWorkTree, applyWorkTree, readPackedState } from "./apply.ts";
export { initRepository, openRepository, type Repository } from "./git.ts";
export { commitsHere, commitsToOffer } from "./negotiate.ts";
export { type PackedWorkTree, packWorkTree } from "./pack.ts";
export { type ReadWorkTree, readWorkTree } from "./read.ts";
export { fingerprintOf, isSafeTreePath, parseState, type WorkTreeState } from "./state.ts";
