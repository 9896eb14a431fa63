/**
 * Settles the edits of killed processes: finishes or undoes them, before the next edit begins or somebody reads.
 *
 * Promises: one process settles at a time; edits of running processes are not touched.
 * Does not know: the format of any agent.
 */

export { settleBeforeReading, settleUnfinished } from "./settle.ts";
