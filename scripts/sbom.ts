/**
 * `npm run sbom [FILE]`: the software bill of materials of the package in CycloneDX, `dist/sbom.cdx.json` by default.
 * `scripts/pack.ts` writes it beside the tarballs of a release. Packages of the viewer are bundled into
 * `dist/web`, so what `web/package.json` names is part of it too.
 */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
}

interface Bom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

const root = join(import.meta.dirname, "..");

if (import.meta.main) {
  const file = process.argv[2] ?? join(root, "dist/sbom.cdx.json");
  writeFileSync(file, `${JSON.stringify(billOf(root), null, 2)}\n`);
}

/** Reads the lock file; needs no network. */
export function billOf(folder: string): Bom {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
  const text = execFileSync("npm", args, { cwd: folder, encoding: "utf8", maxBuffer: 100_000_000 });
  return onlyShipped(JSON.parse(text) as Bom, folder);
}

function onlyShipped(bom: Bom, folder: string): Bom {
  const own = manifestIn(folder);
  const named = { ...own.dependencies, ...manifestIn(join(folder, "web")).dependencies };
  const edges = new Map(bom.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]));
  const { component } = bom.metadata;
  const direct = Object.entries(named)
    .filter(([name]) => !name.startsWith("@continuo/"))
    .map(([name, version]) => `${name}@${version}`)
    .sort();
  const shipped = new Set(direct);
  for (const ref of shipped) for (const next of edges.get(ref) ?? []) shipped.add(next);
  return {
    ...bom,
    metadata: { ...bom.metadata, component: { ...component, name: own.name } },
    components: bom.components.filter((one) => shipped.has(one["bom-ref"])),
    dependencies: [
      { ref: component["bom-ref"], dependsOn: direct },
      ...bom.dependencies.filter(({ ref }) => shipped.has(ref)),
    ],
  };
}

interface Manifest {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}
