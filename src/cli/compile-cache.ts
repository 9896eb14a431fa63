/**
 * The folder of the bundle's machine code for the next start: half the time of a short command is compiling.
 * Each build has a folder of its own, in Continuo's home if there is one.
 */

import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeScratchFolder } from "@continuo/files";

/** This one and those of other installations; older ones are removed when a new one comes. */
export const MAX_KEPT_BUILDS = 4;

/**
 * For `module.enableCompileCache`, which never trusts it blindly: its content is used only for the same source.
 *
 * @param home Continuo's; nothing is written where it is not there yet
 * @returns `null` where nothing is to be kept
 */
export function compileCacheFolder(
  home: string,
  bundle: string = fileURLToPath(import.meta.url),
): string | null {
  // Sources are there to be changed.
  if (!bundle.endsWith(".js") || !existsSync(home)) return null;
  const builds = join(home, "cache/compiled");
  const folder = join(builds, Math.floor(statSync(bundle).mtimeMs).toString(36));
  if (existsSync(folder)) return folder;
  try {
    makeScratchFolder(folder);
    removeOldest(builds);
    return folder;
  } catch {
    // A home that cannot be written to costs time, and nothing else.
    return null;
  }
}

function removeOldest(builds: string): void {
  const byAge = readdirSync(builds)
    .map((name) => join(builds, name))
    .map((path) => ({ path, at: statSync(path).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { path } of byAge.slice(MAX_KEPT_BUILDS)) rmSync(path, { recursive: true, force: true });
}
