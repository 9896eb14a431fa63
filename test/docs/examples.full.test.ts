/**
 * Every example of README and docs is type-checked and, unless the document says what it needs, run: as it is written, in
 * a project that has the packed package. `packages.full.test.ts` does the same for the README of each package.
 */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ADAPTERS } from "../../scripts/packages.ts";
import { installPackage, manifest } from "../installed-package.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { examplesIn, packagesOf, runExample, typeProblems } from "./examples.ts";

const ROOT = join(import.meta.dirname, "../..");
const DOCUMENTS = [
  "README.md",
  ...["docs", "docs/guides"].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`),
  ),
].filter((name) => name.endsWith(".md"));
/** `packages.full.test.ts` checks those with a framework, next to the framework. */
const EXAMPLES = DOCUMENTS.flatMap(examplesIn).filter((example) =>
  ADAPTERS.every((name) => !packagesOf([example]).includes(`@continuo/${name}`)),
);

const folder = scratchFolder("examples");
let project: string;
beforeAll(async () => {
  const { user, link } = await installPackage(folder);
  project = user;
  // The packages that the examples import, and those that Continuo loads for them.
  const others = packagesOf(EXAMPLES).filter((name) => name !== "continuo");
  for (const name of ["@types/node", ...others, ...Object.keys(manifest.peerDependencies)]) link(name);
}, 600_000);

test("every example of the documents is type-checked with the settings that `tsc --init` writes", async () => {
  expect(EXAMPLES.length).toBeGreaterThan(60);
  expect(await typeProblems(project, EXAMPLES)).toEqual([]);
});

test.each(EXAMPLES.filter(({ isRun }) => isRun))(
  "the example at $place prints what it says",
  async (example) => {
    for (const { text, pattern, printed } of await runExample(project, example)) {
      expect(printed, text).not.toEqual([]);
      for (const shown of printed) expect(shown, text).toMatch(pattern);
    }
  },
);
