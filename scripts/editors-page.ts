/** The generated parts of docs/editors.md: which editors were tried, and what the real agents fail of the protocol's rules. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Section, withSection } from "./section.ts";

const ROOT = join(import.meta.dirname, "..");
const EDITORS: Section = {
  begin: "<!-- editors: written by scripts/docs.ts -->",
  end: "<!-- end of editors -->",
};
const AGENTS: Section = {
  begin: "<!-- rules of agents: written by scripts/docs.ts -->",
  end: "<!-- end of rules of agents -->",
};
const VERSION_2: Section = {
  begin: "<!-- version 2 of agents: written by scripts/docs.ts -->",
  end: "<!-- end of version 2 of agents -->",
};

interface TriedEditor {
  readonly name: string;
  readonly protocol: string;
  /** The package file that pins the version, and the name of the package in it. */
  readonly pin: readonly [file: string, name: string];
  /** The tests with the real program. */
  readonly tests: readonly string[];
}

const TRIED: readonly TriedEditor[] = [
  {
    name: "acpx",
    protocol: "ACP, version 1",
    pin: ["test/agents/editors/acpx/package.json", "acpx"],
    tests: ["test/agents/editors/acpx.agents.test.ts", "test/agents/editors/acpx-cases.agents.test.ts"],
  },
  {
    name: "VS Code 1.139 in Chromium (`code-server`)",
    protocol: "AHP 0.9.0",
    pin: ["editors/package.json", "code-server"],
    tests: [
      "test/ahp/vscode.full.test.ts",
      "test/agents/editors/vscode.agents.test.ts",
      "test/ahp/cut-windows.full.test.ts",
    ],
  },
];
/** Editors for which the page has only a guide. */
const NOT_TRIED = ["Zed", "JetBrains IDEs", "Neovim (CodeCompanion, avante)", "Emacs (agent-shell)"];

interface EditorRecord {
  readonly triedOn: string;
  readonly programs: readonly string[];
  readonly passed: readonly string[];
  readonly notClaimed: readonly string[];
  readonly failed: Readonly<Record<string, { readonly rule: string; readonly reason: string }>>;
}

interface Version2Record extends EditorRecord {
  /** The version that the agent answers when the client asks for version 2. */
  readonly answers: number;
}

const RECORDED: readonly (readonly [name: string, label: string])[] = [
  ["claude", "Claude Code"],
  ["codex", "Codex"],
  ["gemini", "Gemini CLI"],
  ["opencode", "opencode"],
  ["pi", "pi"],
];

export function withEditors(page: string): string {
  const tables: readonly (readonly [Section, string])[] = [
    [EDITORS, editorsTable()],
    [AGENTS, agentsTable()],
    [VERSION_2, version2Table()],
  ];
  return tables.reduce((text, [section, table]) => withSection(text, section, table), page);
}

function editorsTable(): string {
  const tried = TRIED.map((editor) => {
    const { name, protocol, tests } = editor;
    const { version, passedOn } = recordOf(editor);
    const works = tests.flatMap((file) => worksBy(file, passedOn));
    return `| ${name} | ${protocol} | ${version} | ${works.join("; ")} |`;
  });
  const others = NOT_TRIED.map((name) => `| ${name} | ACP | not tried here | a guide only |`);
  const head = [
    "| editor | protocol | tried with | what works, by its test, and the day on which it passed |",
    "|---|---|---|---|",
  ];
  return [...head, ...tried, ...others].join("\n");
}

interface TriedRecord {
  readonly version: string;
  /** The day on which each test passed, by its title. */
  readonly passedOn: Readonly<Record<string, string>>;
}

/** Throws if its tests have not passed with the version that is installed now. */
function recordOf({ name, pin: [file, dependency] }: TriedEditor): TriedRecord {
  const tried = JSON.parse(readFileSync(join(ROOT, "test/tried-editors.json"), "utf8"));
  const record = tried[dependency] as TriedRecord;
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(ROOT, file), "utf8"));
  const pinned = String({ ...dependencies, ...devDependencies }[dependency]);
  if (pinned !== record.version)
    throw new Error(
      `run the tests of ${name} ${pinned} with CONTINUO_RECORD=1: they passed with ${record.version}`,
    );
  return record;
}

/**
 * The titles of the tests of a file, each with the name of the file and its day. Throws for a test that has not passed, and
 * for a title with `%s` whose test has not passed with each of its agents.
 */
