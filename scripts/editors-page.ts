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
    tests: ["test/agents/editors/acpx.agents.test.ts"],
  },
  {
    name: "VS Code 1.139 in Chromium (`code-server`)",
    protocol: "AHP 0.9.0",
    pin: ["editors/package.json", "code-server"],
    tests: ["test/ahp/vscode.full.test.ts", "test/ahp/cut-windows.full.test.ts"],
  },
];
/** Editors for which the page has only a guide. */
const NOT_TRIED = ["Zed", "JetBrains IDEs", "Neovim (CodeCompanion, avante)", "Emacs (agent-shell)"];

interface EditorRecord {
  readonly triedOn: string;
  readonly programs: readonly string[];
  readonly asked2: unknown;
  readonly passed: readonly string[];
  readonly notClaimed: readonly string[];
  readonly failed: Readonly<Record<string, { readonly rule: string; readonly reason: string }>>;
}

const RECORDED: readonly (readonly [name: string, label: string])[] = [
  ["claude", "Claude Code"],
  ["codex", "Codex"],
  ["gemini", "Gemini CLI"],
  ["opencode", "opencode"],
  ["pi", "pi"],
];

export function withEditors(page: string): string {
  return withSection(withSection(page, EDITORS, editorsTable()), AGENTS, agentsTable());
}

function editorsTable(): string {
  const tried = TRIED.map((editor) => {
    const { name, protocol, tests } = editor;
    return `| ${name} | ${protocol} | ${triedWith(editor)} | ${tests.flatMap(worksBy).join("; ")} |`;
  });
  const others = NOT_TRIED.map((name) => `| ${name} | ACP | not tried here | a guide only |`);
  const head = ["| editor | protocol | tried with | what works, by its test |", "|---|---|---|---|"];
  return [...head, ...tried, ...others].join("\n");
}

/** The version and the day that its tests wrote. Throws if they have not passed with the version that is installed now. */
function triedWith({ name, pin: [file, dependency] }: TriedEditor): string {
  const tried = JSON.parse(readFileSync(join(ROOT, "test/tried-editors.json"), "utf8"));
  const { version, triedOn } = tried[dependency] as { readonly version: string; readonly triedOn: string };
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(ROOT, file), "utf8"));
  const pinned = String({ ...dependencies, ...devDependencies }[dependency]);
  if (pinned !== version)
    throw new Error(`run the tests of ${name} ${pinned} with CONTINUO_RECORD=1: they passed with ${version}`);
  return `${version}, ${triedOn}`;
}

/** The titles of the tests of a file, each with a link. */
function worksBy(file: string): string[] {
  const source = readFileSync(join(ROOT, file), "utf8");
  const titles = [...source.matchAll(/^test(?:\.each\([^)]*\))?\(\s*"([^"]+)"/gmu)].map(
    ([, title = ""]) => title,
  );
  if (titles.length === 0) throw new Error(`${file} has no tests`);
  return titles.map((title) => `[${title.replace("%s", "an agent")}](../${file})`);
}

function agentsTable(): string {
  const agents = RECORDED.flatMap(([name, label]) => {
    const file = join(ROOT, "test/agents/conformance/results", `${name}.json`);
    return existsSync(file) ? [{ label, ...(JSON.parse(readFileSync(file, "utf8")) as EditorRecord) }] : [];
  });
  const missing = RECORDED.filter(([, label]) => !agents.some((agent) => agent.label === label));
  const rows = agents.map(({ label, programs, triedOn, passed, notClaimed, failed, asked2 }) =>
    [
      label,
      programs.join(", "),
      triedOn,
      passed.length,
      notClaimed.length,
      Object.keys(failed).length,
      String(asked2),
    ].join(" | "),
  );
  const rules = [...new Set(agents.flatMap(({ failed }) => Object.keys(failed)))].sort();
  const failures = rules.map((id) => {
    const failing = agents.filter(({ failed }) => failed[id] !== undefined);
    const rule = failing[0]?.failed[id]?.rule ?? "";
    const reasons = failing.map(({ label, failed }) => `${label}: ${inCell(failed[id]?.reason ?? "")}`);
    return `| ${id} | ${rule} | ${reasons.join("<br>")} |`;
  });
  return [
    "| agent | programs | tried | kept | not claimed | failed | version in its answer to a request for version 2 |",
    "|---|---|---|---|---|---|---|",
    ...rows.map((row) => `| ${row} |`),
    ...missing.map(([, label]) => `| ${label} | | not tried yet | | | | |`),
    "",
    "| rule | what it says | which agent fails it, and how |",
    "|---|---|---|",
    ...failures,
  ].join("\n");
}

function inCell(reason: string): string {
  return `\`${reason.replaceAll("|", "\\|").replaceAll("`", "'")}\``;
}
