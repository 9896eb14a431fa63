/** The work of `store blobs move`: moves bytes and prints how many. */

import { readHomeConfiguration } from "@continuo/agents/config";
import { ContinuoError } from "@continuo/core/model";
import { type MoveBlobsOptions, moveBlobs } from "@continuo/store";
import { formatSize, plural, type Shell } from "../terminal/index.ts";
import { openForCommand, type StoreFlags } from "./command-store.ts";
import { printFacts } from "./print.ts";

export interface MoveFlags extends StoreFlags {
  readonly to: string;
}

/** The records of handed-over sessions stay, because commands that do not know the bucket read them. */
const STAYING = ["application/x-continuo-records+zstd"];

/** Errors: `usage`, `invalid` for a configuration with a mistake, and those of moving. */
export async function runMoveBlobs(flags: MoveFlags, shell: Shell): Promise<number> {
  const to = placeOf(flags.to);
  await readHomeConfiguration(shell);
  await using store = await openForCommand(flags, shell);
  const result = await moveBlobs(store, { to, exceptMediaTypes: STAYING });
  await printFacts(shell, {
    json: flags.json ? { ...result, to } : undefined,
    facts: [
      ["moved", `${plural(result.moved, "blob")} of ${formatSize(result.sizeBytes)}`],
      ["to", to === "s3" ? "S3" : to],
    ],
  });
  return 0;
}

function placeOf(to: string): MoveBlobsOptions["to"] {
  if (to === "files" || to === "database" || to === "s3") return to;
  throw new ContinuoError("usage", `there is no place ${JSON.stringify(to)} for blobs`, {
    hint: "Use --to files, --to database or --to s3.",
  });
}
