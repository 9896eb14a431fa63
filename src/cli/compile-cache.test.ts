import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../test/scratch-folder.ts";
import { compileCacheFolder, MAX_KEPT_BUILDS } from "./compile-cache.ts";

let root: string;
let bundle: string;

beforeEach(() => {
  root = scratchFolder("compiled");
  bundle = join(root, "main.js");
  writeFileSync(bundle, "");
});

const home = (): string => join(root, "home");
const kept = (): string[] => readdirSync(join(home(), "cache/compiled"));

test("nothing is written if Continuo has no home yet, and nothing is cached for sources", () => {
  expect(compileCacheFolder(home(), bundle)).toBe(null);
  mkdirSync(home());
  expect(compileCacheFolder(home())).toBe(null);
  expect(readdirSync(home())).toEqual([]);
});

test("a build has one folder, which only this user can read", () => {
  mkdirSync(home());
  const folder = compileCacheFolder(home(), bundle) ?? "";
  expect(compileCacheFolder(home(), bundle)).toBe(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(home(), "cache")).mode & 0o777).toBe(0o700);
});

test("at most a fixed number of builds is kept, and these are the newest", () => {
  mkdirSync(home());
  const folders = Array.from({ length: MAX_KEPT_BUILDS + 3 }, (_, day) => {
    const at = new Date(Date.UTC(2026, 0, 1 + day));
    utimesSync(bundle, at, at);
    const folder = compileCacheFolder(home(), bundle) ?? "";
    utimesSync(folder, at, at);
    return folder;
  });
  const newest = folders.slice(-MAX_KEPT_BUILDS).map((path) => path.split("/").at(-1));
  expect(kept().sort()).toEqual(newest.sort());
});

test("the command runs without a cache if nothing can be written", () => {
  mkdirSync(home());
  writeFileSync(join(home(), "cache"), "a file");
  expect(compileCacheFolder(home(), bundle)).toBe(null);
});
