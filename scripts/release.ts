/**
 * `npm run release -- VERSION [--to FOLDER] [--installers ADDRESS] [--no-audit]`: makes a release of all packages from a clean working tree.
 *
 * It sets the version, collects `changes/` into `CHANGELOG.md`, commits, tags `vVERSION`, builds, and writes tarballs, checksums
 * and the bill of materials to FOLDER (`release/` by default). It publishes nothing: `npm publish FOLDER/NAME.tgz` does, the
 * packages in the order that is printed.
 */

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { isAfter } from "../src/cli/update/releases.ts";
import { ADAPTERS, PACKAGES } from "./packages.ts";
import { releaseChangelog } from "./release/changelog.ts";
import { lockWithVersion, readManifests, withEntryVersion, withVersion } from "./release/versions.ts";

const ROOT = join(import.meta.dirname, "..");
const REGISTRY_ENTRY = "docs/registry/continuo/agent.json";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    to: { type: "string", default: "release" },
    "no-audit": { type: "boolean", default: false },
    installers: { type: "string" },
  },
});
const [version = ""] = positionals;
const manifests = readManifests(ROOT);
const last = manifests.get("package.json")?.version ?? "";

if (!isAfter(version, last)) fail(`usage: npm run release -- VERSION; the last one is ${last}`);
if (git("status", "--porcelain") !== "") fail("the working tree has changes that are not committed");
if (git("tag", "--list", `v${version}`) !== "") fail(`there is a tag v${version} already`);
if (!values["no-audit"]) run("scripts/audit-dependencies.ts");

setVersion();
collectChanges();
git("add", "--all");
git("commit", "--quiet", "--message", `Release ${version}`);
git("tag", "--annotate", `v${version}`, "--message", `Continuo ${version}`);
run("scripts/build.ts");
run("scripts/extension.ts");
const folder = resolve(values.to);
run("scripts/pack.ts", folder);
run("scripts/agent-packages.ts", join(folder, "agent-packages"));
if (values.installers) run("scripts/installers.ts", folder, values.installers);
for (const name of [...[...PACKAGES, ...ADAPTERS].map((one) => `continuo-${one}`), "continuo"])
  process.stdout.write(`${join(folder, `${name}-${version}.tgz`)}\n`);

function setVersion(): void {
  for (const [path, manifest] of manifests) write(path, withVersion(manifest, version));
  write("package-lock.json", lockWithVersion(JSON.parse(read("package-lock.json")), version));
  write(REGISTRY_ENTRY, withEntryVersion(JSON.parse(read(REGISTRY_ENTRY)), version));
}

function collectChanges(): void {
  const names = readdirSync(join(ROOT, "changes")).filter((name) => name.endsWith(".md"));
  const fragments = names.map((name) => ({ name: `changes/${name}`, text: read(`changes/${name}`) }));
  const date = new Date().toISOString().slice(0, "2026-11-26".length);
  const changelog = releaseChangelog(read("CHANGELOG.md"), fragments, { version, date });
  writeFileSync(join(ROOT, "CHANGELOG.md"), changelog);
  for (const { name } of fragments) rmSync(join(ROOT, name));
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

function write(path: string, value: unknown): void {
  writeFileSync(join(ROOT, path), `${JSON.stringify(value, null, 2)}\n`);
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
}

/** Output of a script goes to standard error, because standard output has only the names of tarballs. */
function run(script: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [join(ROOT, script), ...args], {
    cwd: ROOT,
    stdio: ["inherit", process.stderr, "inherit"],
  });
}

function fail(text: string): never {
  process.stderr.write(`${text}\n`);
  process.exit(2);
}
