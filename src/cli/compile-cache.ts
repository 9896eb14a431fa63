/**
 * The folder in which Node caches the compiled code of the bundle. Without it, compilation takes half the time of a
 * short command. Each build has its own folder in Continuo's home.
 */

import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeScratchFolder } from "@continuo/files";

/** The number of builds whose folders are kept: this one, and those of other installations. */
export const MAX_KEPT_BUILDS = 4;

/**
 * Returns the folder for `module.enableCompileCache`, and creates it if necessary. Node uses cached code only for the
 * same source.
 *
 * @param home Continuo's home; if it does not exist, nothing is written
 * @returns `null` if nothing is to be cached
 */
export function compileCacheFolder(
  home: string,
  bundle: string = fileURLToPath(import.meta.url),
): string | null {
  // Sources change too often to be cached.
  if (!bundle.endsWith(".js") || !existsSync(home)) return null;
  const builds = join(home, "cache/compiled");
  const folder = join(builds, Math.floor(statSync(bundle).mtimeMs).toString(36));
  if (existsSync(folder)) return folder;
  try {
    makeScratchFolder(folder);
    removeOldest(builds);
    return folder;
  } catch {
    // Without the cache, commands are slower, but they work.
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
