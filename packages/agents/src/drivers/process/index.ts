/**
 * Programs of agents as processes: finds and starts them, talks to them in lines, and ends them with all their
 * children.
 *
 * Promises: in an untrusted folder an agent inherits only the variables that `environment.ts` lists; its stderr is kept
 * up to a limit and reported when the agent fails; no child outlives `end()` or this process, however this process
 * dies; a program whose starter has died writes nothing after the next conversation began.
 * Does not know: the protocol of any agent.
 */

export { createCalls, type Talk } from "./calls.ts";
export { environmentOf, heldBackNames } from "./environment.ts";
export { findProgram } from "./find.ts";
export { startGuardian } from "./guardian.ts";
export { waitUntilIdle } from "./idle-wait.ts";
export { endLeftPrograms } from "./left-programs.ts";
export { killAll, MARK_VARIABLE } from "./orphans.ts";
export { readOutput } from "./output.ts";
export { type AgentProcess, type ProcessStart, startAgent } from "./program.ts";
export { firstAndLast } from "./program-output.ts";
export { isRefusal, type RpcProgram, startCalled } from "./rpc-program.ts";
export { isSince, type ProgramVersion, versionBeside } from "./version.ts";
