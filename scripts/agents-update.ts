/**
 * Takes in a new version of an agent: `npm run agents:update -- codex@latest`.
 *
 * It installs the version next to the last one, holds the recorded conversations with both against a scripted model,
 * compares field by field what they write and send, runs the tests of the real agent with the new version, and writes
 * the result to `docs/versions/AGENT-VERSION.md`. If everything passes, the tests use the new version from now on, its
 * recordings become the fixtures, and `doctor` compares with it. A version that is older than the newest is only kept
 * for the soak. If anything fails, only the page is written, and the exit code is 1. `--compare-only` writes the page
 * and runs no tests.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PINNED } from "../test/agents/install.ts";
import {
  isVersioned,
  readVersions,
  VERSIONED_AGENTS,
  VERSIONS_FILE,
  VERSIONS_VARIABLE,
  type VersionedAgent,
  withVersion,
} from "../test/agents/versions.ts";
import { type Comparison, isTaken, toPage } from "./agent-versions/page.ts";
import { COMPARED_ALONE, readRecorded, writtenChanges } from "./agent-versions/recordings.ts";
import { changesBetween } from "./agent-versions/shape.ts";

const ROOT = join(import.meta.dirname, "..");
const SUPPORT = join(ROOT, "docs/support.md");

const { values, positionals } = parseArgs({
  options: { "compare-only": { type: "boolean", default: false } },
  allowPositionals: true,
});
process.exitCode = main(positionals[0] ?? "", values["compare-only"]);

function main(wanted: string, isCompareOnly: boolean): number {
  const [name = "", tag = "latest"] = wanted.split("@");
  if (!isVersioned(name)) {
    return refuse(
      `name an agent and a version, such as codex@latest; the agents are ${VERSIONED_AGENTS.join(", ")}`,
    );
  }
  const [before = ""] = readVersions()[name];
  const after = publishedVersion(name, tag);
  if (after === before) {
    tell(`${name} ${after} is the version that the tests take already`);
    return 0;
  }
  const work = mkdtempSync(join(tmpdir(), "agents-update-"));
  try {
    const compared = compare(name, before, after, work, isCompareOnly);
    const page = join(ROOT, "docs/versions", `${name}-${after}.md`);
    mkdirSync(join(page, ".."), { recursive: true });
    writeFileSync(page, toPage(compared));
    tell(`wrote ${page}`);
    if (!isTaken(compared)) return 1;
    takeIn(name, after, join(work, "after", name));
    return 0;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The exact version of a tag such as `latest`, as the registry of npm has it. */
function publishedVersion(agent: VersionedAgent, tag: string): string {
  const package_ = `${PINNED[agent].name}@${tag}`;
  const found = execFileSync("npm", ["view", package_, "version"], { encoding: "utf8" }).trim();
  if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/u.test(found)) throw new Error(`npm knows no single ${package_}`);
  return found;
}

function compare(
  agent: VersionedAgent,
  before: string,
  after: string,
  work: string,
  isCompareOnly: boolean,
): Comparison {
  record(agent, before, join(work, "before"));
  record(agent, after, join(work, "after"));
  const now = readRecorded(join(work, "after", agent));
  const then = readRecorded(join(work, "before", agent), [...now.cases]);
  // If the last version cannot hold a conversation here either, the conversation says nothing about the new one.
  const last = readRecorded(join(work, "after", agent), [...then.cases]);
  const knownFiles = new Set(Object.keys(then.home));
  return {
    agent,
    before,
    after,
    date: new Date().toISOString().slice(0, 10),
    cases: last.cases.length,
    failedCases: now.failed,
    files: {
      added: Object.keys(last.home).filter((file) => !knownFiles.has(file)),
      gone: [...knownFiles].filter((file) => last.home[file] === undefined),
    },
    written: writtenChanges(then, last),
    sent: [{ place: "request", changes: changesBetween(then.sent, last.sent) }],
    tests: isCompareOnly ? { passed: 0, failed: [] } : testWith(agent, after, work),
    isRead: namesIn(agent),
  };
}

function record(agent: VersionedAgent, version: string, to: string): void {
  tell(`holding the conversations with ${agent} ${version}`);
  run([join(ROOT, "scripts/make-fixtures.ts"), "--to", to, agent], agent, version);
}

