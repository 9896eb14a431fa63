/** The one version of all packages, in every file that names it. Pure, except for `readManifests`. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ADAPTERS, PACKAGES } from "../packages.ts";

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

interface LockFile {
  readonly version: string;
  readonly packages: Readonly<Record<string, Partial<Manifest>>>;
}

/** The `package.json` of the root, of the viewer, and of each package, by their paths below the root. */
export function readManifests(root: string): ReadonlyMap<string, Manifest> {
  const paths = [
    "package.json",
    "web/package.json",
    ...[...PACKAGES, ...ADAPTERS].map((name) => `packages/${name}/package.json`),
  ];
  return new Map(paths.map((path) => [path, JSON.parse(readFileSync(join(root, path), "utf8")) as Manifest]));
}

/** A manifest with the version, and with the version for each of our packages that it depends on. */
export function withVersion<Some extends Partial<Manifest>>(manifest: Some, version: string): Some {
  const { dependencies } = manifest;
  if (dependencies === undefined) return { ...manifest, version };
  const changed = Object.entries(dependencies).map(([name, wanted]) => [
    name,
    name.startsWith("@continuo/") ? version : wanted,
  ]);
  return { ...manifest, version, dependencies: Object.fromEntries(changed) };
}

/** The lock file, in which the root is the empty path. */
export function lockWithVersion<Lock extends LockFile>(lock: Lock, version: string): Lock {
  const packages = Object.entries(lock.packages).map(([path, one]) => [
    path,
    path === "" || path === "web" || /^packages\/[\w-]+$/u.test(path) ? withVersion(one, version) : one,
  ]);
  return { ...lock, version, packages: Object.fromEntries(packages) };
}

interface RegistryEntry {
  readonly version: string;
  readonly distribution: { readonly npx: { readonly package: string } };
}

/** The entry for the registry of agents, whose package must be of the entry's own version. */
export function withEntryVersion<Entry extends RegistryEntry>(entry: Entry, version: string): Entry {
  const { npx } = entry.distribution;
  const [name] = npx.package.split("@");
  return { ...entry, version, distribution: { npx: { ...npx, package: `${name}@${version}` } } };
}
