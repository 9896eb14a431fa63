/** The reference of the library has a page for everything that the packages export. */

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PACKAGES } from "../../scripts/packages.ts";
import * as continuo from "../../src/index.ts";
import { ROOT } from "../house/imports.ts";
import { scratchFolder } from "../scratch-folder.ts";

test("the reference is made without a warning, and has each name of the library", {
  timeout: 600_000,
}, () => {
  const folder = scratchFolder("reference");
  const made = spawnSync(process.execPath, ["scripts/reference.ts", folder], {
    cwd: ROOT,
    encoding: "utf8",
  });
  expect(made.stdout + made.stderr).not.toContain("warning");
  expect(made.status).toBe(0);
  const page = readFileSync(join(folder, "modules/src.html"), "utf8");
  expect(Object.keys(continuo).filter((name) => !page.includes(`id="${name.toLowerCase()}"`))).toEqual([]);
  const packages = readdirSync(join(folder, "modules"));
  expect(PACKAGES.filter((name) => !packages.some((file) => file.includes(name)))).toEqual([]);
  expect(readFileSync(join(folder, "index.html"), "utf8")).toContain("Continuo");
});
