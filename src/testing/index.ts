/**
 * For tests of programs built on Continuo, and of stores that others write.
 *
 * Promises: needs no test runner.
 * Does not know: how Continuo tests itself.
 */

export {
  EchoAgent,
  type Given,
  type NativeKind,
  type NativeSessions,
  nativeSessionsInFolder,
  nativeSessionsInMemory,
  type Script,
  ScriptedAgent,
  type ScriptedAgentOptions,
  type Step,
} from "./agents/index.ts";
export {
  type OpenStore,
  type StoreCase,
  type StoreContractOptions,
  storeContract,
} from "./store-contract/index.ts";
