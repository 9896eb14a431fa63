import fc from "fast-check";
import { expect, test } from "vitest";
import { shortIds } from "./short-ids.ts";

test("a short id has eight characters, more if another id has the same beginning, and never ends with a hyphen", () => {
  const ids = ["aaaaaaaa-1", "aaaaaaaa-2", "bbbbbbbb-cccc", "short"];
  expect([...shortIds(ids, [...ids, "bbbbbbbbx"]).values()]).toEqual([
    "aaaaaaaa-1",
    "aaaaaaaa-2",
    "bbbbbbbb-c",
    "short",
  ]);
});

test("a short id is the beginning of only one id", () => {
  const id = fc
    .array(fc.constantFrom("a", "B", "-", "c"), { minLength: 1, maxLength: 14 })
    .map((p) => p.join(""));
  fc.assert(
    fc.property(fc.uniqueArray(id, { selector: (text) => text.toLowerCase() }), (ids) => {
      for (const [whole, short] of shortIds(ids, ids)) {
        const matches = ids.filter((other) => other.toLowerCase().startsWith(short.toLowerCase()));
        expect(short === whole || matches.length === 1).toBe(true);
      }
    }),
  );
});
