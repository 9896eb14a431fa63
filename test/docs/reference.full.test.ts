/** `npm run reference`: the pages of all entries, with each name that they export and with the examples. */

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ADAPTERS, doorsOf } from "../../scripts/packages.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { ENTRIES, namesIn } from "./entries.ts";

const ROOT = join(import.meta.dirname, "../..");
const pages = join(scratchFolder("reference"), "pages");

beforeAll(() => {
  const typedoc = join(ROOT, "reference/node_modules/typedoc");
  expect(existsSync(typedoc), "TypeDoc is missing: run `npm ci --prefix reference`").toBe(true);
  const script = join(ROOT, "scripts/reference.ts");
  // A warning, for example about a broken link, sets the exit status.
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, pages], { encoding: "utf8" });
  expect([status, stderr], stdout).toEqual([0, ""]);
}, 600_000);

/** The names that have neither a page nor a section on the page of the entry point. */
function missingNames(source: string, names: readonly string[]): readonly string[] {
  const page = readFileSync(join(pages, "modules", `${dirname(source).replaceAll("/", "_")}.html`), "utf8");
  const links = new Set([...page.matchAll(/href="[^"]*?(\w+)(?:\.html)?"/gu)].map(([, name = ""]) => name));
  // A module under a name, such as TranscriptBuilder, is a link to the page of the module.
  const modules = new Set(
    [...page.matchAll(/<span>(\w+)<\/span><span>[^<]*→/gu)].map(([, name = ""]) => name),
  );
  return names.filter((name) => !links.has(name) && !modules.has(name));
}

test.each(ENTRIES)(
  "the page of `$specifier` has every name that it exports, with a page or a place of its own",
  ({ source, names }) => expect(missingNames(source, names)).toEqual([]),
);

test.each(ADAPTERS.flatMap((name) => [...doorsOf(ROOT, name)]))(
  "the page of the adapter `%s` has every name that it exports",
  (_, source) => {
    const names = namesIn(readFileSync(join(ROOT, source), "utf8"));
    expect(names.length).toBeGreaterThan(0);
    expect(missingNames(source, names)).toEqual([]);
  },
);

test("the examples of every name are among the pages", () => {
  const documents = readdirSync(join(pages, "documents"));
  expect(documents.filter((name) => name.includes("examples")).toSorted()).toEqual([
    "docs_examples-parts.html",
    "docs_examples.html",
  ]);
});
