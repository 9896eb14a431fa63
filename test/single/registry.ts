/**
 * A registry of npm as files that any server can serve: Continuo from this folder, and its dependencies from
 * `node_modules`.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

interface Packed {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly integrity: string;
}

const ROOT = join(import.meta.dirname, "../..");

/** @param address the address at which `folder` will be served */
export function writeRegistry(folder: string, address: string): void {
  mkdirSync(folder, { recursive: true });
  const manifests = new Map<string, Manifest>();
  addPackage(ROOT, manifests);
  const options = ["--json", "--ignore-scripts", "--pack-destination", folder];
  const output = execFileSync("npm", ["pack", ...options, ...manifests.keys()], {
    encoding: "utf8",
    maxBuffer: 2 ** 26,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const packed = JSON.parse(output) as readonly Packed[];
  for (const manifest of manifests.values()) {
    const { name, version } = manifest;
    const one = packed.find((each) => each.name === name && each.version === version);
    if (one === undefined) throw new Error(`npm packed no ${name}@${version}`);
    const dist = { tarball: `${address}/${one.filename}`, integrity: one.integrity };
    const about = { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
    // npm asks for the name of a scoped package as one part of the path.
    writeFileSync(join(folder, name.replace("/", "%2f")), JSON.stringify(about));
  }
}

/** Publishes Continuo's newest version a second time, under an older number. */
export function addOlderVersion(folder: string, address: string, older: string): void {
  const about = JSON.parse(readFileSync(join(folder, "continuo"), "utf8")) as Packument;
  const latest = about["dist-tags"].latest;
  const stage = mkdtempSync(join(folder, "stage-"));
  execFileSync("tar", ["-xzf", join(folder, `continuo-${latest}.tgz`), "-C", stage]);
  const place = join(stage, "package/package.json");
  const manifest = { ...(JSON.parse(readFileSync(place, "utf8")) as Manifest), version: older };
  writeFileSync(place, JSON.stringify(manifest));
  const name = `continuo-${older}.tgz`;
  execFileSync("tar", ["-czf", join(folder, name), "-C", stage, "package"]);
  rmSync(stage, { recursive: true });
  const hash = createHash("sha512")
    .update(readFileSync(join(folder, name)))
    .digest("base64");
  const dist = { tarball: `${address}/${name}`, integrity: `sha512-${hash}` };
  const versions = { ...about.versions, [older]: { ...manifest, dist } };
  writeFileSync(join(folder, "continuo"), JSON.stringify({ ...about, versions }));
}

interface Packument {
  readonly "dist-tags": { readonly latest: string };
  readonly versions: Readonly<Record<string, unknown>>;
}

/** Adds the package in a folder, and all its dependencies. */
function addPackage(folder: string, manifests: Map<string, Manifest>): void {
  if (manifests.has(folder)) return;
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  manifests.set(folder, manifest);
  for (const name of Object.keys(manifest.dependencies ?? {}))
    addPackage(join(ROOT, "node_modules", name), manifests);
}
