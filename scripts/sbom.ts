/**
 * `npm run sbom [FILE]`: the software bill of materials of the package in CycloneDX, `dist/sbom.cdx.json` by default.
 * `scripts/pack.ts` writes it next to the tarballs of a release. It lists the packages that are installed with Continuo,
 * and those that are bundled into its files: packages of the viewer, of the command, and peer dependencies of the
 * library.
 */

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
}

interface Bom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

/** The packages that are bundled into the command, and that no other part needs. */
const BUNDLED = ["@modelcontextprotocol/server", "commander", "string-width", "yaml"];

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
  const bundled = [...BUNDLED, ...Object.keys(own.peerDependencies ?? {})];
  const named = {
    ...own.dependencies,
    ...manifestIn(join(folder, "web")).dependencies,
    ...Object.fromEntries(bundled.map((name) => [name, own.devDependencies?.[name] ?? ""])),
  };
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
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/** The licences of the packages in a bill of materials, which their authors require next to their code. */
export function noticesOf(folder: string, bom: Bom): string {
  const packages = Map.groupBy(bom.components, ({ name }) => licenceOf(join(folder, "node_modules", name)));
  const notices = [...packages].map(([text, those]) => {
    const names = those.map(({ name, version }) => `${name} ${version}`);
    return `${names.join("\n")}\n\n${text}\n`;
  });
  return notices.join(`\n${"-".repeat(80)}\n\n`);
}

function licenceOf(place: string): string {
  const file = existsSync(place)
    ? readdirSync(place).find((one) => /^(?:licen[cs]e|copying)/iu.test(one))
    : undefined;
  if (file === undefined) return "Its licence is named in its package.json.";
  return readFileSync(join(place, file), "utf8").trim();
}
