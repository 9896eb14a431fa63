/** `store migrate`: the one way in which a Postgres database is brought up to date. */

import { openStore } from "@continuo/store";
import type { Shell } from "../terminal/index.ts";
import { type StoreFlags, storeUrl } from "./command-store.ts";
import { type Fact, printFacts } from "./print.ts";

interface MigrationReport {
  readonly from: number;
  readonly to: number;
  readonly copy: string | null;
}

export async function runMigrate(flags: StoreFlags, shell: Shell): Promise<number> {
  let migrated: MigrationReport | null = null;
  await using store = await openStore(storeUrl(flags, shell), {
    migrate: true,
    onMigrated: (what) => {
      migrated = what;
    },
  });
  const { schemaVersion } = await store.info();
  const done = migrated as MigrationReport | null;
  const copy: readonly Fact[] = done === null || done.copy === null ? [] : [["copy", done.copy]];
  await printFacts(shell, {
    json: flags.json ? { schemaVersion, migrated: done } : undefined,
    facts: [
      ["schema", done === null ? `${schemaVersion}, unchanged` : `from ${done.from} to ${done.to}`],
      ...copy,
    ],
  });
  return 0;
}
