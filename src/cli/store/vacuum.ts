/** `store vacuum`. */

import { vacuumStore } from "@continuo/store";
import { formatCount, formatSize, type Shell } from "../terminal/index.ts";
import { openForCommand, type StoreFlags } from "./command-store.ts";
import { printFacts } from "./print.ts";

export async function runVacuum(flags: StoreFlags, shell: Shell): Promise<number> {
  await using store = await openForCommand(flags, shell);
  const before = (await store.info()).sizeBytes;
  const result = await vacuumStore(store);
  const after = (await store.info()).sizeBytes;
  await printFacts(shell, {
    json: flags.json ? { ...result, sizeBytesBefore: before, sizeBytes: after } : undefined,
    facts: [
      ["expired logs", formatCount(result.expiredLogs)],
      ["unused blobs", `${formatCount(result.blobs)} of ${formatSize(result.blobBytes)}`],
      ["size", `${formatSize(before)} before, ${formatSize(after)} now`],
    ],
  });
  return 0;
}
