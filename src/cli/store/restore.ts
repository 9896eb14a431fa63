/** `store restore FILE`. */

import { resolve } from "node:path";
import { restoreStore } from "@continuo/store";
import { formatCount, type Shell } from "../terminal/index.ts";
import { openForCommand, type StoreFlags } from "./command-store.ts";
import { printFacts } from "./print.ts";

export async function runRestore(file: string, flags: StoreFlags, shell: Shell): Promise<number> {
  await using store = await openForCommand(flags, shell);
  const result = await restoreStore(store, resolve(shell.cwd, file));
  await printFacts(shell, {
    json: flags.json ? result : undefined,
    facts: [
      ["logs", formatCount(result.logs)],
      ["events", formatCount(result.events)],
      ["blobs", formatCount(result.blobs)],
    ],
  });
  return 0;
}
