/** Our packages as they are published: their compiled files, and what refers to them. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";

/** The names of our packages. Each depends only on those before it. */
export const PACKAGES: readonly string[] = ["core", "files", "store", "native", "agents", "live", "server"];

/**
 * Packages for agent frameworks, which depend on those above. `continuo` contains only those of `CONTAINED`: a user of
 * another framework installs both. `scripts/frameworks.ts` compiles them, because they need the frameworks.
 */
export const ADAPTERS: readonly string[] = [
  "langgraph",
  "openai-agents",
  "claude-agent-sdk",
  "ai-sdk",
  "ag-ui",
  "tanstack",
  "mastra",
];

/**
 * The packages inside `continuo`. Of the adapters, it has the one that uses only types of its framework, which the root
 * has for models.
 */
export const CONTAINED: readonly string[] = [...PACKAGES, "ai-sdk"];

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>;
}

export function readManifest(root: string, name: string): Manifest {
  return JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
}

/** The source of each specifier that a package exports: `packages/core/src/model/index.ts` of `@continuo/core/model`. */
export function doorsOf(root: string, name: string): ReadonlyMap<string, string> {
  const doors = Object.entries(readManifest(root, name).exports);
  return new Map(
    doors.map(([door, file]) => [posix.join("@continuo", name, door), posix.join("packages", name, file)]),
  );
}

/**
 * Copies the types of each package to `folder/NAME/`. Specifiers such as `@continuo/core/model` become relative
 * paths.
 */
export function copyTypes(root: string, names: readonly string[], folder: string): void {
  const doors = new Map(names.flatMap((name) => [...doorsOf(root, name)]));
  const toRelative = (text: string, from: string): string =>
    text.replace(/(["'])(@continuo\/[\w/-]+)\1/gu, (whole, quote: string, specifier: string) => {
      const source = doors.get(specifier);
      if (source === undefined) return whole;
      const target = toCompiled(source.replace(/^packages\/([\w-]+)\/src\//u, "$1/"));
      const path = posix.relative(posix.dirname(from), target);
      return quote + (path.startsWith(".") ? path : `./${path}`) + quote;
    });
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (file.endsWith(".d.ts")) rewrite(folder, file, toRelative);
  }
  for (const name of names) {
    for (const file of compiledFilesOf(root, name).filter((one) => one.endsWith(".d.ts"))) {
      const target = posix.join(name, file);
      const text = readFileSync(join(root, "packages", name, "dist", file), "utf8");
      mkdirSync(dirname(join(folder, target)), { recursive: true });
      writeFileSync(join(folder, target), toRelative(text, target));
    }
  }
}

function rewrite(folder: string, file: string, change: (text: string, from: string) => string): void {
  const path = join(folder, file);
  writeFileSync(path, change(readFileSync(path, "utf8"), file.split(sep).join("/")));
}

/** The compiler does not remove the output of deleted sources, so the sources decide which files are copied. */
export function compiledFilesOf(root: string, name: string): readonly string[] {
  const source = join(root, "packages", name, "src");
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts"))
    .map((entry) => relative(source, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .flatMap((file) => [toCompiled(file), file.replace(/\.ts$/u, ".d.ts")]);
}

function toCompiled(file: string): string {
  return file.replace(/\.ts$/u, ".js");
}
