/**
 * Agents for tests: one echoes its input, one follows a script and records what it received.
 *
 * Promises: they implement the whole agent port, unless the script says otherwise.
 * Does not know: any model.
 */

export { EchoAgent } from "./echo.ts";
export {
  type NativeKind,
  type NativeSessions,
  nativeSessionsInFolder,
  nativeSessionsInMemory,
} from "./native.ts";
export type { Script, Step } from "./script.ts";
export { ScriptedAgent, type ScriptedAgentOptions, type ScriptedCall } from "./scripted-agent.ts";
