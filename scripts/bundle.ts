/** How the command is bundled. */

import { join, sep } from "node:path";
import type { InputOptions, OutputOptions } from "rolldown";

/** @param root of the package */
export function commandBundle(root: string): InputOptions {
  const isOurs = (id: string): boolean => id.startsWith(join(root, "src") + sep);
  return {
    input: { main: join(root, "src/cli/main.ts") },
    platform: "node",
    external: [/^node:/u, "pg", "string-width"],
    // A module of ours does nothing when it is loaded: of what a folder's index names, only what is used is loaded.
    treeshake: { moduleSideEffects: (id, isExternal) => (isExternal || isOurs(id) ? false : undefined) },
  };
}

export const CHUNKS: OutputOptions = { format: "esm", chunkFileNames: "chunks/[name]-[hash].js" };
