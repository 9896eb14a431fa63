/**
 * `node scripts/installers.ts FOLDER [ADDRESS [EXTENSION]]` writes the files with which people install Continuo without
 * npm: the compressed executable for this system, `install.sh`, and a Debian package. FOLDER also has the tarballs of
 * `scripts/pack.ts`. ADDRESS is the address at which the files are served; if it is given, the script also writes files
 * for Homebrew, mise and Docker. At the end it writes a new `SHA256SUMS`.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { constants, gzipSync } from "node:zlib";
import { checksumsOf } from "./release/checksums.ts";
import { dockerfile, formula, miseFile } from "./release/recipes.ts";

const ROOT = join(import.meta.dirname, "..");
const DEBIAN_NAMES: Readonly<Partial<Record<NodeJS.Architecture, string>>> = { x64: "amd64" };

interface Release {
  readonly folder: string;
  readonly version: string;
  /** The address at which the files will be served; empty if it is not known. */
  readonly address: string;
}

/** EXTENSION is the folder with the built extension; it is passed to `single.ts`. */
const [folder, address = "", ...extension] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write("usage: node scripts/installers.ts FOLDER [ADDRESS]\n");
  process.exit(2);
}
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
writeInstallers({ folder: resolve(folder), version, address });

function writeInstallers(release: Release): void {
  const stage = mkdtempSync(join(tmpdir(), "continuo-installers-"));
  try {
    mkdirSync(release.folder, { recursive: true });
    const program = join(stage, "continuo");
    execFileSync(process.execPath, [join(ROOT, "scripts/single.ts"), program, ...extension], {
      stdio: "inherit",
    });
    const archive = `continuo-${release.version}-${process.platform}-${process.arch}.gz`;
    const bytes = gzipSync(readFileSync(program), { level: constants.Z_BEST_COMPRESSION });
    writeFileSync(join(release.folder, archive), bytes);
    writeScript(release);
    if (process.platform === "linux") writeDebian(program, stage, release);
    if (release.address !== "")
      writeRecipes(archive, createHash("sha256").update(bytes).digest("hex"), release);
    writeFileSync(join(release.folder, "SHA256SUMS"), checksumsOf(release.folder));
  } finally {
    rmSync(stage, { recursive: true });
  }
}

function writeScript({ folder, version, address }: Release): void {
  const text = readFileSync(join(ROOT, "scripts/release/install.sh"), "utf8");
  const file = join(folder, "install.sh");
  writeFileSync(file, text.replace("@VERSION@", version).replace("@RELEASE@", address));
  chmodSync(file, 0o755);
}

/** Writes a package with the executable and its licence. The package runs no script when it is installed or removed. */
function writeDebian(program: string, stage: string, { folder, version }: Release): void {
  const root = join(stage, "debian");
  const control = [
    "Package: continuo",
    `Version: ${version}`,
    `Architecture: ${DEBIAN_NAMES[process.arch] ?? process.arch}`,
    "Maintainer: Continuo maintainers <maintainers@continuo.invalid>",
    "Section: devel",
    "Priority: optional",
    "Depends: libc6 (>= 2.28), libstdc++6",
    "Description: session layer for AI agents",
    " Continues a conversation with an agent after a crash, on another machine, or in another agent.",
    "",
  ];
  mkdirSync(join(root, "DEBIAN"), { recursive: true });
  mkdirSync(join(root, "usr/bin"), { recursive: true });
  mkdirSync(join(root, "usr/share/doc/continuo"), { recursive: true });
  writeFileSync(join(root, "DEBIAN/control"), control.join("\n"));
  execFileSync("install", ["-m", "755", program, join(root, "usr/bin/continuo")]);
  execFileSync("install", [
    "-m",
    "644",
    join(ROOT, "LICENSE"),
    join(root, "usr/share/doc/continuo/copyright"),
  ]);
  for (const path of ["", "usr", "usr/bin", "usr/share", "usr/share/doc", "usr/share/doc/continuo", "DEBIAN"])
    chmodSync(join(root, path), 0o755);
  const file = join(folder, `continuo_${version}_${DEBIAN_NAMES[process.arch] ?? process.arch}.deb`);
  execFileSync("dpkg-deb", ["--root-owner-group", "-Zgzip", "--build", root, file], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

function writeRecipes(archive: string, sha256: string, { folder, version, address }: Release): void {
  const source = { version, homepage: address, sha256, url: `${address}/${archive}` };
  writeFileSync(join(folder, "continuo.rb"), formula(source));
  writeFileSync(join(folder, "mise.toml"), miseFile(source));
  writeFileSync(join(folder, "Dockerfile"), dockerfile(source));
}
