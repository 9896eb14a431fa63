/**
 * For tests of programs built on Continuo, and for tests of stores and channel clients that other people write.
 *
 * Promises: needs no test runner.
 * Does not know: how Continuo tests itself.
 */

export {
  EchoAgent,
  type NativeKind,
  type NativeSessions,
  nativeSessionsInFolder,
  nativeSessionsInMemory,
  type Script,
  ScriptedAgent,
  type ScriptedAgentOptions,
  type ScriptedCall,
  type Step,
} from "./agents/index.ts";
export {
  type ClientCommand,
  type ClientContractCase,
  type ClientReport,
  type ClientUnderTest,
  clientContract,
  clientProgram,
  type StartClient,
} from "./client-contract/index.ts";
export {
  type ModelCall,
  type ModelScript,
  type ModelStep,
  ScriptedModel,
  type ScriptedModelOptions,
} from "./models/index.ts";
export {
  type OpenStore,
  type StoreCase,
  type StoreContractOptions,
  storeContract,
} from "./store-contract/index.ts";
