/**
 * `node scripts/subjects.ts [BASE]`: fails when the subject of a commit after BASE is not a plain imperative of at most
 * 72 characters. Without BASE it checks the commits since the rule was introduced.
 */

import { execFileSync } from "node:child_process";

const MOST_CHARS = 72;

/** The last commit before the rule. */
const RULE_BEGINS = "7154215";

/** Beginnings that are not a plain imperative, with a better form. */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [/^Hold (?:with|by|that)\b/u, 'write "Test that …"'],
  [
    /^(?:Added|Fixed|Changed|Removed|Adds|Fixes|Changes|Removes)\b/u,
    'write "Add", "Fix", "Change" or "Remove"',
  ],
  [/^(?:feat|fix|chore|docs|refactor|test)(?:\(.*\))?:/u, "leave the prefix out"],
];

/** The problem of a subject; `null` for a good one. */
export function problemOf(subject: string): string | null {
  if (subject.length > MOST_CHARS) return `${subject.length} characters; write at most ${MOST_CHARS}`;
  if (!/^[A-Z]/u.test(subject)) return "begin with a capital letter";
  if (!subject.includes(" ")) return "write a sentence in the imperative";
  if (/[.!]$/u.test(subject)) return "leave the full stop out";
  return BEGINNINGS.find(([beginning]) => beginning.test(subject))?.[1] ?? null;
}

/** `null` if the history of this copy does not reach the base: a shallow clone, or no clone at all. */
function subjectsSince(base: string): readonly string[] | null {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "safe.directory=*", ...args], { encoding: "utf8", stdio: "pipe" });
  try {
    git("merge-base", "--is-ancestor", base, "HEAD");
  } catch {
    return null;
  }
  return git("log", "--no-merges", "--format=%h %s", `${base}..HEAD`).split("\n").filter(Boolean);
}

if (process.argv[1] === import.meta.filename) {
  const base = process.argv[2] ?? RULE_BEGINS;
  const lines = subjectsSince(base);
  if (lines === null)
    process.stderr.write(`subjects: not checked, because this copy has no commit ${base} before HEAD\n`);
  const problems = (lines ?? []).flatMap((line) => {
    const [hash, subject] = [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)];
    const problem = problemOf(subject);
    return problem === null ? [] : [`${hash} ${subject}\n    ${problem}\n`];
  });
  process.stderr.write(problems.join(""));
  process.exitCode = problems.length === 0 ? 0 : 1;
}
