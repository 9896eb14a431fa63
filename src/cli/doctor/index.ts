/**
 * `continuo doctor`: checks everything that Continuo needs on this machine; `bug-report` writes a report about it for
 * others, and `errors` explains the codes of errors.
 *
 * Promises: nothing is changed or started, except that edits of killed processes are settled, as in every command that
 * reads; a check that fails is a finding of its own, and the others are still made; each finding that is not fine has
 * advice.
 * Does not know: what an agent can do, which `agents doctor` tries.
 */

export { addBugReportCommand, addDoctorCommand, addErrorsCommand } from "./commands.ts";
