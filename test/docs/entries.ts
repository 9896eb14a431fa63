/** The entries of the package, with the names that each exports: values and types, as its source lists them. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

export interface PublicEntry {
  /** For example `continuo/client`. */
  readonly specifier: string;
  /** The path of its source in the repository. */
  readonly source: string;
  /** The names without former ones, which another file lists. */
  readonly names: readonly string[];
}

const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, { readonly types: string } | string>>;
};

export const ENTRIES: readonly PublicEntry[] = Object.entries(exports).flatMap(([door, entry]) => {
  if (typeof entry === "string") return [];
  const source = sourceOf(entry.types);
  const specifier = `continuo${door.slice(1)}`;
  return [{ specifier, source, names: namesIn(readFileSync(join(ROOT, source), "utf8")) }];
});

function sourceOf(types: string): string {
  const built = types.replace("./dist/", "").replace(/\.d\.ts$/u, ".ts");
  const [name = ""] = built.split("/");
  const isPackage = existsSync(join(ROOT, "packages", name));
  return isPackage ? built.replace(name, `packages/${name}/src`) : `src/${built}`;
}

export function namesIn(code: string): readonly string[] {
  const lists = [...code.matchAll(/^export (?:type )?\{([^}]*)\}/gmu)].flatMap(([, list = ""]) =>
    list.split(","),
  );
  const spaces = [...code.matchAll(/^export \* as (\w+) /gmu)].map(([, name = ""]) => name);
  return [...lists, ...spaces]
    .map((name) =>
      name
        .trim()
        .replace(/^type /u, "")
        .replace(/^.* as /u, ""),
    )
    .filter((name) => name !== "");
}
