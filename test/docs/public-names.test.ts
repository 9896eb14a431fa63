/** Every public name of `continuo` stands in an example, which `examples.full.test.ts` checks and runs. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const EXAMPLES = ["docs", "docs/guides"]
  .flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`))
  .filter((name) => name.endsWith(".md"))
  .flatMap((name) => [...read(name).matchAll(/^```ts\n([\s\S]*?)^```$/gmu)].map(([, code = ""]) => code));

/** The names of its lists of exports, types too; former names have none. */
function publicNames(): readonly string[] {
  const lists = [...read("src/index.ts").matchAll(/^export (?:type )?\{([^}]*)\}/gmu)];
  const names = lists.flatMap(([, list = ""]) => list.split(",")).map((name) => name.trim());
  return names.filter((name) => name !== "").map((name) => name.replace(/^type /u, ""));
}

/** The names that an example imports from `continuo` and its entries. */
function importedBy(code: string): readonly string[] {
  const lists = [...code.matchAll(/^import (?:type )?\{([^}]*)\} from "continuo(?:\/[\w/-]+)?";$/gmu)];
  return lists.flatMap(([, list = ""]) => list.split(",")).map((name) => name.trim().replace(/^type /u, ""));
}

test("every public name of `continuo` is imported and used by an example", () => {
  const used = new Set(
    EXAMPLES.flatMap((code) => {
      const body = code.replaceAll(/^import [^;]*;$/gmu, "");
      return importedBy(code).filter((name) => new RegExp(`\\b${name}\\b`, "u").test(body));
    }),
  );
  const names = publicNames();
  expect(names.length).toBeGreaterThan(150);
  expect(names.filter((name) => !used.has(name))).toEqual([]);
});
