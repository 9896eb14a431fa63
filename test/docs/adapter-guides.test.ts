/**
 * The guides of the adapters begin in an empty folder: their programs need only the packages that the guides install.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ADAPTERS, readManifest } from "../../scripts/packages.ts";

const ROOT = join(import.meta.dirname, "../..");
const SCOPE = "@continuo/";

/** These packages of ours, and all packages of ours on which they depend. */
function withDependencies(names: readonly string[], found = new Set<string>()): readonly string[] {
  for (const name of names) {
    if (found.has(name)) continue;
    found.add(name);
    const below = Object.keys(readManifest(ROOT, name).dependencies ?? {});
    withDependencies(oursIn(below), found);
  }
  return [...found].sort();
}

function oursIn(packages: readonly string[]): readonly string[] {
  return packages.flatMap((name) => (name.startsWith(SCOPE) ? [name.slice(SCOPE.length)] : []));
}

test.each(ADAPTERS)(
  "the guide of %s names the packages that its programs import, and all tarballs for them",
  (name) => {
    const guide = readFileSync(join(ROOT, "docs/guides", `${name}.md`), "utf8");
    const [, line = ""] = /^npm install (@continuo.*)$/mu.exec(guide) ?? [];
    const installed = line.split(" ");
    const [, tarballs = "", others] =
      /^npm install FOLDER\/continuo-\{([^}]*)\}-\[0-9\]\*\.tgz (.*)$/mu.exec(guide) ?? [];
    expect(tarballs.split(",")).toEqual(withDependencies(oursIn(installed)));
    expect(others?.split(" ")).toEqual(installed.filter((one) => !one.startsWith(SCOPE)));
    const imported = [...guide.matchAll(/^import .* from "([^.][^"]*)";$/gmu)].flatMap(([, from = ""]) => {
      const [scope = "", below = ""] = from.split("/");
      if (scope.startsWith("node:")) return [];
      return [scope.startsWith("@") ? `${scope}/${below}` : scope];
    });
    expect(imported.length).toBeGreaterThan(1);
    for (const one of imported) expect(installed).toContain(one);
  },
);
