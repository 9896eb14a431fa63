/** The store that a command works on. */

import { commandPrincipal, storeUrlOf } from "@continuo/agents/catalog";
import { present } from "@continuo/core/model";
import { type OpenedStore, type OpenStoreOptions, openStore } from "@continuo/store";
import type { Shell } from "../terminal/index.ts";

export interface StoreFlags {
  readonly store?: string;
  readonly workspace?: string;
  readonly json?: true;
}

export function storeUrl({ store }: StoreFlags, shell: Shell): string {
  return storeUrlOf(shell, store);
}

/** SQLite is migrated, with a message; Postgres is not, because other servers use it. */
export async function openForCommand(
  flags: StoreFlags,
  shell: Shell,
  options: Pick<OpenStoreOptions, "cacheBytes"> = {},
): Promise<OpenedStore> {
  const url = storeUrl(flags, shell);
  const { blobSettings } = await import("./blob-settings.ts");
  return openStore(url, {
    ...options,
    ...(await blobSettings(shell)),
    ...present({ workspaceId: flags.workspace }),
    by: commandPrincipal(),
    migrate: url.startsWith("sqlite:"),
    onMigrated: ({ from, to, copy }) => {
      const kept = copy === null ? "" : `; a copy of the old database is ${copy}`;
      shell.stderr.write(`The schema of the store was updated from ${from} to ${to}${kept}.\n`);
    },
  });
}
