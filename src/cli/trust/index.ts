/**
 * `continuo trust`: a person says that a project's configuration may say what programs are run.
 *
 * Promises: what is trusted is shown, and is one content of one file; nothing of the project is run.
 * Does not know: what the configuration means.
 */

export { addTrustCommand } from "./commands.ts";
