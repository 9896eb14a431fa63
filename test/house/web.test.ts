/** The viewer's page is separate from the packages: it uses the DOM, and imports only a few of their entry points. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT, readSource } from "./imports.ts";

/** The entry points of our packages that a page may use: those that run in a browser. */
const DOORS =
  /^@continuo\/core\/(?:client(?:\/(?:channel|live))?|model|transcript(?:\/html)?|wire(?:\/machine)?)$/u;

const files = readSource("web");

/** Returns true for a module of Node, another entry point of our packages, or a file elsewhere in the repository. */
function isOutside(to: string, file: string): boolean {
  if (to.startsWith("@continuo/")) return !DOORS.test(to);
  return to.startsWith("node:") || (file !== "" && !file.startsWith("web/"));
}

test("web/ imports of our packages only what runs in a browser", () => {
  expect(files.length).toBeGreaterThan(2);
  const out = files
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .flatMap(({ path, imports }) => imports.map(({ target, file }) => ({ from: path, to: target, file })))
    .filter(({ to, file }) => isOutside(to, file));
  expect(out).toEqual([]);
});

test("nothing in our packages imports the page", () => {
  const above = readSource().flatMap((file) =>
    file.imports.filter((one) => one.file.startsWith("web/")).map(() => file.path),
  );
  expect(above).toEqual([]);
});

test("every file of web/ begins with what it is, and has at most 500 lines", () => {
  const wrong = files.filter(
    ({ path, text }) =>
      (!path.endsWith(".test.ts") && !text.startsWith("/**")) || text.split("\n").length > 501,
  );
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test("HTML is made of text in one place", () => {
  const makers = /innerHTML|outerHTML|insertAdjacent|document\.write|createPolicy|dangerouslySet|srcdoc/u;
  expect(files.filter(({ text }) => makers.test(text)).map(({ path }) => path)).toEqual([
    "content/trusted-html.ts",
  ]);
});

test("web/package.json names what the page imports, and nothing else, in the versions that are installed", () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, "web/package.json"), "utf8"));
  const root = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const imported = files
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .flatMap(({ imports }) => imports.map(({ specifier }) => nameOf(specifier)))
    .filter((name) => !name.startsWith("."));
  expect(Object.keys(manifest.dependencies)).toEqual([...new Set(imported)].sort());
  expect([manifest.private, manifest.version, manifest.dependencies["@continuo/core"]]).toEqual([
    true,
    root.version,
    root.version,
  ]);
});

/** For example `preact` of `preact/hooks`. */
function nameOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

test("the compiler checks web/ with the packages, with the types of a browser and none of Node", () => {
  const config = JSON.parse(readFileSync(join(ROOT, "web/tsconfig.json"), "utf8"));
  const root = JSON.parse(readFileSync(join(ROOT, "tsconfig.json"), "utf8"));
  expect(config.compilerOptions.types).toEqual([]);
  expect(config.references).toEqual([{ path: "../packages/core" }]);
  expect(root.references).toContainEqual({ path: "web" });
});
