/**
 * Builds `dist/` from `src/`: what `npm ci` runs, and what the command and the library load.
 *
 * The library is compiled file by file. The command is bundled into a few chunks, one a command and one an
 * agent: loading two hundred small modules would take four times as long as the work of a short command. Kysely,
 * which every store needs, is three hundred more, and is bundled too.
 */

import { execFileSync } from "node:child_process";
import { renameSync, rmSync } from "node:fs";
import { join, sep } from "node:path";
import { rolldown } from "rolldown";

const root = join(import.meta.dirname, "..");
const fresh = join(root, "dist.new");

rmSync(fresh, { recursive: true, force: true });
compile();
rmSync(join(fresh, "cli"), { recursive: true });
await bundleCommand();
rmSync(join(root, "dist"), { recursive: true, force: true });
renameSync(fresh, join(root, "dist"));

function compile(): void {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const options = ["-p", "tsconfig.build.json", "--outDir", fresh];
  execFileSync(process.execPath, [compiler, ...options], { cwd: root, stdio: "inherit" });
}

async function bundleCommand(): Promise<void> {
  const bundle = await rolldown({
    input: { main: join(root, "src/cli/main.ts") },
    platform: "node",
    external: [/^node:/u, "pg", "string-width"],
    // A module of ours does nothing when it is loaded: of what a folder's index names, only what is used is loaded.
    treeshake: { moduleSideEffects: (id, isExternal) => (isExternal || isOurs(id) ? false : undefined) },
  });
  await bundle.write({ dir: join(fresh, "cli"), format: "esm", chunkFileNames: "chunks/[name]-[hash].js" });
  await bundle.close();
}

function isOurs(id: string): boolean {
  return id.startsWith(join(root, "src") + sep);
}
