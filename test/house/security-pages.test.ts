/** The pages about security say what the code does: tables and numbers of the documentation that tests compare. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./imports.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const SERVER = read("docs/server.md");

/** The first cells of a table below a heading cell, without marks. */
function firstCells(page: string, heading: string): readonly string[] {
  const [, table = ""] = page.split(`\n| ${heading} |`);
  const [, , ...rows] = (table.split("\n\n")[0] ?? "").split("\n");
  return rows.map((row) => row.split(" | ")[0]?.replace(/^\| /u, "").replaceAll("`", "") ?? "");
}

test("the server's page lists every event of the security log, and no other", () => {
  const [, union = ""] = read("packages/server/src/server/context/context.ts").split(
    "export type SecurityEventType =",
  );
  const types = [...(union.split(";")[0] ?? "").matchAll(/"(\w+)"/gu)].map(([, type = ""]) => type);
  expect(types.length).toBeGreaterThan(10);
  expect(firstCells(SERVER, "security event").toSorted()).toEqual(types.toSorted());
});

test("the server's page lists all its logs", () => {
  expect(firstCells(SERVER, "log")).toEqual([
    "security log",
    "[audit log](#the-audit-log)",
    "stderr",
    "stdout",
    "metrics",
    "channels, sessions and streams",
  ]);
});
