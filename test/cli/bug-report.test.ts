/** The debug log and the page for a report: their content, and the data that they never contain. */

import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { debugOf } from "@continuo/files";
import { beforeEach, expect, test } from "vitest";
import { startDebugLog } from "../../src/cli/debug/index.ts";
import type { Shell } from "../../src/cli/terminal/index.ts";
import { createHome, type Home } from "./home.ts";
import { runInProcess } from "./in-process.ts";

/** This is not a real key; it only has the form of one. */
const SECRET = `sk-ant-api03-${"Ab1".repeat(31)}AA`;

let home: Home;

beforeEach(() => {
  home = createHome();
});

interface DebugLine {
  readonly at: string;
  readonly room: string;
  readonly what: string;
  readonly [detail: string]: unknown;
}

const logPath = (): string => join(home.path, ".continuo/debug.jsonl");

function entries(): readonly DebugLine[] {
  return readFileSync(logPath(), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as DebugLine);
}

test("--debug writes the work of each room, and prints the path of the log", async () => {
  const { code, stderr } = await runInProcess(home, ["list", "--debug"]);
  expect(code).toBe(0);
  expect(stderr).toContain(`debug log: ${logPath()}`);
  expect(entries()[0]).toMatchObject({ room: "cli", what: "command", words: ["session", "list"] });
  expect(entries().find(({ what }) => what === "listed")).toMatchObject({ room: "catalog" });
  expect(entries().at(-1)).toMatchObject({ room: "cli", what: "ended", exitCode: 0 });
  expect(statSync(logPath()).mode & 0o777).toBe(0o600);
});

test("a log that cannot be written is reported, and ends no command", async () => {
  writeFileSync(join(home.path, "file"), "");
  const { code, stderr } = await runInProcess(home, ["completion", "bash", "--debug"], {
    env: { CONTINUO_HOME: join(home.path, "file/below") },
  });
  expect(code).toBe(0);
  expect(stderr).toContain("cannot write the debug log: ");
});

test("if a log cannot be continued, that is reported once", () => {
  const said: string[] = [];
  const shell = {
    env: {},
    home: home.path,
    stderr: { write: (text: string) => said.push(text) },
  } as unknown as Shell;
  using _log = startDebugLog(shell, ["cli"]);
  rmSync(join(home.path, ".continuo"), { recursive: true });
  writeFileSync(join(home.path, ".continuo"), "");
  for (const what of ["one", "two"]) debugOf("cli")(what);
  expect(said.slice(1)).toEqual([expect.stringMatching(/^the debug log ends here: ENOTDIR.*\n$/u)]);
});

test("a path with control characters is written visibly in the page", async () => {
  const env = { CONTINUO_HOME: join(home.path, "a\u001b[31mb") };
  expect((await runInProcess(home, ["bug-report"], { env })).code).toBe(0);
  const page = readFileSync(join(home.path, "continuo-bug-report.md"), "utf8");
  expect(page).toContain("- missing: home: ");
  expect(page).not.toContain("\u001b");
});

test("without --debug and CONTINUO_DEBUG there is no log", async () => {
  await runInProcess(home, ["list"]);
  expect(existsSync(logPath())).toBe(false);
});

test("CONTINUO_DEBUG chooses rooms, and an unknown room is an error that lists the known ones", async () => {
  await runInProcess(home, ["list"], { env: { CONTINUO_DEBUG: "catalog, store" } });
  expect(new Set(entries().map(({ room }) => room))).toEqual(new Set(["catalog"]));
  const { code, stderr } = await runInProcess(home, ["list"], { env: { CONTINUO_DEBUG: "cataloge" } });
  expect(code).toBe(2);
  expect(stderr).toContain("names 'cataloge', which is not a room");
  expect(stderr).toContain("catalog, cli, config");
});

test("a failed command is in the log with its code, and a word after -- is not a flag", async () => {
  await runInProcess(home, ["--debug", "show", "nothing"]);
  expect(entries().at(-1)).toMatchObject({ what: "failed", code: "not_found" });
  await runInProcess(home, ["search", "--", "--debug"]);
  expect(entries().filter(({ what }) => what === "command")).toHaveLength(1);
});

test("neither the log nor the page has the words of a search, secrets, or the name of the home folder", async () => {
  const folder = join(home.path, SECRET);
  mkdirSync(folder);
  writeFileSync(join(folder, "continuo.yaml"), "default_agent: claude\n");
  await runInProcess(home, ["search", "--debug", "a-private-word"], { cwd: folder });
  const { code, stdout } = await runInProcess(home, ["bug-report"]);
  expect(code).toBe(0);
  expect(stdout).toContain("Nothing was sent.");
  const page = readFileSync(join(home.path, "continuo-bug-report.md"), "utf8");
  for (const text of [readFileSync(logPath(), "utf8"), page]) {
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain("a-private-word");
  }
  expect(page).not.toContain(home.path);
  for (const part of [
    "## Versions",
    "## Doctor",
    "## Debug log",
    `Node ${process.versions.node}`,
    '"what":"searched"',
  ])
    expect(page).toContain(part);
  const again = await runInProcess(home, ["bug-report"]);
  expect(again.code).not.toBe(0);
  expect((await runInProcess(home, ["bug-report", "--force"])).code).toBe(0);
});

test("if a log is too long, its older half is removed, by complete lines", async () => {
  mkdirSync(join(home.path, ".continuo"));
  const old = Array.from({ length: 60_000 }, (_, n) =>
    JSON.stringify({ at: "2026-01-01", room: "cli", what: "old", n }),
  );
  writeFileSync(logPath(), `${old.join("\n")}\n${"x".repeat(2_000_000)}\n`);
  await runInProcess(home, ["list", "--debug"]);
  expect(statSync(logPath()).size).toBeLessThan(4_194_304);
  expect(entriesOrNull().at(-1)).toMatchObject({ what: "ended" });
});

/** Returns null, because lines of the long log are not JSON. */
function entriesOrNull(): readonly unknown[] {
  return readFileSync(logPath(), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => (line.startsWith("{") ? JSON.parse(line) : null));
}
