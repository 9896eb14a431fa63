/** A limit of work may grow only with a line that names it and gives the reason. */

import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { grownWithoutReason } from "./limits-of-work.ts";

const ROOT = join(import.meta.dirname, "../..");
const FILES = globSync("test/cli/work-*.test.ts", { cwd: ROOT });

const BEFORE = `/**
 * - \`modules\`: the guard is one
 */
const LIMITS = [
  [
    "list",
    {
      stats: 115,
      modules: 1_720,
    },
  ],
  ["claude", "codex", { stats: 90 }],
];
`;

test("a limit of work that grew without a new line that names it is found, with its command", () => {
  const grown = BEFORE.replace("1_720", "1_721").replace("stats: 90", "stats: 91");
  expect(grownWithoutReason(BEFORE, grown)).toEqual([
    { of: '"list",', count: "modules", from: 1_720, to: 1_721 },
    { of: '["claude", "codex",', count: "stats", from: 90, to: 91 },
  ]);
});

test("each of two limits with one name and one command is held", () => {
  const twice = `${BEFORE}const ADDED = [["list", { stats: 20 }], ["list", { stats: 7 }]];\n`;
  for (const [from, to] of [
    [20, 21],
    [7, 8],
  ] as const) {
    const grown = twice.replace(`stats: ${from}`, `stats: ${to}`);
    expect(grownWithoutReason(twice, grown)).toMatchObject([{ count: "stats", from, to }]);
  }
});

test("a limit of work may grow with a new line that names it, and may fall or be new without one", () => {
  const explained = BEFORE.replace(" */", " *   `modules` has one more, for pins\n */").replace(
    "1_720",
    "1_721",
  );
  expect(grownWithoutReason(BEFORE, explained)).toEqual([]);
  expect(grownWithoutReason(BEFORE, BEFORE.replace("115", "90"))).toEqual([]);
  expect(grownWithoutReason("", BEFORE)).toEqual([]);
});

test("no limit of work is higher than on the main branch without a line that names it", () => {
  const base = baseCommit();
  const grown = FILES.flatMap((file) => {
    const before = base === null ? null : git("show", `${base}:${file.replaceAll("\\", "/")}`);
    if (before === null) return [];
    const now = readFileSync(join(ROOT, file), "utf8");
    return grownWithoutReason(before, now).map((limit) => ({ file, ...limit }));
  });
  expect(grown).toEqual([]);
});

/**
 * The commit of the main branch on which this commit is based, or the previous one; `null` in a copy without history.
 */
function baseCommit(): string | null {
  const head = git("rev-parse", "HEAD")?.trim();
  const main = git("merge-base", "HEAD", "main") ?? git("merge-base", "HEAD", "origin/main");
  if (main !== null && main.trim() !== head) return main.trim();
  return git("rev-parse", "HEAD^")?.trim() ?? null;
}

function git(...args: readonly string[]): string | null {
  try {
    return execFileSync("git", ["-c", "safe.directory=*", ...args], {
      cwd: ROOT,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    // The file or the commit does not exist.
    return null;
  }
}
