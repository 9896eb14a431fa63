/** Runs whose processes are killed at random: no input is missing, sent twice, or left without an end. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import { startSession } from "@continuo/store/sessions";
import { newPostgresDatabase } from "../../sizes/shared-programs.ts";
import { randomFrom } from "../../store/harness/random.ts";
import { faultsOf, workAndDieAnytime } from "./continuity.ts";

export interface KillOptions {
  readonly engine: "sqlite" | "postgres";
  readonly kind: "native" | "none";
  readonly kills: number;
  readonly seed: number;
}

/** Returns the faults after this number of kills, as sentences. */
export async function faultsAfterKills(options: KillOptions): Promise<readonly string[]> {
  const { engine, kind, kills, seed } = options;
  const folder = mkdtempSync(join(tmpdir(), "continuo-kills-"));
  try {
    const url = engine === "sqlite" ? `sqlite:${join(folder, "store.db")}` : await newPostgresDatabase();
    await using store = await openStore(url, { migrate: true });
    const { sessionId } = await startSession(store);
    const expected = Array.from({ length: kills }, (_, at) => `w-${at}`);
    const worker = { url, sessionId, name: "w", inputs: kills, folder, kind };
    await workAndDieAnytime(worker, { kills, random: randomFrom(seed) });
    const faults = await faultsOf(store, { sessionId, folder, expected });
    return (await store.verify(sessionId)).ok ? faults : [...faults, "The chain of the log is broken."];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
