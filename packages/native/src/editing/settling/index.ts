/**
 * Settles the edits of killed processes: finishes them or takes them back, before the next edit begins or somebody reads.
 *
 * Promises: one process settles at a time; edits of running processes are left alone.
 * Does not know: the format of any agent.
 */

export { settleBeforeReading, settleUnfinished } from "./settle.ts";
