/** `store backup FILE`. */

import { resolve } from "node:path";
import { backupStore } from "@continuo/store";
import { formatCount, formatSize, type Shell } from "../terminal/index.ts";
import { openForCommand, type StoreFlags } from "./command-store.ts";
import { printFacts } from "./print.ts";

export async function runBackup(file: string, flags: StoreFlags, shell: Shell): Promise<number> {
  await using store = await openForCommand(flags, shell);
  const result = await backupStore(store, resolve(shell.cwd, file));
  await printFacts(shell, {
    json: flags.json ? result : undefined,
    facts: [
      ["backup", result.file],
      ["size", formatSize(result.sizeBytes)],
      ["events", formatCount(result.events)],
      ["blobs", formatCount(result.blobs)],
    ],
  });
  return 0;
}
