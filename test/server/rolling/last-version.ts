/** Versions of Continuo as installed packages: packed and unpacked without a registry. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { linkModules } from "../../sizes/linked-modules.ts";

const ROOT = join(import.meta.dirname, "../../..");
const MODULES = join(ROOT, "node_modules");

/** The migrations; the last version is the one before the newest migration. */
const SCHEMA = "packages/store/src/store/schema";

/**
 * Returns the last version: the newest release before this commit, or else the newest commit before the newest
 * migration. Returns `null` if there is no history, as in a shallow clone; the working tree then replaces the last
 * version.
 */
export function lastVersion(): string | null {
  const tags = git("tag", "--list", "v*", "--sort=-v:refname", "--merged", "HEAD", "--no-contains", "HEAD");
  const [tag] = tags.split("\n").filter((name) => name !== "");
  if (tag !== undefined) return tag;
  const newest = readdirSync(join(ROOT, SCHEMA))
    .filter((name) => /^\d.*\.ts$/u.test(name))
    .sort()
    .at(-1);
  // The commit is found by the name of the migration, because the folder of the migrations was moved later.
  const commits = git("log", "--diff-filter=A", "--format=%H", "--", `*/store/schema/${newest}`).trim();
  const added = commits.split("\n").at(-1) ?? "";
  if (added === "") return null;
  try {
    return git("rev-parse", "--verify", "--quiet", `${added}^`).trim();
  } catch {
    return null;
  }
}

function git(...args: readonly string[]): string {
  return execFileSync("git", ["-c", "safe.directory=*", ...args], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 * 1024 ** 2,
  });
}

/** @param source a commit, or `null` for the working tree. Returns the folder of the installed package. */
export function installVersion(source: string | null, folder: string): string {
  const clone = join(folder, "clone");
  mkdirSync(clone, { recursive: true });
  const archive = join(folder, "source.tar");
  // Uncommitted changes are part of the working tree too.
  const tree = source ?? (git("stash", "create").trim() || "HEAD");
  git("archive", "--output", archive, tree);
  execFileSync("tar", ["-xf", archive, "-C", clone]);
  // Versions before 0.2.0 are one package.
  if (existsSync(join(clone, "packages"))) linkModules(clone);
  else symlinkSync(MODULES, join(clone, "node_modules"));
  const env = { PATH: `${MODULES}/.bin:${process.env.PATH}`, HOME: folder, npm_config_offline: "true" };
  execFileSync("npm", ["pack", "--silent"], { cwd: clone, env, stdio: ["ignore", "ignore", "inherit"] });
  const { name, version, dependencies } = JSON.parse(readFileSync(join(clone, "package.json"), "utf8"));
  const modules = join(folder, "user/node_modules");
  const installed = join(modules, name);
  mkdirSync(installed, { recursive: true });
  const tarball = join(clone, `${name}-${version}.tgz`);
  execFileSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", installed]);
  for (const dependency of Object.keys(dependencies)) {
    const place = join(modules, dependency);
    mkdirSync(dirname(place), { recursive: true });
    if (!existsSync(place)) symlinkSync(join(MODULES, dependency), place);
  }
  return installed;
}
