/**
 * Experience in sessions, read from their calls and results: the changes that solved an error, and the uses of a
 * command.
 *
 * Promises: pure; no model is asked; an error counts as solved only if the session shows that it is gone.
 * Does not know: how sessions are found, and how many results are shown.
 */

export { type CommandUse, commandUsesIn } from "./command-uses.ts";
export { type ErrorPattern, errorPattern, type SameError, sameErrorIn } from "./error-pattern.ts";
export { createRepairFold, type Repair, type RepairFold, type RepairTurn } from "./repairs.ts";
