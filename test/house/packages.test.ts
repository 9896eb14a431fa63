/** Each of our packages uses only what its `package.json` names. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ADAPTERS, PACKAGES, readManifest } from "../../scripts/packages.ts";
import { DOORS, ROOT, readSource, type SourceFile } from "./imports.ts";

interface RootManifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const root: RootManifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const production = readSource().filter(({ path }) => !path.endsWith(".test.ts"));

function filesOf(name: string): readonly SourceFile[] {
  return production.filter(({ file }) => file.startsWith(`packages/${name}/`));
}

/** For example `@hono/node-server` of `@hono/node-server/conninfo`. */
function nameOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function importedBy(name: string): readonly string[] {
  const specifiers = filesOf(name).flatMap(({ imports }) => imports.map(({ specifier }) => specifier));
  const names = specifiers.filter((one) => !one.startsWith(".")).map(nameOf);
  return [...new Set(names)].filter((one) => !one.startsWith("node:")).sort();
}

describe.each([...PACKAGES, ...ADAPTERS])("the package %s", (name) => {
  const { version, dependencies = {}, peerDependencies = {}, ...manifest } = readManifest(ROOT, name);

  test("names in package.json what it imports, and nothing else", () => {
    const named = Object.keys({ ...dependencies, ...peerDependencies }).sort();
    const ours = named.filter((one) => one.startsWith("@continuo/"));
    const unused = named.filter((one) => !importedBy(name).includes(one));
    expect(importedBy(name).filter((one) => !named.includes(one))).toEqual([]);
    expect(unused.filter((one) => !ours.includes(one))).toEqual([]);
  });

  test("has the version of the root, and the versions of others that the root has", () => {
    expect([manifest.name, version]).toEqual([`@continuo/${name}`, root.version]);
    const wrong = Object.entries(dependencies).filter(([one, wanted]) =>
      one.startsWith("@continuo/")
        ? wanted !== root.version
        : wanted !== (root.dependencies[one] ?? root.devDependencies[one]),
    );
    expect(wrong).toEqual([]);
  });

  test("refers the compiler to the packages that it depends on", () => {
    const { references } = JSON.parse(readFileSync(join(ROOT, "packages", name, "tsconfig.json"), "utf8"));
    const below = Object.keys(dependencies).filter((one) => one.startsWith("@continuo/"));
    expect(references.map(({ path }: { readonly path: string }) => path)).toEqual(
      below.map((one) => one.replace("@continuo/", "../")).sort(),
    );
  });

  test("has a page of one screen that names its doors", () => {
    const page = readFileSync(join(ROOT, "packages", name, "README.md"), "utf8");
    expect(page.startsWith(`# @continuo/${name}\n`)).toBe(true);
    expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(50);
    const doors = Object.keys(manifest.exports).map((door) => `\`@continuo/${name}${door.slice(1)}\``);
    expect(doors.filter((door) => !page.includes(door))).toEqual([]);
  });

  test("has an index.ts as its door", () => {
    expect(manifest.exports["."]).toMatch(/^\.\/src\/(?:\w+\/)?index\.ts$/u);
  });
});

test("the list of packages has each folder, after those that it depends on", () => {
  const all = [...PACKAGES, ...ADAPTERS];
  expect(all.toSorted()).toEqual(readdirSync(join(ROOT, "packages")).sort());
  const wrong = all.filter((name, at) =>
    Object.keys(readManifest(ROOT, name).dependencies ?? {}).some(
      (one) => one.startsWith("@continuo/") && !all.slice(0, at).includes(one.slice("@continuo/".length)),
    ),
  );
  expect(wrong).toEqual([]);
});

test("the root installs or bundles every package that our packages need", () => {
  const needed = PACKAGES.flatMap((name) => {
    const { dependencies, peerDependencies } = readManifest(ROOT, name);
    return Object.keys({ ...dependencies, ...peerDependencies });
  }).filter((one) => !one.startsWith("@continuo/"));
  const there = [root.dependencies, root.devDependencies, root.peerDependencies];
  expect(needed.filter((one) => there.every((names) => !(one in names)))).toEqual([]);
});

test("a framework is installed next to its adapter in one exact version, and never with the root", () => {
  for (const name of ADAPTERS) {
    const { peerDependencies = {}, peerDependenciesMeta = {} } = readManifest(ROOT, name);
    const { dependencies }: RootManifest = JSON.parse(
      readFileSync(join(ROOT, "frameworks", name, "package.json"), "utf8"),
    );
    expect(Object.keys(peerDependencies).filter((one) => !(one in dependencies))).toEqual([]);
    expect(Object.keys(peerDependencies)).toEqual(Object.keys(peerDependenciesMeta));
    expect(Object.values(dependencies).filter((version) => !/^\d+\.\d+\.\d+$/u.test(version))).toEqual([]);
  }
});

test("a package is entered only by a door that its package.json exports", () => {
  const wrong = [...production, ...readSource("web"), ...readSource("extension")].flatMap((file) =>
    [...file.text.matchAll(/ from "(@continuo\/[^"]+)"/gu)]
      .map(([, specifier = ""]) => specifier)
      .filter((specifier) => !DOORS.has(specifier))
      .map((specifier) => `${file.file}: ${specifier}`),
  );
  expect(wrong).toEqual([]);
  expect(DOORS.size).toBeGreaterThan(30);
});
