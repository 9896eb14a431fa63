/** `store info`. */

import { formatCount, formatSize, type Shell } from "../terminal/index.ts";
import { openForCommand, type StoreFlags } from "./command-store.ts";
import { printFacts } from "./print.ts";

export async function runInfo(flags: StoreFlags, shell: Shell): Promise<number> {
  await using store = await openForCommand(flags, shell);
  const info = await store.info();
  await printFacts(shell, {
    json: flags.json ? { ...info, workspaceId: store.workspaceId } : undefined,
    facts: [
      ["store", `${info.engine} ${info.location}`],
      ["workspace", store.workspaceId],
      ["schema", String(info.schemaVersion)],
      ["size", formatSize(info.sizeBytes)],
      ["sessions", formatCount(info.sessions)],
      ["runs", formatCount(info.runs)],
      ["logs", formatCount(info.logs)],
      ["events", formatCount(info.events)],
      ["blobs", formatCount(info.blobs)],
    ],
  });
  return 0;
}
