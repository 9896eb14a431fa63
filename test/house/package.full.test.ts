/** The files of the package, as npm packs them. */

import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { ROOT } from "./imports.ts";

const FOREIGN =
  /\.test\.|\.map$|(?:^|\/)(?:test|tests|bench|scripts|src|node_modules|fixtures|coverage|\.[^/]+)\/|(?:^|\/)\.|\.(?:pem|key|env|db|log)$/u;

/** The built modules keep the folders of their packages. Only maps and tests have no place among them. */
const BUILT = /^dist\/modules\/(?:packages\/[^/]+\/)?src\//u;

/** Sessions of agents as they lie in a home, for people who have none: they ship on purpose. */
const EXAMPLES = "examples/sessions/";

interface Packed {
  /** Bytes of the tarball. */
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

test("the package has at most 6 MB, and no tests, no benchmarks, no sources of the build and no secrets", () => {
  const home = scratchFolder("package");
  const env = { PATH: process.env.PATH ?? "", HOME: home, npm_config_offline: "true" };
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const stdio = ["ignore", "pipe", "ignore"] as const;
  const text = execFileSync("npm", args, { cwd: ROOT, env, encoding: "utf8", stdio: [...stdio] });
  const [packed] = JSON.parse(text) as readonly [Packed];
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toContain("bin/continuo.js");
  const foreign = paths.filter((path) => FOREIGN.test(path.replace(BUILT, "")) && !path.startsWith(EXAMPLES));
  expect(foreign).toEqual([]);
  expect(packed.size).toBeLessThan(6_000_000);
}, 120_000);
