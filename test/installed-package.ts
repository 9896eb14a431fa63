/** The package `continuo` as `npm publish` packs it, and installed where only its dependencies are. */

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { handedOver } from "./sizes/handed-over.ts";
import { linkModules } from "./sizes/linked-modules.ts";
import { builtExtension } from "./sizes/shared-programs.ts";

const ROOT = join(import.meta.dirname, "..");
/** The packages that `npm ci` installed. */
export const MODULES: string = join(ROOT, "node_modules");

export interface PackageManifest {
  readonly version: string;
  readonly files: readonly string[];
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

export const manifest: PackageManifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

export interface InstalledPackage {
  /** The tarball, in the folder in which it was made. */
  readonly archive: string;
  /** The folder of the project that has it, a package of ES modules. */
  readonly user: string;
  /** `node_modules/continuo` in it. */
  readonly installed: string;
  /** Adds a package that `npm ci` installed. */
  link(name: string): void;
}

/** @param folder an empty folder */
export async function installPackage(folder: string): Promise<InstalledPackage> {
  const user = join(folder, "user");
  const installed = join(user, "node_modules/continuo");
  const archive = handedOver("CONTINUO_TEST_PACKAGE") ?? (await packCopy(folder));
  mkdirSync(installed, { recursive: true });
  runOffline(folder, "tar", ["-xzf", archive, "--strip-components=1", "-C", installed], folder);
  const link = (name: string): void => {
    const place = join(user, "node_modules", name);
    if (existsSync(place)) return;
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(MODULES, name), place);
  };
  for (const name of Object.keys(manifest.dependencies)) link(name);
  writeFileSync(join(user, "package.json"), JSON.stringify({ type: "module" }));
  return { archive, user, installed, link };
}

/** Runs a program with an empty home and without a registry. */
export function runOffline(home: string, file: string, args: readonly string[], cwd: string): string {
  const env = { PATH: `${MODULES}/.bin:${process.env.PATH}`, HOME: home, npm_config_offline: "true" };
  return execFileSync(file, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Packs a copy of the repository, which npm builds. */
async function packCopy(folder: string): Promise<string> {
  const clone = join(folder, "clone");
  const built = [
    "package.json",
    "package-lock.json",
    "tsconfig.base.json",
    "tsconfig.build.json",
    "packages",
    "src",
    "web",
    "scripts",
  ];
  const published = manifest.files.filter((name) => name !== "dist" && !/^(?:!|extension\/)/u.test(name));
  for (const name of [...built, ...published])
    cpSync(join(ROOT, name), join(clone, name), { recursive: true });
  cpSync(await builtExtension(), join(clone, "extension/dist"), { recursive: true });
  linkModules(clone);
  runOffline(folder, "npm", ["pack", "--silent"], clone);
  return join(clone, `continuo-${manifest.version}.tgz`);
}
