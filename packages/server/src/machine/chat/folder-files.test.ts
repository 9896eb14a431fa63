import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { bestOf, createFolderListings } from "./folder-files.ts";
import { LIVE_LIMITS } from "./limits.ts";

let folder: string;
beforeEach(() => {
  folder = scratchFolder("files");
});

function write(path: string): void {
  mkdirSync(join(folder, "project", path, ".."), { recursive: true });
  writeFileSync(join(folder, "project", path), "");
}

test("files of the folder are found, and no files of a link, of a tool's folder, or of another folder", async () => {
  for (const path of ["src/brew.ts", "README.md", "node_modules/x/brew.ts", ".git/brew", ".env"]) write(path);
  writeFileSync(join(folder, "brew-secret"), "");
  symlinkSync(folder, join(folder, "project", "up"));
  symlinkSync(join(folder, "brew-secret"), join(folder, "project", "brew-link"));
  writeFileSync(join(folder, "project", "brew\nwithin"), "");
  const listings = createFolderListings();
  const all = await listings.find(join(folder, "project"), "");
  expect(all).toEqual({ files: [".env", "README.md", "src/brew.ts"], isCut: false });
  expect((await listings.find(join(folder, "project"), "brew")).files).toEqual(["src/brew.ts"]);
  expect((await listings.find(join(folder, "project"), "../")).files).toEqual([]);
  expect(await listings.find(join(folder, "gone"), "")).toEqual({ files: [], isCut: false });
});

test("names that begin with the letters come first, then names that contain them, then names that contain them in this order", () => {
  const files = ["a/brew.ts", "lib/unbrew.ts", "b/r/e/w.ts", "brewery/x.ts", "none"];
  expect(bestOf(files, "BREW")).toEqual(["a/brew.ts", "brewery/x.ts", "lib/unbrew.ts", "b/r/e/w.ts"]);
  expect(
    bestOf(
      Array.from({ length: 50 }, (_, at) => `f${at}`),
      "f",
    ),
  ).toHaveLength(LIVE_LIMITS.shownFiles);
});
