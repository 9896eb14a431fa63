/**
 * Counts the files that a program loads when it imports the library, because a count is the same on every machine. A
 * limit may grow only with a line here that gives the reason.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { bundleLibrary } from "../../scripts/library.ts";
import { scratchFolder } from "../scratch-folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const dist = join(scratchFolder("library-load"), "dist");
const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
};

beforeAll(async () => {
  mkdirSync(dist);
  writeFileSync(join(dist, "../package.json"), readFileSync(join(ROOT, "package.json")));
  symlinkSync(join(ROOT, "node_modules"), join(dist, "../node_modules"));
  await bundleLibrary(ROOT, dist);
}, 300_000);

function built(door: string): string {
  const entry = exports[door];
  if (typeof entry !== "object") throw new Error(`${door} is not exported`);
  return pathToFileURL(join(dist, "..", entry.default)).href;
}

function node(code: string): unknown {
  const text = execFileSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" });
  return JSON.parse(text);
}

/** The URLs of the modules that are loaded with a door, without Node's own. */
function loadedWith(door: string): readonly string[] {
  const code = `import { registerHooks } from "node:module";
    const seen = [];
    registerHooks({ load: (url, context, next) => (seen.push(url), next(url, context)) });
    await import(${JSON.stringify(built(door))});
    console.log(JSON.stringify(seen.filter((url) => !url.startsWith("node:"))));`;
  return node(code) as readonly string[];
}

const doors = Object.entries(exports).flatMap(([door, entry]) => (typeof entry === "string" ? [] : [door]));

/**
 * The number of our files that an entry point loads at once; they hold the modules of four hundred sources. Entry
 * points share two files, with the check of options and the error of cancelled calls; the forms of providers share
 * another one, with the turns of models, with `model-agent`. `client` and `ai-sdk` share one with the check of redirects.
 * `client` loads one file more since its parts for agents are loaded on demand; `.` and `sessions` load that one too.
 */
const FILES: readonly (readonly [door: string, most: number])[] = [
  [".", 35],
  ["./agents", 27],
  ["./store", 15],
  ["./sessions", 23],
  ["./client", 14],
  ["./transcript", 18],
];

test.each(FILES)("continuo%s loads a few files, and no other package", (door, most) => {
  const loaded = loadedWith(door);
  expect(loaded.filter((url) => url.includes("/node_modules/"))).toEqual([]);
  expect(loaded.length, loaded.join("\n")).toBeLessThanOrEqual(most);
});

describe("a door", () => {
  const importsOf = doors.map((door) => `import(${JSON.stringify(built(door))})`);

  test("exports the names of its types, and no more", () => {
    const names = node(`const all = await Promise.all([${importsOf.join()}]);
      console.log(JSON.stringify(all.map((one) => Object.keys(one))));`) as readonly (readonly string[])[];
    expect(names).toHaveLength(doors.length);
    // Names from a bundler have one or two small letters.
    expect(names.flat().filter((name) => name.length < 3)).toEqual([]);
    expect(names[doors.indexOf("./client")]?.toSorted()).toEqual([
      "connect",
      "formatMessages",
      "missedAfter",
      "openChannel",
      "openChat",
      "quotedMessages",
      "watch",
    ]);
  });

  test("throws errors that every other door knows by their class", () => {
    const code = `const { ContinuoError } = await import(${JSON.stringify(built("."))});
      const { openStore } = await import(${JSON.stringify(built("./store"))});
      const error = await openStore("nothing:").catch((thrown) => thrown);
      console.log(JSON.stringify([error instanceof ContinuoError, error.code]));`;
    expect(node(code)).toEqual([true, "invalid"]);
  });
});
