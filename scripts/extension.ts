/**
 * Builds the browser extension: `npm run extension`. WXT and what it needs are installed below `extension/` the first
 * time, and again when its lock file changes, since nothing else here uses them.
 *
 * `--out FOLDER` builds there instead of `extension/dist/`; `--install` only installs, and builds nothing.
 */

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "..");
const folder = join(root, "extension");
const lock = join(folder, "package-lock.json");
const installed = join(folder, "node_modules/.installed-lock");

const { out, install: isOnlyInstalled } = parseArgs({
  options: { out: { type: "string" }, install: { type: "boolean", default: false } },
}).values;
install();
if (!isOnlyInstalled) build();

function build(): void {
  run(join(root, "node_modules/typescript/bin/tsc"), "-p", folder);
  for (const browser of ["chrome", "firefox"]) {
    run(join(folder, "node_modules/wxt/bin/wxt.mjs"), "build", folder, "--browser", browser, "--mv3");
  }
  const dist = out ?? join(folder, "dist");
  process.stdout.write(`Load this folder unpacked in chrome://extensions: ${join(dist, "chrome-mv3")}\n`);
}

function install(): void {
  if (existsSync(installed) && readFileSync(installed, "utf8") === readFileSync(lock, "utf8")) return;
  execFileSync("npm", ["ci", "--prefix", folder, "--ignore-scripts"], { cwd: root, stdio: "inherit" });
  copyFileSync(lock, installed);
}

function run(program: string, ...args: string[]): void {
  const env = { ...process.env, CONTINUO_EXTENSION_OUT: out };
  execFileSync(process.execPath, [program, ...args], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    env,
  });
}
