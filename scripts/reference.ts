/**
 * `npm run reference [FOLDER]`: makes the reference of everything that the packages export, as pages for a browser, in
 * `reference/pages` by default. TypeDoc is installed in `reference/` at the first time. A warning ends it with status 1.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { installFramework } from "./frameworks.ts";
import { ADAPTERS, doorsOf, PACKAGES } from "./packages.ts";

const ROOT = join(import.meta.dirname, "..");
const TOOLS = join(ROOT, "reference");
/** The compiler's settings without `files` that TypeDoc would have to know of. */
const SETTINGS = join(TOOLS, "node_modules/.tsconfig.json");

/** The allowed tags; the last ones are limits of the protocol, from which its schemas are made. */
const TAGS = [
  "@deprecated",
  "@param",
  "@returns",
  "@type",
  "@pattern",
  "@minimum",
  "@maximum",
  "@minLength",
  "@maxLength",
  "@maxItems",
];

const pages = resolve(process.argv[2] ?? join(TOOLS, "pages"));
const typedoc = join(TOOLS, "node_modules/typedoc/bin/typedoc");
if (!existsSync(typedoc))
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: TOOLS, stdio: "inherit" });
// The types of an adapter name those of its framework.
for (const name of ADAPTERS) installFramework(ROOT, name);
const doors = [
  "src/index.ts",
  ...[...PACKAGES, ...ADAPTERS].flatMap((name) => [...doorsOf(ROOT, name).values()]),
];
writeFileSync(
  SETTINGS,
  JSON.stringify({
    extends: join(ROOT, "tsconfig.base.json"),
    compilerOptions: {
      isolatedDeclarations: false,
      rewriteRelativeImportExtensions: false,
      typeRoots: [join(ROOT, "node_modules/@types")],
    },
    files: doors.map((door) => join(ROOT, door)),
  }),
);
const { status } = spawnSync(
  process.execPath,
  [
    typedoc,
    ...["--tsconfig", SETTINGS],
    ...["--out", pages],
    ...["--name", "Continuo"],
    ...["--readme", "docs/library.md"],
    ...["docs/examples.md", "docs/examples-parts.md"].flatMap((page) => ["--projectDocuments", page]),
    ...["--basePath", "."],
    // Members that a class of a framework hands down are in the reference of the framework.
    ...["--excludeExternals", "--disableSources"],
    ...TAGS.flatMap((tag) => ["--blockTags", tag]),
    ...["--logLevel", "Warn", "--treatWarningsAsErrors"],
    ...doors,
  ],
  { cwd: ROOT, stdio: "inherit" },
);
process.exitCode = status ?? 1;
if (status === 0) process.stdout.write(`${join(pages, "index.html")}\n`);
