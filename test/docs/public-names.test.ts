/**
 * An example uses every public name of every entry point of `continuo`; `examples.full.test.ts` checks and runs the
 * examples.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ENTRIES } from "./entries.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const EXAMPLES = ["docs", "docs/guides"]
  .flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`))
  .filter((name) => name.endsWith(".md"))
  .flatMap((name) => [...read(name).matchAll(/^```ts\n([\s\S]*?)^```$/gmu)].map(([, code = ""]) => code));

/** Each name that an example imports and uses, such as `continuo/client connect`. */
const USED = new Set(
  EXAMPLES.flatMap((code) => {
    const body = code.replaceAll(/^import [^;]*;$/gmu, "");
    const imports = [...code.matchAll(/^import (?:type )?\{([^}]*)\} from "(continuo(?:\/[\w/-]+)?)";$/gmu)];
    return imports.flatMap(([, list = "", specifier = ""]) =>
      list
        .split(",")
        .map((name) => name.trim().replace(/^type /u, ""))
        .filter((name) => name !== "" && new RegExp(`\\b${name}\\b`, "u").test(body))
        .map((name) => `${specifier} ${name}`),
    );
  }),
);

test.each(ENTRIES)(
  "every public name of `$specifier` is imported and used by an example",
  async ({ source, names }) => {
    const entry: Readonly<Record<string, unknown>> = await import(join(ROOT, source));
    expect(names.length).toBeGreaterThan(3);
    const unused: string[] = [];
    for (const name of names) {
      let isUsed = false;
      for (const other of ENTRIES) {
        if (isUsed || !USED.has(`${other.specifier} ${name}`)) continue;
        // Several entry points may export the same thing, and an example of one of them is enough.
        const others: Readonly<Record<string, unknown>> = await import(join(ROOT, other.source));
        isUsed = others[name] === entry[name];
      }
      if (!isUsed) unused.push(name);
    }
    expect(unused).toEqual([]);
  },
);
