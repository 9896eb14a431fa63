/** The client as a page loads it: small, and without anything of Node. */

import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** In one file, as a server sends it to pages without a build step. */
test("the client is smaller than 20 kB gzipped, and imports nothing of Node", async () => {
  const bundle = await rolldown({
    input: join(ROOT, "packages/core/src/client/index.ts"),
    platform: "browser",
  });
  const { output } = await bundle.generate({ format: "esm", minify: true, codeSplitting: false });
  await bundle.close();
  const chunks = output.filter((one) => one.type === "chunk");
  const imported = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
  // The file itself has the parts that the client loads on demand.
  const own = chunks.map(({ fileName }) => fileName);
  expect(imported.filter((name) => !own.includes(name))).toEqual([]);
  expect(own).toHaveLength(1);
  const code = chunks.map((chunk) => chunk.code).join("");
  expect(code).not.toMatch(/node:/u);
  expect(gzipSync(code).length).toBeLessThan(20_000);
});
