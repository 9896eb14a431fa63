/** A release, made in a copy of the repository: its commit, its tag, and the packages that it would publish. */

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { linkExtensionModules, linkFrameworks, linkModules } from "../sizes/linked-modules.ts";
import { builtExtension } from "../sizes/shared-programs.ts";

/** The address is only written into files, and no server answers there. */
const ADDRESS = "http://127.0.0.1:9";
const ROOT = join(import.meta.dirname, "../..");
const folder = scratchFolder("release");
const copy = join(folder, "copy");

function run(file: string, args: readonly string[]): string {
  const env = {
    PATH: `${ROOT}/node_modules/.bin:${process.env.PATH}`,
    HOME: folder,
    npm_config_offline: "true",
    GIT_AUTHOR_NAME: "Ann",
    GIT_AUTHOR_EMAIL: "ann@example.com",
    GIT_COMMITTER_NAME: "Ann",
    GIT_COMMITTER_EMAIL: "ann@example.com",
  };
  return execFileSync(file, args, { cwd: copy, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

const release = (...args: readonly string[]): string =>
  run(process.execPath, ["scripts/release.ts", ...args, "--no-audit"]);

test("a release sets one version, collects the changes, commits, tags, and packs what can be installed", {
  timeout: 600_000,
}, async () => {
  await builtExtension();
  cpSync(ROOT, copy, {
    recursive: true,
    filter: (path) =>
      !/\/(?:node_modules|dist|\.git|\.soak|test\/fixtures|test\/formats)(?:\/|$)/u.test(
        path.slice(ROOT.length),
      ),
  });
  linkModules(copy);
  linkExtensionModules(copy);
  linkFrameworks(copy);
  // The commit of a release has no fragment.
  writeFileSync(join(copy, "changes/one.md"), "### Added\n\n- Something.\n");
  run("git", ["init", "--quiet"]);
  run("git", ["add", "--all"]);
  run("git", ["commit", "--quiet", "--message", "Begin"]);
  const { version: last } = JSON.parse(readFileSync(join(copy, "package.json"), "utf8"));
  expect(() => release(last)).toThrow("the last one is");
  writeFileSync(join(copy, "left.txt"), "");
  expect(() => release("9.0.0")).toThrow("not committed");
  rmSync(join(copy, "left.txt"));

  const packed = join(folder, "packed");
  const printed = release("9.0.0", "--to", packed, "--installers", ADDRESS).trimEnd().split("\n");
  expect(run("git", ["log", "-1", "--format=%s", "v9.0.0"]).trim()).toBe("Release 9.0.0");
  expect(run("git", ["status", "--porcelain"])).toBe("");
  expect(readdirSync(join(copy, "changes"))).toEqual([".gitkeep"]);
  expect(readFileSync(join(copy, "CHANGELOG.md"), "utf8")).toContain("\n## 9.0.0 (");
  // npm finds nothing to change in the lock file.
  run("npm", ["install", "--package-lock-only", "--ignore-scripts"]);
  expect(run("git", ["status", "--porcelain"])).toBe("");

  const tarball = join(packed, "continuo-9.0.0.tgz");
  expect(printed.at(-1)).toBe(tarball);
  expect(run("tar", ["-tzf", tarball])).toContain("package/extension/dist/firefox-mv3/manifest.json");
  for (const each of printed) {
    const { version, dependencies = {} } = JSON.parse(run("tar", ["-xOzf", each, "package/package.json"]));
    const ours = Object.entries(dependencies).filter(([name]) => name.startsWith("@continuo/"));
    expect([version, ...ours.map(([, wanted]) => wanted)].every((one) => one === "9.0.0")).toBe(true);
  }
  const user = join(folder, "user");
  mkdirSync(user);
  run("tar", ["-xzf", tarball, "--strip-components=1", "-C", user]);
  cpSync(join(ROOT, "node_modules/string-width"), join(user, "node_modules/string-width"), {
    recursive: true,
  });
  expect(run(process.execPath, [join(user, "bin/continuo.js"), "--version"]).trim()).toBe("9.0.0");

  const sums = readFileSync(join(packed, "SHA256SUMS"), "utf8");
  const named = sums.trimEnd().split("\n");
  expect(named.map((line) => line.split("  ")[1])).toEqual(
    expect.arrayContaining([
      "install.sh",
      `continuo-9.0.0-linux-${process.arch}.gz`,
      `continuo_9.0.0_${process.arch === "x64" ? "amd64" : process.arch}.deb`,
      "agent-packages/plugin/.claude-plugin/plugin.json",
      ...printed.map((path) => basename(path)),
    ]),
  );
  execFileSync("sha256sum", ["--check", "--strict", "--quiet", "SHA256SUMS"], { cwd: packed });
  expect(readFileSync(join(packed, "install.sh"), "utf8")).toContain(`'${ADDRESS}'`);
});
