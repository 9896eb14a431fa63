/** The client as a page loads it: small, and without anything of Node. */

import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

test("the client is smaller than 20 kB gzipped, and imports nothing of Node", async () => {
  const bundle = await rolldown({
    input: join(ROOT, "packages/core/src/client/index.ts"),
    platform: "browser",
  });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  await bundle.close();
  const chunks = output.filter((one) => one.type === "chunk");
  expect(chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])).toEqual([]);
  const code = chunks.map((chunk) => chunk.code).join("");
  expect(code).not.toMatch(/node:/u);
  expect(gzipSync(code).length).toBeLessThan(20_000);
});
