import { expect, test } from "vitest";
import { textOnce } from "./texts.ts";
import type { Dialect } from "./work.ts";

test("a text is compiled once for a dialect, and again for another dialect of the same engine", () => {
  const one = { engine: "sqlite", nowMs: "1" } as Dialect;
  const other = { engine: "sqlite", nowMs: "2" } as Dialect;
  const made: string[] = [];
  const textOf = (dialect: Dialect): string =>
    textOnce(dialect, "now", () => {
      made.push(dialect.nowMs);
      return `select ${dialect.nowMs}`;
    });
  expect([one, other, one, other].map(textOf)).toEqual(["select 1", "select 2", "select 1", "select 2"]);
  expect(made).toEqual(["1", "2"]);
});
