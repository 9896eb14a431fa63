import { expect, test } from "vitest";
import { type Comparison, fieldOf, isTaken, toPage } from "../../scripts/agent-versions/page.ts";

const SAME: Comparison = {
  agent: "pi",
  before: "1.5.1",
  after: "1.5.2",
  date: "2026-11-25",
  cases: 14,
  failedCases: [],
  files: { added: [], gone: [] },
  written: [{ place: "sessions/*.jsonl", changes: [] }],
  sent: [{ place: "request", changes: [] }],
  tests: { passed: 40, failed: [] },
  isRead: (field) => field === "cwd",
};

test("a version that changes nothing is taken in, and its page says so", () => {
  expect(isTaken(SAME)).toBe(true);
  const page = toPage(SAME);
  expect(page).toContain("# pi 1.5.2, compared with 1.5.1");
  expect(page).toContain("Nothing that it writes has changed.");
  expect(page).toContain("Its home has the same kinds of files.");
  expect(page).toContain("40 tests of the real agent passed, 0 failed.");
});

test("the page counts new fields that nothing reads, and names fields that are read and gone", () => {
  const changes = [
    { path: "line<user>.rowSource", before: [], after: ['"tui"'] },
    { path: "line<user>.cwd", before: ["string"], after: [] },
  ];
  const page = toPage({ ...SAME, written: [{ place: "sessions/*.jsonl", changes }] });
  expect(page).toContain("1 new field is kept unchanged, and not read by Continuo.");
  expect(page).toContain("1 field that Continuo reads was changed or removed: `line<user>.cwd`.");
  expect(page).toContain('| `line<user>.rowSource` | – | `"tui"` |  |');
  expect(page).toContain("| `line<user>.cwd` | `string` | – | yes |");
});

test.each([
  ["a failed test", { tests: { passed: 39, failed: ["resumes"] } }],
  ["a conversation that was not held", { failedCases: [{ name: "fork", reason: "no such flag" }] }],
  ["no test at all", { tests: { passed: 0, failed: [] } }],
])("%s keeps a version out", (_what, change) => {
  const compared = { ...SAME, ...change };
  expect(isTaken(compared)).toBe(false);
  expect(toPage(compared)).toContain("**Continuo does not take it in yet**");
});

test("the page names what failed", () => {
  const page = toPage({
    ...SAME,
    failedCases: [{ name: "fork", reason: "no such flag" }],
    tests: { passed: 39, failed: ["pi resumes"] },
  });
  expect(page).toContain("- failed: pi resumes");
  expect(page).toContain("- the conversation `fork` was not held: no such flag");
});

test.each([
  ["line<user>.message<user>.content[]<text>.text", "text"],
  ["session.data<x>.time.created", "created"],
  ["line<new>", "line"],
])("the field of %s is %s", (path, field) => {
  expect(fieldOf(path)).toBe(field);
});
