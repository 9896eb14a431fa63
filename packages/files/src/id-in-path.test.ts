import { expect, test } from "vitest";
import { idInPath } from "./id-in-path.ts";

test.each(["4bf3c2a1-0000-4000-8000-000000000001", "ses_7c1aF", "a.b"])(
  "the id %s can be a part of a path",
  (id) => {
    expect(idInPath(id)).toBe(id);
  },
);

test.each([
  "",
  ".",
  "..",
  "../x",
  "a/b",
  "a\\b",
  "a/../../b",
  "a..b",
  ".hidden",
  "-r",
  "a\nb",
  "a\0b",
  "a b",
  "é",
  "a".repeat(201),
])("the id %j cannot be part of a path", (id) =>
  expect(() => idInPath(id)).toThrow("cannot be part of a path"),
);
