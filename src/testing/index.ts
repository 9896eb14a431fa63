/**
 * For tests of programs that build on Continuo, and of engines that others write.
 *
 * Promises: needs no test runner. Knows nothing of how Continuo tests itself.
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
