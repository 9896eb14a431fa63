/** The packages that a release has for agents: each agent checks, installs and lists the package made for it. */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { asObjects } from "../../model-servers/index.ts";
import { scratchFolder } from "../../scratch-folder.ts";
import { claudeBinary } from "../claude/driver.ts";
import { codexLauncher } from "../codex/driver.ts";
import { openGemini } from "../gemini/driver.ts";
import { PINNED, packageFolder } from "../install.ts";
import { openOpencode } from "../opencode/driver.ts";
import { makeSandbox, runProgram, type Sandbox } from "../sandbox.ts";

const ROOT = join(import.meta.dirname, "../../..");
const packages = scratchFolder("agent-packages");

let sandbox: Sandbox;
beforeAll(async () => {
  execFileSync(process.execPath, [join(ROOT, "scripts/agent-packages.ts"), packages]);
  sandbox = await makeSandbox();
});
afterAll(() => sandbox[Symbol.asyncDispose]());

async function run(program: string, ...args: readonly string[]): Promise<string> {
  const result = await runProgram(program, args, { cwd: sandbox.project, env: sandbox.environment() });
  expect(result.code, result.stdout + result.stderr).toBe(0);
  return result.stdout + result.stderr;
}

test("the plugin passes Claude Code's check for its plugin directory without a warning, and is installed from the marketplace", async () => {
  const claude = claudeBinary();
  const checked = await run(claude, "plugin", "validate", join(packages, "plugin"), "--profile", "directory");
  expect(checked).toContain("Validation passed");
  expect(checked).not.toMatch(/warning|problem/iu);
  await run(claude, "plugin", "marketplace", "add", packages);
  await run(claude, "plugin", "install", "continuo@continuo");
  const details = await run(claude, "plugin", "details", "continuo");
  expect(details).toContain("continuo, continuo-handoff, continuo-search");
  expect(details).toContain("SessionStart, UserPromptSubmit, SessionEnd");
  expect(details).toMatch(/MCP servers \(1\)\s+continuo/u);
});

test("Codex installs the plugin from the same marketplace", async () => {
  const codex = codexLauncher("codex");
  await run(codex, "plugin", "marketplace", "add", packages);
  await run(codex, "plugin", "add", "continuo@continuo");
  expect(await run(codex, "plugin", "list")).toMatch(/continuo@continuo\s+installed/u);
});

test("Gemini CLI checks and installs the extension, with its server and its skill", async () => {
  const gemini = await openGemini(sandbox, "http://127.0.0.1:9");
  const folder = join(packages, "gemini");
  for (const args of [
    ["validate", folder],
    ["install", folder, "--consent"],
  ])
    expect((await gemini.command(["extensions", ...args])).code).toBe(0);
  const { stdout, stderr } = await gemini.command(["extensions", "list"]);
  expect(stdout + stderr).toMatch(/MCP servers:\s+continuo\s+Agent skills:\s+continuo: Finds what was said/u);
});

test("pi installs and lists the package", async () => {
  const pi = join(packageFolder(PINNED.pi), PINNED.pi.proof);
  await run(process.execPath, pi, "install", join(packages, "pi"));
  expect(await run(process.execPath, pi, "list")).toContain(packages);
});

test("opencode has the server, the skill and the commands of the plugin, and the person's own settings take precedence", async () => {
  const programs = scratchFolder("programs");
  const start = `exec '${process.execPath}' '${join(ROOT, "bin/continuo.js")}' "$@"`;
  writeFileSync(join(programs, "continuo"), `#!/bin/sh\n${start}\n`, { mode: 0o755 });
  const opencode = await openOpencode(
    sandbox,
    "http://127.0.0.1:9",
    {
      plugin: [`file://${join(packages, "opencode")}`],
      command: { "continuo-handoff": { template: "mine" } },
    },
    { PATH: [programs, sandbox.environment().PATH].join(":") },
  );
  await using serving = await opencode.serve();
  const commands = asObjects(await serving.request("GET", "/command"));
  expect(commands.map(({ name, template }) => [name, template])).toEqual(
    expect.arrayContaining([
      ["continuo-search", expect.stringContaining("sessions of all coding agents on this machine")],
      ["continuo-handoff", "mine"],
    ]),
  );
  expect(await serving.request("GET", "/mcp")).toEqual({ continuo: { status: "connected" } });
  const skills = asObjects(await serving.request("GET", "/skill"));
  expect(skills.map(({ name }) => name)).toContain("continuo");
});
