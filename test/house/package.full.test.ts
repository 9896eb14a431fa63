/** The files of the package, as npm packs them. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { usedTypes } from "../../scripts/types.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { ROOT } from "./imports.ts";

const FOREIGN =
  /\.test\.|\.map$|(?:^|\/)(?:test|tests|bench|scripts|src|node_modules|fixtures|coverage|\.[^/]+)\/|(?:^|\/)\.|\.(?:pem|key|env|db|log)$/u;

/** The built modules keep the folders of their packages, so only maps and tests are forbidden among them. */
const BUILT = /^dist\/modules\/(?:packages\/[^/]+\/)?src\//u;

/** Sessions of agents in the form of a home, for people who have no sessions. They ship on purpose. */
const EXAMPLES = "examples/sessions/";

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly types: string } | string>>;
}

interface Packed {
  /** Bytes of the tarball. */
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

function packedFiles(): Packed {
  const home = scratchFolder("package");
  const env = { PATH: process.env.PATH ?? "", HOME: home, npm_config_offline: "true" };
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const stdio = ["ignore", "pipe", "ignore"] as const;
  const text = execFileSync("npm", args, { cwd: ROOT, env, encoding: "utf8", stdio: [...stdio] });
  const [packed] = JSON.parse(text) as readonly [Packed];
  return packed;
}

const packed = packedFiles();

test("the package has at most 6 MB, and no tests, no benchmarks, no sources of the build and no secrets", () => {
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toContain("bin/continuo.js");
  const foreign = paths.filter((path) => FOREIGN.test(path.replace(BUILT, "")) && !path.startsWith(EXAMPLES));
  expect(foreign).toEqual([]);
  expect(packed.size).toBeLessThan(6_000_000);
});

test("the package has the declarations that its entry points need, and no others", () => {
  const { exports }: Manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const entries = Object.values(exports).flatMap((entry) =>
    typeof entry === "string" ? [] : [join(ROOT, entry.types)],
  );
  const needed = [...usedTypes(entries)].map((path) => relative(ROOT, path)).sort();
  expect(entries.length).toBeGreaterThan(10);
  expect(
    packed.files
      .map(({ path }) => path)
      .filter((path) => path.endsWith(".d.ts"))
      .sort(),
  ).toEqual(needed);
});

/** The targets of a document's links, and the names of its headings, as Markdown on the web makes them. */
const LINK = /\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?(?:\s[^)]*)?\)/gu;

function anchorsIn(text: string): ReadonlySet<string> {
  const slugs = new Map<string, number>();
  const headings = [...text.replaceAll(/^```[\s\S]*?^```/gmu, "").matchAll(/^#+ (.+)$/gmu)];
  return new Set(
    headings.map(([, heading = ""]) => {
      const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1").toLowerCase();
      const slug = words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(/\s/gu, "-");
      const count = slugs.get(slug) ?? 0;
      slugs.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${count}`;
    }),
  );
}

test("every link of a document of the package leads to a file of the package, and to a heading that it has", () => {
  const paths = packed.files.map(({ path }) => path);
  const places = new Set(paths.flatMap((path) => [path, ...foldersAbove(path)]));
  const documents = paths.filter((path) => path.endsWith(".md"));
  const anchors = new Map(documents.map((path) => [path, anchorsIn(readFileSync(join(ROOT, path), "utf8"))]));
  const links = documents.flatMap((document) =>
    [...readFileSync(join(ROOT, document), "utf8").matchAll(LINK)].map(([, target = "", anchor]) => {
      const place = target === "" ? document : join(dirname(document), target).replace(/\/$/u, "");
      const isThere = places.has(place) && (anchor === undefined || anchors.get(place)?.has(anchor) === true);
      return { isThere, link: `${document}: ${target}${anchor === undefined ? "" : `#${anchor}`}` };
    }),
  );
  expect(documents.length).toBeGreaterThan(100);
  expect(links.length).toBeGreaterThan(300);
  expect(links.filter(({ isThere }) => !isThere).map(({ link }) => link)).toEqual([]);
});

function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === "." ? [] : [folder, ...foldersAbove(folder)];
}