/** Runs the tests of reading, hand-over and drivers, and those in which the agent reads what Continuo wrote. */
function testWith(agent: VersionedAgent, version: string, work: string): Comparison["tests"] {
  const report = join(work, "tests.json");
  const files = [
    `/${agent}/`,
    `drivers/${agent}`,
    "handoff/matrix",
    "append/",
    "fork/",
    "trash/",
    "repair/",
    "runs/runs",
  ];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const support = readFileSync(SUPPORT);
  try {
    run([join(ROOT, "test/agents/run.ts"), ...files, ...reporters], agent, version);
  } finally {
    writeFileSync(SUPPORT, support);
  }
  const { testResults }: { testResults: TestFile[] } = JSON.parse(readFileSync(report, "utf8"));
  const results = testResults.flatMap((file) => file.assertionResults);
  const broken = testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  return {
    passed: results.filter(({ status }) => status === "passed").length,
    failed: [
      ...results.filter(({ status }) => status === "failed").map(({ fullName }) => fullName),
      ...broken.map(({ name }) => name.slice(ROOT.length + 1)),
    ],
  };
}

interface TestFile {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
}

/** Returns a function that reports whether the code that reads an agent's files names a field. */
function namesIn(agent: VersionedAgent): (field: string) => boolean {
  const folder = join(ROOT, "packages/native/src/native", agent);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const words = files
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => readFileSync(join(folder, file), "utf8").match(/\w+/gu) ?? []);
  const all = new Set(words);
  return (field) => all.has(field);
}

function takeIn(agent: VersionedAgent, version: string, recorded: string): void {
  const versions = readVersions();
  const kept = withVersion(versions[agent], version);
  writeVersions({ ...versions, [agent]: kept });
  if (kept[0] !== version) {
    const place = kept.includes(version)
      ? "is one of the older ones that the soak tries"
      : "is too old to keep";
    tell(`${agent} ${version} ${place}; the tests and the fixtures stay with ${kept[0]}`);
    return;
  }
  replaceTriedVersion(agent, version);
  for (const name of readdirSync(recorded)) {
    const target = join(ROOT, "test/fixtures", agent, name);
    rmSync(target, { recursive: true, force: true });
    cpSync(join(recorded, name), target, {
      recursive: true,
      filter: (path) => !COMPARED_ALONE.some((file) => path.endsWith(`/${file}`)),
    });
  }
  const isWritten =
    run([join(ROOT, "scripts/support.ts")], agent, version) === 0 &&
    run([join(ROOT, "test/agents/run.ts"), "capabilities", "matrix", "-u"], agent, version) === 0;
  if (!isWritten) throw new Error("docs/support.md was not written whole: see the error above");
  tell(`took in ${agent} ${version}: run \`npm test\`, and look at the difference`);
}

function writeVersions(versions: ReturnType<typeof readVersions>): void {
  const lines = Object.entries(versions).map(([agent, all]) => {
    return `  "${agent}": [${all.map((version) => `"${version}"`).join(", ")}]`;
  });
  writeFileSync(VERSIONS_FILE, `{\n${lines.join(",\n")}\n}\n`);
}

function replaceTriedVersion(agent: VersionedAgent, version: string): void {
  const file = join(ROOT, "packages/native/src/native/registry.ts");
  const [before = "", after = ""] = readFileSync(file, "utf8").split("TRIED_VERSIONS:");
  const replaced = after.replace(new RegExp(`(\\n  ${agent}: )"[^"]+"`, "u"), `$1"${version}"`);
  writeFileSync(file, `${before}TRIED_VERSIONS:${replaced}`);
}

function run(args: readonly string[], agent: VersionedAgent, version: string): number | null {
  const env = { ...process.env, [VERSIONS_VARIABLE]: `${agent}=${version}` };
  const { status, error } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: ["ignore", 2, 2], env });
  if (error !== undefined) throw error;
  return status;
}

function tell(sentence: string): void {
  process.stderr.write(`agents:update: ${sentence}\n`);
}

function refuse(sentence: string): number {
  tell(sentence);
  return 2;
}
