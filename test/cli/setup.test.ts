/**
 * `continuo setup`: one question for all agents, and an undo that restores every file. The real agents use it in
 * `test/agents/setup`.
 */

import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseCommented } from "@continuo/files";
import { changeGuardSettings, readGuardSettings } from "@continuo/native/editing/guard";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createHome, type Home, run } from "./home.ts";
import { runInProcess } from "./in-process.ts";

const FOLDERS = [".claude", ".codex", ".gemini", ".pi/agent", ".local/share/opencode", ".copilot"];

let home: Home;
beforeEach(() => {
  home = createHome();
  for (const folder of FOLDERS) mkdirSync(join(home.path, folder), { recursive: true });
});

/**
 * The files have everything that people have: their own hooks and comments, tabs, line ends of Windows, no final line
 * end.
 */
const OWN_FILES: Readonly<Record<string, string>> = {
  ".claude/settings.json": `{
	// The person's own entry.
	"hooks": {
		"SessionEnd": [{ "hooks": [{ "type": "command", "command": "say bye" }] }],
	},
	"cleanupPeriodDays": 90
}`,
  ".claude.json": '{"numStartups":3,"mcpServers":{"mail":{"type":"stdio","command":"mail","args":[]}}}',
  ".gemini/settings.json": '{\r\n  "theme": "dark"\r\n}\r\n',
  ".codex/config.toml": 'model = "gpt-5.5"\n\n[mcp_servers.mail]\ncommand = "mail"\n',
  ".codex/prompts/mine.md": "Say hello.\n",
};

function writeOwnFiles(): void {
  for (const [path, text] of Object.entries(OWN_FILES)) home.write(path, text);
}

/** Returns all files except those of Continuo itself. */
function files(): Readonly<Record<string, string>> {
  const entries = readdirSync(home.path, { recursive: true, withFileTypes: true });
  const paths = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const outside = paths.filter((path) => !path.startsWith(join(home.path, ".continuo/")));
  return Object.fromEntries(
    outside.sort().map((path) => [path.slice(home.path.length + 1), readFileSync(path, "utf8")]),
  );
}

const setup = (...args: readonly string[]) => runInProcess(home, ["setup", ...args]);

test("everything is shown, and nothing is changed without an answer", async () => {
  writeOwnFiles();
  const before = files();
  const dry = await setup("--dry-run");
  expect(dry).toMatchObject({ code: 0, stderr: "" });
  for (const agent of ["claude", "codex", "gemini", "pi", "opencode", "copilot"])
    expect(dry.stdout).toMatch(new RegExp(`^${agent} +MCP server +(?:new file|add to) +~/`, "mu"));
  expect(dry.stdout.split("\n").length).toBeLessThan(24);
  const asked = await setup();
  expect(asked.code).toBe(2);
  expect(asked.stderr).toContain("--yes");
  expect(files()).toEqual(before);
});

test("with npx, setup shows what would be added, and adds nothing that would start npx later", async () => {
  const [, script = ""] = process.argv;
  onTestFinished(() => {
    process.argv[1] = script;
  });
  process.argv[1] = join(home.path, ".npm/_npx/3f1/node_modules/.bin/continuo");
  const dry = await setup("--dry-run", "--diff");
  expect(dry).toMatchObject({ code: 0, stderr: "" });
  expect(dry.stdout).toMatch(/"command": "continuo"/u);
  expect(dry.stdout).not.toContain("_npx");
  const refused = await setup("--yes");
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain("npm install --global continuo");
  expect(files()).toEqual({});
  expect((await setup("--undo", "--yes")).code).toBe(0);
});

test("--diff shows the lines, but not the secrets next to them", async () => {
  home.write(
    ".claude/settings.json",
    '{\n  "env": { "ANTHROPIC_API_KEY": "sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaa" }\n}\n',
  );
  const { stdout } = await setup("claude", "--dry-run", "--diff");
  expect(stdout).toContain('+   "statusLine": {');
  expect(stdout).not.toContain("aaaaaaaaaaaa");
});

