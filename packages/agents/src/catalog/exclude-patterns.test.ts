import { expect, test } from "vitest";
import { excludes } from "./exclude-patterns.ts";

const HOME = "/home/ada";

test.each([
  ["~/secret", "/home/ada/secret", true],
  ["~/secret", "/home/ada/secret/deep/file", true],
  ["~/secret/", "/home/ada/secret/deep", true],
  ["~/secret", "/home/ada/secrets", false],
  ["/work/*/private", "/work/a/private/x", true],
  ["/work/*/private", "/work/a/b/private", false],
  ["/work/**/private", "/work/a/b/private", true],
  ["private", "/anywhere/private/x", true],
  ["private", "/anywhere/privately", false],
  ["*.key", "/a/b.key", true],
  ["/a?b", "/axb", true],
  ["/a?b", "/a/b", false],
  ["/a/b", "/x/a/b", false],
  ["a/b", "/x/a/b", false],
  ["/a/o.db", "/a/o.db#ses_1", true],
  ["/a/(x|y)", "/a/x", false],
  ["/a/.claude", "/a/.claude/projects/p/s.jsonl", true],
])("the pattern %s and the path %s: %s", (pattern, path, expected) => {
  expect(excludes([pattern], HOME)(path)).toBe(expected);
});
