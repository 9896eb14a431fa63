/**
 * Agents as witnesses: a new session is shown to its own agent, in a private home that holds nothing else, and
 * the agent tells what it reads. Each agent's own part is a `Witness` in its folder.
 *
 * Promises: the environment is made from nothing; every way to a model leads to a closed port of this machine;
 * what was started is ended, with all that it started; no project's settings, hooks or extensions are loaded.
 * Does not know: any agent.
 */

export { CLOSED_URL, type Program, runProgram, talkTo, type WitnessTalk } from "./program.ts";
export type { StagedSession, Witness, Witnessed } from "./witness.ts";