test("the undo restores every file byte for byte, and removes the folders that setup made", async () => {
  writeOwnFiles();
  const before = files();
  expect(await setup("--yes")).toMatchObject({ code: 0, stderr: "" });
  const after = files();
  expect(Object.keys(after)).toContain(".agents/skills/continuo/SKILL.md");
  expect(after[".claude/settings.json"]).toContain("say bye");
  expect((await setup("--yes")).stdout).not.toMatch(/new file|add to/u);
  expect(files()).toEqual(after);
  expect((await setup("--undo", "--yes")).code).toBe(0);
  expect(files()).toEqual(before);
  expect(existsSync(join(home.path, ".agents"))).toBe(false);
  expect(existsSync(join(home.path, ".claude/skills"))).toBe(false);
});

test("later changes of a person stay when setup is undone", async () => {
  writeOwnFiles();
  await run(home, ["setup", "--yes"]);
  const path = join(home.path, ".gemini/settings.json");
  writeFileSync(path, readFileSync(path, "utf8").replace('"dark"', '"light"'));
  home.write(".pi/agent/prompts/continuo-search.md", "My own words.\n");
  expect((await run(home, ["setup", "--undo", "--yes"])).code).toBe(0);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ theme: "light" });
  expect(files()[".pi/agent/prompts/continuo-search.md"]).toBe("My own words.\n");
});

test("Codex gets no commands, because it does not read them, and those of an earlier version are removed", async () => {
  const [search, handOff] = ["search", "handoff"].map((name) => `.codex/prompts/continuo-${name}.md`) as [
    string,
    string,
  ];
  const owner = "<!-- Written by `continuo setup`; `continuo setup --undo` removes it. -->";
  await setup("codex", "--yes");
  expect(existsSync(join(home.path, ".codex/prompts"))).toBe(false);
  expect((await setup("codex", "--undo", "--dry-run")).stdout).not.toContain("prompts");
  home.write(search, `---\ndescription: "Search"\n---\n\nSearch for: $ARGUMENTS\n\n${owner}\n`);
  home.write(handOff, "My own words.\n");
  expect((await setup("codex", "--undo", "--yes")).code).toBe(0);
  expect(files()).toEqual({ [handOff]: "My own words.\n" });
});

test("a later version replaces its own files, and its own entries", async () => {
  await run(home, ["setup", "--yes"]);
  const old = files();
  for (const path of [".agents/skills/continuo/SKILL.md", ".claude/settings.json", ".gemini/settings.json"])
    home.write(path, (old[path] ?? "").replaceAll(process.execPath, "/old/node"));
  expect((await run(home, ["setup", "--yes"])).code).toBe(0);
  expect(files()).toEqual(old);
});

describe("pieces that cannot be added are named, and the others are added", () => {
  test.each([
    [
      ".claude/settings.json",
      '{ "statusLine": { "type": "command", "command": "mine" } }',
      "a status line of your own",
    ],
    [".claude/commands/continuo-search.md", "Mine.\n", "a file with this name that is not Continuo's"],
    [".gemini/settings.json", "{ not JSON", "cannot be edited"],
    [
      ".gemini/settings.json",
      '{ "hooks": { "SessionEnd": [/* mine */] } }',
      "hooks in a form that Continuo does not change",
    ],
    [
      ".codex/config.toml",
      '[mcp_servers.continuo]\ncommand = "mine"\n',
      "another MCP server is registered as continuo",
    ],
  ])("%s with %s", async (path, text, reason) => {
    home.write(path, text);
    const { code, stdout } = await setup("--yes");
    expect(code).toBe(1);
    expect(stdout).toMatch(/not possible/u);
    expect(stdout).toContain(reason);
    expect(Object.keys(files())).toContain(".pi/agent/mcp.json");
    const rows = JSON.parse((await setup("--json", "--dry-run")).stdout);
    const wrong = rows.filter(({ error }: { error?: unknown }) => error !== undefined);
    expect(wrong[0].error.message).toContain(reason);
    expect(Object.keys(wrong[0].error)).toEqual(["code", "message", "hint", "details", "page"]);
  });

  test("a folder that others can write to", async () => {
    chmodSync(join(home.path, ".codex"), 0o777);
    const { code, stdout } = await setup("--yes");
    expect(code).toBe(1);
    expect(stdout).toContain("others can write to its folder");
    expect(existsSync(join(home.path, ".codex/config.toml"))).toBe(false);
  });
});

