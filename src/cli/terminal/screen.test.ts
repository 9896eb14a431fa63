import { expect, test } from "vitest";
import { screenOf } from "./screen.ts";
import type { Shell } from "./shell.ts";

function colours(env: Record<string, string>, isTTY: boolean): boolean {
  const stream = { isTTY, columns: 100, rows: 40 } as NodeJS.WriteStream;
  return screenOf({ env } as unknown as Shell, stream).hasColours;
}

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ TERM: "dumb" }, true, false],
  [{ NO_COLOR: "1" }, true, false],
  [{ NO_COLOR: "" }, true, true],
  [{ FORCE_COLOR: "1" }, false, true],
  [{ FORCE_COLOR: "0" }, true, false],
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, true, false],
  [{ FORCE_COLOR: "", TERM: "dumb" }, false, true],
])("colours with %j on a terminal (%s): %s", (env, isTTY, expected) => {
  expect(colours(env, isTTY)).toBe(expected);
});
