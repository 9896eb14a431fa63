/**
 * Trust in a folder: whether an agent that is started there may use the project's own configuration, which starts
 * programs.
 *
 * Promises: a folder is trusted only by its person, through Continuo or through the agent's own record; each file that
 * an agent does not get in an untrusted folder is named; nothing is written.
 * Does not know: how an agent is started, or where Continuo records trust.
 */

export type { EnvironmentRule, FolderTrust } from "./folder-trust.ts";
export { assertHoldable, projectConfigurationIn, trustIn } from "./folder-trust.ts";
