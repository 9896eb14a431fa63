/**
 * Agents' programs as processes: found, started with a clean environment, talked to by lines, and ended with
 * everything that they started.
 *
 * Promises: an agent inherits what `environment.ts` lists and no more; what it prints on stderr is kept, up to a
 * limit, and told when it fails; no child outlives `end()` or this process, however it dies.
 * Does not know: any agent's protocol.
 */

export { type CalledHandlers, type CalledProgram, isRefusal, startCalled } from "./called.ts";
export { createCalls, type JsonCalls, type Talk } from "./calls.ts";
export { environmentOf } from "./environment.ts";
export { findProgram } from "./find.ts";
export { type Guarded, type Guardian, startGuardian } from "./guardian.ts";
export { splitLines } from "./lines.ts";
export { readOutput } from "./output.ts";
export { type AgentProcess, type ProcessEnd, type ProcessStart, startAgent } from "./program.ts";
export { type Quiet, untilQuiet } from "./quiet.ts";
export { killAll, MARK_VARIABLE } from "./strays.ts";