test("setup of one agent changes only that agent, in the folder that its variable names", async () => {
  const [claude, gemini] = [join(home.path, "c"), join(home.path, "g")];
  mkdirSync(join(gemini, ".gemini"), { recursive: true });
  mkdirSync(claude);
  const env = { CLAUDE_CONFIG_DIR: claude, GEMINI_CLI_HOME: gemini };
  for (const agent of ["claude", "gemini"])
    expect((await runInProcess(home, ["setup", agent, "--yes"], { env })).code).toBe(0);
  const folders = new Set(Object.keys(files()).map((path) => dirname(path)));
  expect([...folders].sort()).toEqual([
    "c",
    "c/commands",
    "c/skills/continuo",
    "g/.gemini",
    "g/.gemini/commands",
    "g/.gemini/skills/continuo",
  ]);
});

test("each event has the hook once, together with the person's own hooks", async () => {
  writeOwnFiles();
  for (let times = 0; times < 2; times++) await run(home, ["setup", "claude", "--yes"]);
  const { hooks } = parseCommented(files()[".claude/settings.json"] ?? "") as {
    hooks: Record<string, unknown[]>;
  };
  const counts = Object.entries(hooks).map(([event, entries]) => [event, entries.length]);
  expect(Object.fromEntries(counts)).toEqual({ SessionStart: 1, UserPromptSubmit: 1, SessionEnd: 2 });
});

test("setup with hooks switches the guard on, and reports that", async () => {
  expect((await setup("--yes")).stdout).toContain("The guard is on");
  const { stdout } = await runInProcess(home, ["guard", "status", "--json"]);
  expect(JSON.parse(stdout).on).toBe(true);
  expect((await setup("--yes")).stdout).not.toContain("The guard is on");
});

test("a machine without agents, and an unknown agent, are errors", async () => {
  const empty = createHome();
  expect((await runInProcess(empty, ["setup"])).stderr).toContain("no agent was used on this machine yet");
  expect((await setup("emacs")).stderr).toContain('no agent "emacs"');
});

const settingsPath = (): string => join(home.path, ".claude/settings.json");
const isGuardOn = (): boolean => readGuardSettings({ home: home.path, env: {} }).on;

test("hooks and a status line of the person stay when Continuo's are removed from a changed file", async () => {
  writeOwnFiles();
  await setup("claude", "--yes");
  const wired = parseCommented(readFileSync(settingsPath(), "utf8")) as object;
  const own = { type: "command", command: "my-status-line" };
  writeFileSync(settingsPath(), JSON.stringify({ ...wired, statusLine: own }, null, 2));
  await setup("claude", "--undo", "--yes");
  expect(parseCommented(readFileSync(settingsPath(), "utf8"))).toEqual({
    hooks: { SessionEnd: [{ hooks: [{ type: "command", command: "say bye" }] }] },
    cleanupPeriodDays: 90,
    statusLine: own,
  });
});

test("neither an agent without hooks nor an undo switches the guard on", async () => {
  expect((await setup("codex", "--yes")).code).toBe(0);
  expect(isGuardOn()).toBe(false);
  await setup("claude", "--yes");
  expect(isGuardOn()).toBe(true);
  changeGuardSettings({ home: home.path, env: {} }, { on: false });
  expect((await setup("claude", "--undo", "--yes")).code).toBe(0);
  expect(isGuardOn()).toBe(false);
});
