/**
 * The contract of a client of channels, as cases for any test runner: a server that misbehaves according to a script,
 * and the required reactions of a client. Each case is a sentence `CLIENT-…` of `PROTOCOL.md`.
 *
 * Promises: a case throws if the client breaks the contract, and needs only loopback; a client may be a program in any
 * language.
 * Does not know: how a client is built, or any test runner.
 */

import { type ClientCase, openStage } from "./case.ts";
import { connectionCases } from "./connections.ts";
import { faultCases } from "./faults.ts";
import { logCases } from "./log.ts";
import type { StartClient } from "./program.ts";

export {
  type ClientCommand,
  type ClientReport,
  type ClientUnderTest,
  clientProgram,
  type StartClient,
} from "./program.ts";

const CASES: readonly ClientCase[] = [...connectionCases, ...logCases, ...faultCases];

export interface ClientContractCase {
  /** The sentence of `PROTOCOL.md`: `CLIENT-4`. */
  readonly id: string;
  readonly name: string;
  /** Throws when the contract is broken. */
  run(): Promise<void>;
}

/**
 * The cases, for a test runner:
 *
 *     for (const { id, name, run } of clientContract(start)) test(`${id}: ${name}`, run);
 *
 * `start` starts a client that waits for commands: `clientProgram("python3", ["client.py"])` for a program.
 */
export function clientContract(start: StartClient): readonly ClientContractCase[] {
  return CASES.map(({ id, name, run }) => ({
    id,
    name,
    run: async () => {
      await using stage = await openStage(start);
      await run(stage);
    },
  }));
}
