/**
 * `node scripts/pack.ts FOLDER`: a tarball of `continuo` and of each of our packages, as they are published, their
 * checksums in `SHA256SUMS`, and the bill of materials. It needs what `npm ci` builds, and installs the frameworks of
 * the adapters (`scripts/frameworks.ts`) if they are missing.
 *
 * In the repository the doors of a package are its sources; in a tarball they are the compiled files with their types.
 */

import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { compileAdapter, installFramework } from "./frameworks.ts";
import { ADAPTERS, compiledFilesOf, PACKAGES, readManifest } from "./packages.ts";
import { checksumsOf } from "./release/checksums.ts";
import { billOf, noticesOf } from "./sbom.ts";

const ROOT = join(import.meta.dirname, "..");

/** The licences of what is bundled. */
const NOTICES = "THIRD-PARTY.txt";

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write("usage: node scripts/pack.ts FOLDER\n");
  process.exit(2);
}
packAll(resolve(folder));

function packAll(target: string): void {
  const stage = mkdtempSync(join(tmpdir(), "continuo-pack-"));
  try {
    mkdirSync(target, { recursive: true });
    compile();
    for (const name of [...PACKAGES, ...ADAPTERS]) pack(stagePackage(name, join(stage, name)), target);
    const bill = billOf(ROOT);
    writeFileSync(join(ROOT, "dist", NOTICES), noticesOf(ROOT, bill));
    pack(stageCommand(stage), target);
    writeFileSync(join(target, "sbom.cdx.json"), `${JSON.stringify(bill, null, 2)}\n`);
    // `continuo update` reads this file from the address of the release.
    copyFileSync(join(ROOT, "CHANGELOG.md"), join(target, "CHANGELOG.md"));
    writeFileSync(join(target, "SHA256SUMS"), checksumsOf(target));
  } finally {
    rmSync(stage, { recursive: true });
  }
}

function compile(): void {
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [compiler, "-b", "packages/server"], { cwd: ROOT, stdio: "inherit" });
  for (const name of ADAPTERS) {
    installFramework(ROOT, name);
    compileAdapter(ROOT, name);
  }
}

function stagePackage(name: string, stage: string): string {
  const source = join(ROOT, "packages", name);
  for (const file of compiledFilesOf(ROOT, name)) {
    const place = join(stage, "dist", file);
    mkdirSync(dirname(place), { recursive: true });
    copyFileSync(join(source, "dist", file), place);
  }
  const manifest = readManifest(ROOT, name);
  const doors = Object.entries(manifest.exports).map(([door, file]) => {
    const compiled = file.replace("./src/", "./dist/").replace(/\.ts$/u, "");
    return [door, { types: `${compiled}.d.ts`, default: `${compiled}.js` }] as const;
  });
  const files = name === "core" ? ["dist", "docs"] : ["dist"];
  if (name === "core") stageErrorsPage(join(stage, "docs"));
  const published = { ...manifest, files, exports: Object.fromEntries(doors) };
  writeFileSync(join(stage, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
  copyFileSync(join(ROOT, "LICENSE"), join(stage, "LICENSE"));
  const readme = readFileSync(join(source, "README.md"), "utf8");
  writeFileSync(join(stage, "README.md"), withoutLinksOut(readme));
  return stage;
}

/** Names the documents of the repository, which are in the package `continuo`, in the place of links to them. */
function withoutLinksOut(readme: string): string {
  return readme.replaceAll(/\[([^\]]+)\]\(\.\.\/\.\.\/([^)]+)\)/gu, (_, text: string, path: string) => {
    const named = `\`${path}\` of the package \`continuo\``;
    return path.endsWith(text) ? named : `${text} (${named})`;
  });
}

/** The page that `page` of an error names. Its neighbours are only in the package `continuo`. */
function stageErrorsPage(folder: string): void {
  const page = readFileSync(join(ROOT, "docs/errors.md"), "utf8");
  mkdirSync(folder);
  writeFileSync(
    join(folder, "errors.md"),
    page.replaceAll(/\[[^\]]+\]\(([\w-]+\.md)\)/gu, "docs/$1 of the package `continuo`"),
  );
}

/** The files that npm would pack, with a manifest without scripts: npm warns of those that a clone needs. */
function stageCommand(stage: string): string {
  pack(ROOT, stage);
  const tarball = readdirSync(stage).find((name) => name.endsWith(".tgz")) ?? "";
  execFileSync("tar", ["-xzf", join(stage, tarball), "-C", stage]);
  const folder = join(stage, "package");
  const manifest = join(folder, "package.json");
  const {
    scripts: _,
    devDependencies: __,
    workspaces: ___,
    ...published
  } = JSON.parse(readFileSync(manifest, "utf8"));
  writeFileSync(manifest, `${JSON.stringify(published, null, 2)}\n`);
  return folder;
}

/** Scripts are left out: nothing is built a second time. */
function pack(source: string, target: string): void {
  const args = ["pack", "--silent", "--ignore-scripts", "--pack-destination", target];
  execFileSync("npm", args, { cwd: source, stdio: ["ignore", "ignore", "inherit"] });
}
