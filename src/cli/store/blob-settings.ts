/**
 * The place of blobs that the user's configuration names. Loaded when a store is opened, because most commands open
 * none.
 */

import { readConfiguration } from "@continuo/agents/config";
import { present } from "@continuo/core/model";
import type { OpenStoreOptions } from "@continuo/store";
import type { Shell } from "../terminal/index.ts";

/** A file with a problem is ignored; commands that depend on it refuse to run. */
export async function blobSettings(shell: Shell): Promise<Pick<OpenStoreOptions, "blobs">> {
  const { blobs } = await readConfiguration({ places: shell, cwd: null });
  return present({ blobs: blobs ?? undefined });
}
