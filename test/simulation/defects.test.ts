import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileOf, ROOT } from "../house/imports.ts";
import { DEFECTS, FOUND_DEFECTS } from "./defects/index.ts";

test("every planted defect has its place in our code, and the list of found ones names no other", () => {
  const lost = DEFECTS.filter(
    ({ file, find }) => !readFileSync(join(ROOT, fileOf(file)), "utf8").includes(find),
  );
  expect(lost.map(({ name }) => name)).toEqual([]);
  const names = new Set(DEFECTS.map(({ name }) => name));
  expect([...FOUND_DEFECTS].filter((name) => !names.has(name))).toEqual([]);
});
