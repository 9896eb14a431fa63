/** The changelog of a release: every line of every fragment is in it once, under its heading. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HEADINGS, releaseChangelog } from "../../scripts/release/changelog.ts";
import { lockWithVersion, withVersion } from "../../scripts/release/versions.ts";
import { isAfter } from "../../src/cli/update/releases.ts";

const ROOT = join(import.meta.dirname, "../..");
const RELEASE = { version: "0.2.0", date: "2026-11-26" };
const OLD =
  "# Changelog\n\n## Unreleased\n\n### Fixed\n\n- one\n\n## 0.1.0 (2026-01-01)\n\n### Added\n\n- all\n";

describe("the changelog of a release", () => {
  test("has what was unreleased and the fragments, sorted by headings, above the older releases", () => {
    const fragments = [
      { name: "a.md", text: "### Fixed\n\n- two\n  over two lines\n\n### Breaking\n- three\n" },
      { name: "b.md", text: "### Fixed\n- four\n" },
    ];
    expect(releaseChangelog(OLD, fragments, RELEASE)).toBe(
      "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-11-26)\n\n### Breaking\n\n- three\n\n### Fixed\n\n- one\n- two\n  over two lines\n- four\n" +
        "\n## 0.1.0 (2026-01-01)\n\n### Added\n\n- all\n",
    );
  });

  test.each([
    [
      "a heading that is none of the list",
      { name: "a.md", text: "### Removed\n\n- x\n" },
      /a\.md has the heading "Removed"/u,
    ],
    ["a text without a heading", { name: "a.md", text: "- x\n" }, /a\.md begins with a text/u],
  ])("refuses %s, by the name of its file", (_, fragment, message) => {
    expect(() => releaseChangelog(OLD, [fragment], RELEASE)).toThrow(message);
  });

  test("refuses a release in which nothing changed, and a changelog without its first heading", () => {
    expect(() => releaseChangelog("# Changelog\n\n## Unreleased\n", [], RELEASE)).toThrow(
      "nothing has changed",
    );
    expect(() => releaseChangelog("# Changelog\n", [], RELEASE)).toThrow("Unreleased");
  });

  test("takes every file in changes/ of today", () => {
    const names = readdirSync(join(ROOT, "changes")).filter((name) => name.endsWith(".md"));
    // There are no fragments right after a release.
    const fragments = [
      { name: "one.md", text: "### Added\n\n- One.\n" },
      ...names.map((name) => ({ name, text: readFileSync(join(ROOT, "changes", name), "utf8") })),
    ];
    const text = releaseChangelog(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), fragments, RELEASE);
    const lines = fragments.flatMap((one) => one.text.split("\n")).filter((line) => line.startsWith("- "));
    expect(lines.filter((line) => !text.includes(line))).toEqual([]);
    const headings = [...text.matchAll(/^### (\w+)$/gmu)].map(([, heading = ""]) => heading);
    expect(headings.filter((heading) => !HEADINGS.includes(heading))).toEqual([]);
    // The released entries leave "Unreleased" empty.
    expect(text).toContain("## Unreleased\n\n## 0.2.0 (2026-11-26)\n");
  });
});

test("one version is set for all packages, and for each where another one names it", () => {
  const lock = {
    version: "0.1.0",
    packages: {
      "": { version: "0.1.0", dependencies: { hono: "4.0.0" } },
      "packages/store": { version: "0.1.0", dependencies: { "@continuo/core": "0.1.0", kysely: "0.29.9" } },
      "node_modules/kysely": { version: "0.29.9" },
    },
  };
  expect(lockWithVersion(lock, "0.2.0")).toEqual({
    version: "0.2.0",
    packages: {
      "": { version: "0.2.0", dependencies: { hono: "4.0.0" } },
      "packages/store": { version: "0.2.0", dependencies: { "@continuo/core": "0.2.0", kysely: "0.29.9" } },
      "node_modules/kysely": { version: "0.29.9" },
    },
  });
  expect(withVersion({ version: "0.1.0" }, "0.2.0")).toEqual({ version: "0.2.0" });
});

test.each([
  ["0.2.0", "0.1.0", true],
  ["0.1.1", "0.1.0", true],
  ["1.0.0", "0.9.9", true],
  ["0.10.0", "0.9.0", true],
  ["0.1.0", "0.1.0", false],
  ["0.1.0", "0.2.0", false],
  ["0.2", "0.1.0", false],
  ["v0.2.0", "0.1.0", false],
  ["0.2.0-beta", "0.1.0", false],
])("%s after %s: %s", (next, last, expected) => {
  expect(isAfter(next, last)).toBe(expected);
});
