/**
 * The contract of a store, as cases for any test runner: every line of the port, and the behaviour that its callers
 * rely on.
 *
 * Promises: a case throws if the store breaks the contract, and needs only the store.
 * Does not know: any engine or test runner.
 */

import { assertKnownOptions } from "@continuo/core/model";
import { tokenCases, webhookKeyCases } from "./access.ts";
import { appendCases } from "./append.ts";
import { auditCases } from "./audit.ts";
import { blobCases } from "./blobs.ts";
import type { ContractCase, OpenStore } from "./case.ts";
import { coordinationCases } from "./coordination.ts";
import { blobExpiryCases, mediaCases } from "./evidence.ts";
import { forkCases } from "./forks.ts";
import { hashCases } from "./hashes.ts";
import { idempotencyCases } from "./idempotency.ts";
import { leaseCases } from "./leases.ts";
import { logCases } from "./logs.ts";
import { nameCases } from "./names.ts";
import { payloadCases } from "./payloads.ts";
import { producerCases } from "./producers.ts";
import { readCases } from "./read.ts";
import { recordCases } from "./records.ts";
import { retentionCases } from "./retention.ts";
import { sessionLifeCases } from "./session-life.ts";
import { runCases, sessionCases } from "./sessions.ts";
import { storeCases } from "./store.ts";
import { tailCases } from "./tail.ts";
import { viewCases } from "./views.ts";

export type { OpenStore } from "./case.ts";

const GROUPS: Readonly<Record<string, readonly ContractCase[]>> = {
  logs: logCases,
  append: appendCases,
  idempotency: idempotencyCases,
  payloads: payloadCases,
  hashes: hashCases,
  records: recordCases,
  read: readCases,
  tail: tailCases,
  forks: forkCases,
  retention: retentionCases,
  producers: producerCases,
  leases: leaseCases,
  coordination: coordinationCases,
  sessions: sessionCases,
  "session lives": sessionLifeCases,
  runs: runCases,
  names: nameCases,
  media: mediaCases,
  blobs: blobCases,
  "blob expiry": blobExpiryCases,
  store: storeCases,
  views: viewCases,
  tokens: tokenCases,
  audit: auditCases,
  "webhook keys": webhookKeyCases,
};

export interface StoreCase {
  readonly group: string;
  readonly name: string;
  /** Throws when the contract is broken. */
  run(): Promise<void>;
}

export interface StoreContractOptions {
  /** `private` leaves out the cases that open the same data twice, for a store in memory. `shared` if none is given. */
  readonly data?: "shared" | "private";
}

/**
 * The cases, for a test runner:
 *
 *     for (const { group, name, run } of storeContract(open)) test(`${group}: ${name}`, run);
 *
 * `open` is called with a workspace that is new for each case, and closes nothing: the case does.
 */
export function storeContract(open: OpenStore, options: StoreContractOptions = {}): readonly StoreCase[] {
  assertKnownOptions("storeContract", options, { data: true });
  const { data = "shared" } = options;
  return Object.entries(GROUPS).flatMap(([group, cases]) =>
    cases
      .filter((one) => one.needs !== "shared" || data === "shared")
      .map((one) => ({ group, name: one.name, run: () => runCase(open, one) })),
  );
}

let made = 0;

async function runCase(open: OpenStore, one: ContractCase): Promise<void> {
  const workspaceId = `case-${process.pid}-${Date.now().toString(36)}-${++made}`;
  await using opened = new AsyncDisposableStack();
  const another = async (id: string = workspaceId) => opened.use(await open({ workspaceId: id }));
  await one.run({ store: await another(), another });
}
