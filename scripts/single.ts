/**
 * `node scripts/single.ts FILE [EXTENSION]`: Continuo as one executable for this system: Node with the command, the viewer and the folder
 * of the extension inside. It needs what `npm ci` and `npm run extension` build; EXTENSION is the folder of the latter,
 * `extension/dist` by default. On macOS the result has to be signed
 * (`codesign --sign - FILE`); there and on arm64 it is made in the same way and was never tried.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { type PackedFile, packFiles } from "../src/cli/single/archive.ts";
import { billOf, noticesOf } from "./sbom.ts";

const ROOT = join(import.meta.dirname, "..");

/** The files that a command reads; the library and its types are for programs of others. */
const SHIPPED = [
  ...["package.json", "LICENSE", "bin/single.cjs", "dist/cli", "dist/web", "docs/continuo.schema.json"],
  ...["examples", "protocol"],
];
const EXTENSION = "extension/dist";

/** The mark in Node's executable that says whether there is a program inside. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

const [target, extension = join(ROOT, EXTENSION)] = process.argv.slice(2);
if (target === undefined) {
  process.stderr.write("usage: node scripts/single.ts FILE\n");
  process.exit(2);
}
await writeSingle(resolve(target));

async function writeSingle(file: string): Promise<void> {
  const stage = mkdtempSync(join(tmpdir(), "continuo-single-"));
  try {
    const archive = packFiles([
      ...SHIPPED.flatMap((name) => filesOf(join(ROOT, name), name)),
      ...["chrome-mv3", "firefox-mv3"].flatMap((name) =>
        filesOf(join(extension, name), `${EXTENSION}/${name}`),
      ),
      notices(),
    ]);
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
    const hash = createHash("sha256").update(archive).digest("hex").slice(0, 12);
    writeFileSync(join(stage, "files"), archive);
    writeFileSync(join(stage, "id"), `${version}-${hash}`);
    await bundleStart(join(stage, "start.cjs"));
    const config = {
      main: join(stage, "start.cjs"),
      output: join(stage, "blob"),
      disableExperimentalSEAWarning: true,
      useCodeCache: true,
      assets: { files: join(stage, "files"), id: join(stage, "id") },
    };
    writeFileSync(join(stage, "config.json"), JSON.stringify(config));
    run(process.execPath, ["--experimental-sea-config", join(stage, "config.json")]);
    copyFileSync(process.execPath, file);
    chmodSync(file, 0o755);
    const onMac = process.platform === "darwin" ? ["--macho-segment-name", "NODE_SEA"] : [];
    const inject = join(ROOT, "node_modules/postject/dist/cli.js");
    run(process.execPath, [
      inject,
      file,
      "NODE_SEA_BLOB",
      join(stage, "blob"),
      "--sentinel-fuse",
      FUSE,
      ...onMac,
    ]);
  } finally {
    rmSync(stage, { recursive: true });
  }
}

function filesOf(path: string, name: string): PackedFile[] {
  const stat = statSync(path);
  if (!stat.isDirectory())
    return [{ path: name, isProgram: (stat.mode & 0o100) !== 0, bytes: readFileSync(path) }];
  return readdirSync(path)
    .sort()
    .flatMap((one) => filesOf(join(path, one), `${name}/${one}`));
}

function notices(): PackedFile {
  return { path: "THIRD-PARTY.txt", isProgram: false, bytes: Buffer.from(noticesOf(ROOT, billOf(ROOT))) };
}

async function bundleStart(file: string): Promise<void> {
  const input = join(ROOT, "src/cli/single/start.ts");
  const treeshake = { moduleSideEffects: (id: string) => id === input };
  await using bundle = await rolldown({ input, platform: "node", external: [/^node:/u], treeshake });
  await bundle.write({ file, format: "cjs", codeSplitting: false });
}

function run(file: string, args: readonly string[]): void {
  execFileSync(file, args, { stdio: ["ignore", "ignore", "pipe"] });
}
