/**
 * `continuo relocate`: a project that was renamed, moved or cloned again keeps its sessions, at all agents.
 *
 * Promises: a plan comes first; one restoration from the trash undoes all of it byte for byte; an agent that is running in
 * one of the folders is refused.
 * Does not know: where an agent keeps the path.
 */

export { addRelocateCommand } from "./commands.ts";
