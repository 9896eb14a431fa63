/** `npm run reference`: the pages of all entries, with each name that they export and with the examples. */

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { ENTRIES } from "./entries.ts";

const ROOT = join(import.meta.dirname, "../..");
const pages = join(scratchFolder("reference"), "pages");

beforeAll(() => {
  const typedoc = join(ROOT, "reference/node_modules/typedoc");
  expect(existsSync(typedoc), "TypeDoc is missing: run `npm ci --prefix reference`").toBe(true);
  const script = join(ROOT, "scripts/reference.ts");
  // A warning, such as a link to nothing, ends it with a status.
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, pages], { encoding: "utf8" });
  expect([status, stderr], stdout).toEqual([0, ""]);
}, 240_000);

test.each(ENTRIES)(
  "the page of `$specifier` has every name that it exports, with a page or a place of its own",
  ({ source, names }) => {
    const module = dirname(source).replaceAll("/", "_");
    const page = readFileSync(join(pages, "modules", `${module}.html`), "utf8");
    const links = new Set([...page.matchAll(/href="[^"]*?(\w+)(?:\.html)?"/gu)].map(([, name = ""]) => name));
    // A module under a name, such as TranscriptBuilder, is a link to the page of the module.
    const modules = new Set(
      [...page.matchAll(/<span>(\w+)<\/span><span>[^<]*→/gu)].map(([, name = ""]) => name),
    );
    expect(names.filter((name) => !links.has(name) && !modules.has(name))).toEqual([]);
  },
);

test("the examples of every name are among the pages", () => {
  const documents = readdirSync(join(pages, "documents"));
  expect(documents.filter((name) => name.includes("examples")).toSorted()).toEqual([
    "docs_examples-parts.html",
    "docs_examples.html",
  ]);
});
