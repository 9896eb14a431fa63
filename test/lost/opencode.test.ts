/**
 * Sessions that opencode's own list hides are named, restored and hidden again. The real program confirms this in
 * `test/agents/lost/`.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { returnHiddenSession } from "@continuo/native/editing";
import { afterAll, expect, test } from "vitest";
import { makeRepository, OPENCODE_RECIPES, opencodeDatabase, writeOpencode } from "./opencode-recipes.ts";
import { hiddenIn, proveRecipes } from "./prove.ts";
import { type LostHome, makeLostHome, placesOfHome } from "./recipe.ts";

const scratch = mkdtempSync(join(tmpdir(), "continuo-lost-opencode-"));
afterAll(() => rmSync(scratch, { recursive: true }));

proveRecipes("opencode", OPENCODE_RECIPES);

/** Sessions that look like hidden ones, but that the list shows or no person misses. */
const LISTED: readonly (readonly [string, (home: LostHome) => void])[] = [
  ["a folder without git", (home) => writeOpencode(home, { path: home.project.slice(1) })],
  ["a missing folder", (home) => writeOpencode(home, { directory: "/srv/gone", project: "0".repeat(40) })],
  ["a repository", (home) => writeOpencode(home, { project: makeRepository(home) })],
  [
    "a folder that opencode treats as a repository at its next start",
    (home) => {
      makeRepository(home);
      writeOpencode(home);
    },
  ],
  [
    "a project that opencode moves to the new one at its next start",
    (home) => {
      makeRepository(home);
      writeFileSync(join(home.project, ".git", "opencode"), "f".repeat(40));
      writeOpencode(home, { project: "f".repeat(40) });
    },
  ],
  [
    "a folder inside of a repository",
    (home) => {
      const directory = join(home.project, "packages");
      mkdirSync(directory);
      writeOpencode(home, { project: makeRepository(home), directory, path: "packages" });
    },
  ],
];

test.each(LISTED)("%s does not count as missing", async (_title, make) => {
  const home = makeLostHome(mkdtempSync(join(scratch, "listed-")));
  make(home);
  expect(await hiddenIn(home, "opencode")).toEqual([]);
});

test("the messages stay in their tables while the row of their session changes", async () => {
  const home = makeLostHome(mkdtempSync(join(scratch, "rows-")));
  makeRepository(home);
  writeOpencode(home, { project: "0".repeat(40) });
  const [hidden] = await hiddenIn(home, "opencode");
  if (hidden === undefined) throw new Error("nothing is hidden");
  await returnHiddenSession(hidden, { places: placesOfHome(home), write: "in place" });
  using database = new DatabaseSync(opencodeDatabase(home), { readOnly: true });
  const count = (table: string): unknown =>
    database.prepare(`select count(*) as count from ${table}`).get()?.count;
  expect([count("session"), count("message"), count("part")]).toEqual([1, 2, 2]);
});
