/**
 * Builds `dist/`: `npm ci` runs this script, and the command and the library load its result.
 *
 * The types of our packages are compiled file by file, each package below its name, so that `continuo` depends on none
 * of them. The library is bundled into one file for each entry point and a few files that entry points share. The
 * command is bundled into a few chunks, mainly one for each command and one for each agent: loading two hundred small
 * modules would take four times as long as the work of a short command. Kysely, which every store needs, has three
 * hundred more modules, and is bundled too. The viewer (`web/`) is bundled for browsers.
 */

import { execFileSync } from "node:child_process";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { commandBundle, commandChunks, writeStarted } from "./bundle.ts";
import { bundleLibrary } from "./library.ts";
import { CONTAINED, copyTypes } from "./packages.ts";
import { removeUnusedTypes } from "./types.ts";
import { bundleWeb } from "./web.ts";

const root = join(import.meta.dirname, "..");
const fresh = join(root, "dist.new");

rmSync(fresh, { recursive: true, force: true });
compile();
await bundleLibrary(root, fresh);
await bundleCommand();
await writeStarted(root, join(fresh, "cli"), "js");
await bundleWeb(root, join(fresh, "web"));
rmSync(join(root, "dist"), { recursive: true, force: true });
renameSync(fresh, join(root, "dist"));

function compile(): void {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const run = (...args: readonly string[]): void => {
    execFileSync(process.execPath, [compiler, ...args], { cwd: root, stdio: "inherit" });
  };
  run("-b", ...CONTAINED.map((name) => `packages/${name}`));
  run("-p", "tsconfig.build.json", "--outDir", fresh);
  copyTypes(root, CONTAINED, fresh);
  removeUnusedTypes(root, fresh);
}

async function bundleCommand(): Promise<void> {
  const chunks = await commandChunks(root);
  const bundle = await rolldown(commandBundle(root));
  await bundle.write({ dir: join(fresh, "cli"), ...chunks });
  await bundle.close();
}
