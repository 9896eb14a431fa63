/**
 * For tests of programs that build on Continuo, and of engines that others write.
 *
 * Promises: needs no test runner. Knows nothing of how Continuo tests itself.
 */

export {
  type OpenStore,
  type StoreCase,
  type StoreContractOptions,
  storeContract,
} from "./store-contract/index.ts";
