/** The page about editors says how many rules of the protocol's test kit are tried. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GROUPS } from "./v2.ts";

test("the number of rules of version 2 is that of the page, and no id stands twice", () => {
  const titles: string[] = [];
  // This rule needs another process, so `describeConformance2` declares it outside of GROUPS.
  titles.push("INIT-202");
  for (const [, rules] of GROUPS) rules((title) => titles.push(title));
  const ids = titles.map((title) => title.split(" ")[0]);
  expect(new Set(ids).size).toBe(ids.length);
  const page = readFileSync(join(import.meta.dirname, "../../../docs/editors.md"), "utf8");
  expect(page).toContain(`${ids.length} rules of the draft of version 2`);
});
