/**
 * `continuo relocate`: keeps the sessions of a project that was renamed, moved or cloned again, for all agents.
 *
 * Promises: a plan comes first; one restoration from the trash undoes everything byte for byte; the command refuses to
 * run while an agent runs in one of the folders.
 * Does not know: where an agent stores the path.
 */

export { addRelocateCommand } from "./commands.ts";
