/**
 * `continuo doctor`: looks at everything that Continuo needs on this machine; `bug-report` writes it down for others.
 *
 * Promises: nothing is changed or started, except that edits of killed processes are settled, as every command that reads does; a
 * check that fails is a finding of its own, and the others are still made; each finding that is not fine says what to do.
 * Does not know: what an agent can do, which `agents doctor` tries.
 */

export { addBugReportCommand, addDoctorCommand } from "./commands.ts";
