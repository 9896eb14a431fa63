/** The store that a command works on. */

import { isAbsolute, resolve } from "node:path";
import { defaultStorePath, type OpenedStore, type OpenStoreOptions, openStore } from "../../store/index.ts";
import type { Shell } from "../terminal/index.ts";

export interface StoreFlags {
  readonly store?: string;
  readonly workspace?: string;
  readonly json?: true;
}

export function storeUrl(flags: StoreFlags, shell: Shell): string {
  const url = flags.store ?? shell.env.CONTINUO_STORE ?? "sqlite:";
  if (url === "sqlite:") return `sqlite:${defaultStorePath(shell.env)}`;
  const path = /^sqlite:(?!\/\/)(.+)$/u.exec(url)?.[1];
  return path === undefined || isAbsolute(path) ? url : `sqlite:${resolve(shell.cwd, path)}`;
}

/** SQLite is brought up to date, and that is said; Postgres is not: other servers use it. */
export async function openForCommand(
  flags: StoreFlags,
  shell: Shell,
  options: Pick<OpenStoreOptions, "cacheBytes"> = {},
): Promise<OpenedStore> {
  const url = storeUrl(flags, shell);
  return openStore(url, {
    ...options,
    ...(flags.workspace === undefined ? {} : { workspaceId: flags.workspace }),
    migrate: url.startsWith("sqlite:"),
    onMigrated: ({ from, to, copy }) => {
      const kept = copy === null ? "" : `; a copy of the old database is ${copy}`;
      shell.stderr.write(`The schema of the store was brought from ${from} to ${to}${kept}.\n`);
    },
  });
}
