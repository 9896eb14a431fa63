/** More edits of a file than are compared with its lines. */

import { expect, test } from "vitest";
import type { FileEdit } from "./file-edit.ts";
import { hunkOfTexts } from "./hunks.ts";
import { lineOrigins } from "./line-origins.ts";

/** An edit as its call asks for it: texts that can begin within a line. */
function replaced(before: string, after: string): FileEdit {
  return { path: "a", movedFrom: null, kind: "edit", hunks: [hunkOfTexts(before, after, { partial: true })] };
}

test("edits that are too many to be compared are counted, the oldest", () => {
  const file = Array.from({ length: 5_000 }, (_, at) => `line number ${at}`).join("\n");
  const edits = Array.from({ length: 6_000 }, (_, at) =>
    replaced(`line number ${at}x`, `no such line ${at}`),
  );
  const { left } = lineOrigins(file.split("\n"), edits);
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(6_000);
});