function worksBy(file: string, passedOn: TriedRecord["passedOn"]): string[] {
  const tests = toTriedTests(readFileSync(join(ROOT, file), "utf8"));
  if (tests.length === 0) throw new Error(`${file} has no tests`);
  return tests.map(({ title, titles }) => {
    const days = titles.map((one) => {
      const day = passedOn[one];
      if (day === undefined) throw new Error(`run ${file} with CONTINUO_RECORD=1: "${one}" has no day`);
      return day;
    });
    // A title with several cases is as old as its oldest case.
    return `${title} (\`${file}\`, ${days.sort()[0]})`;
  });
}

interface TriedTest {
  /** The title for people, which names every agent. */
  readonly title: string;
  /** The title of each case. */
  readonly titles: readonly string[];
}

/** The tests in the source of a file. The cases of a title with `%s` are the texts in the list of `test.each`. */
export function toTriedTests(source: string): readonly TriedTest[] {
  const tests = source.matchAll(/^test(?:\.each\(([^)]*)\))?\(\s*"([^"]+)"/gmu);
  return [...tests].map(([, list = "", title = ""]) => {
    if (!title.includes("%s")) return { title, titles: [title] };
    const cases = [...list.matchAll(/"([^"]+)"/gu)].map(([, one = ""]) => one);
    if (cases.length === 0) throw new Error(`the cases of "${title}" are not a list of texts`);
    const labels = new Map(RECORDED);
    const names = cases.map((one) => labels.get(one) ?? one);
    return {
      title: title.replace("%s", new Intl.ListFormat("en-GB").format(names)),
      titles: cases.map((one) => title.replace("%s", one)),
    };
  });
}

function agentsTable(): string {
  const agents = RECORDED.flatMap(([name, label]) => {
    const file = join(ROOT, "test/agents/conformance/results", `${name}.json`);
    return existsSync(file) ? [{ label, ...(JSON.parse(readFileSync(file, "utf8")) as EditorRecord) }] : [];
  });
  const missing = RECORDED.filter(([, label]) => !agents.some((agent) => agent.label === label));
  const rows = agents.map(({ label, programs, triedOn, passed, notClaimed, failed }) =>
    [label, programs.join(", "), triedOn, passed.length, notClaimed.length, Object.keys(failed).length].join(
      " | ",
    ),
  );
  const rules = [...new Set(agents.flatMap(({ failed }) => Object.keys(failed)))].sort();
  const failures = rules.map((id) => {
    const failing = agents.filter(({ failed }) => failed[id] !== undefined);
    const rule = failing[0]?.failed[id]?.rule ?? "";
    const reasons = failing.map(({ label, failed }) => `${label}: ${inCell(failed[id]?.reason ?? "")}`);
    return `| ${id} | ${rule} | ${reasons.join("<br>")} |`;
  });
  return [
    "| agent | programs | tried | kept | not claimed | failed |",
    "|---|---|---|---|---|---|",
    ...rows.map((row) => `| ${row} |`),
    ...missing.map(([, label]) => `| ${label} | | not tried yet | | | |`),
    "",
    "| rule | what it says | which agent fails it, and how |",
    "|---|---|---|",
    ...failures,
  ].join("\n");
}

function version2Table(): string {
  const rows = RECORDED.map(([name, label]) => {
    const file = join(ROOT, "test/agents/conformance/results/version-2", `${name}.json`);
    const { programs, triedOn, answers, passed, notClaimed, failed } = JSON.parse(
      readFileSync(file, "utf8"),
    ) as Version2Record;
    const counts = [passed, notClaimed, Object.keys(failed)].map(({ length }) =>
      answers === 2 ? length : "",
    );
    const failures = Object.entries(failed).map(
      ([id, { rule, reason }]) => `${id}, ${rule}: ${inCell(reason)}`,
    );
    return `| ${[label, programs.join(", "), triedOn, answers, ...counts, failures.join("<br>")].join(" | ")} |`;
  });
  const head = [
    "| agent | programs | tried | answers version | kept | not claimed | failed | which rules it fails, and how |",
    "|---|---|---|---|---|---|---|---|",
  ];
  return [...head, ...rows].join("\n");
}

function inCell(reason: string): string {
  return `\`${reason.replaceAll("|", "\\|").replaceAll("`", "'")}\``;
}
