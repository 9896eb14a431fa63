/**
 * Agents for tests: one that answers what it is asked, and one that does what a script says, and remembers what
 * it was given.
 *
 * Promises: the agent port, every line of it, unless the script says otherwise. Does not know: any model.
 */

export { EchoAgent } from "./echo.ts";
export {
  type NativeKind,
  type NativeSessions,
  nativeSessionsInFolder,
  nativeSessionsInMemory,
} from "./native.ts";
export type { Script, Step } from "./script.ts";
export { type Given, ScriptedAgent, type ScriptedAgentOptions } from "./scripted.ts";
