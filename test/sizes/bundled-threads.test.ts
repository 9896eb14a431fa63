/** Threads that start from bundles. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT, readSource } from "../house/imports.ts";
import { withBundles } from "./bundled-threads.ts";

test("each module that starts a thread starts its bundle, and any other module stays as it is", () => {
  const starting = readSource().filter(({ text }) => text.includes("new Worker(besideBundle("));
  expect(starting.length).toBeGreaterThan(1);
  for (const { file, text } of starting) {
    const made = withBundles(text, join(ROOT, file)) ?? "";
    const [, program = ""] = /await __bundledProgram\("(.+)"\);/u.exec(made) ?? [];
    expect([file, existsSync(join(ROOT, program))]).toEqual([file, true]);
    expect(made).toContain("new Worker(__thread0,");
  }
  expect(withBundles("export const a = 1;", join(ROOT, "packages/a/src/a.ts"))).toBeNull();
});
