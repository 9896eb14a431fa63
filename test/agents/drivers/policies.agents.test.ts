/** The effect of each policy on the real agents, which the table in docs/drivers.md describes. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { permissionsBy } from "@continuo/agents/drivers/link";
import { expect, test } from "vitest";
import { asObject, type JsonObject, startModelServer, text, tool } from "../../model-servers/index.ts";
import { isWanted, PINNED } from "../install.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";
import type { Subject } from "./contract.ts";
import { type PolicySubject, provePolicies } from "./policy.ts";
import { claudeByAcp, codexByAcp, piByAcp } from "./subjects/adapters.ts";
import { claude } from "./subjects/claude.ts";
import { codex } from "./subjects/codex.ts";
import { gemini } from "./subjects/gemini.ts";
import { OLDER } from "./subjects/older.ts";
import { opencode } from "./subjects/opencode.ts";
import { pi } from "./subjects/pi.ts";

type Tools = Pick<PolicySubject, "reads" | "runs" | "asksToRun" | "readsOutside" | "offered">;

/** @param allow makes the person's own settings allow everything. */
function policySubject(
  { title, prepare, writes }: Subject,
  tools: Tools,
  allow: (sandbox: Sandbox) => Promise<unknown>,
): PolicySubject {
  if (writes === null) throw new Error(`${title} has no tool that writes`);
  return {
    ...tools,
    title,
    writes,
    async prepare(sandbox, modelUrl, own) {
      const prepared = await prepare(sandbox, modelUrl);
      if (own === "allow everything") await allow(sandbox);
      return prepared;
    },
  };
}

async function addSettings(sandbox: Sandbox, file: string, more: JsonObject): Promise<void> {
  const before = asObject(JSON.parse(await readFile(join(sandbox.root, file), "utf8")));
  await sandbox.write(file, JSON.stringify({ ...before, ...more }));
}

const CLAUDE_TOOLS: Tools = {
  reads: (file) => tool("Read", { file_path: file }),
  runs: (command) => tool("Bash", { command, description: "Makes a file" }),
  readsOutside: true,
  offered: ["DeferredToolPlaceholder", "Glob", "Grep", "Read"],
};
const allowByClaude = (sandbox: Sandbox): Promise<void> =>
  addSettings(sandbox, ".claude/settings.json", {
    permissions: { allow: ["Write", "Bash(touch *)"], defaultMode: "acceptEdits" },
  });

const CODEX_TOOLS: Tools = {
  reads: (file) => tool("exec_command", { cmd: `cat ${file}` }),
  runs: (cmd) =>
    tool("exec_command", { cmd, sandbox_permissions: "require_escalated", justification: "May I?" }),
  readsOutside: true,
  offered: null,
};
async function allowByCodex(sandbox: Sandbox): Promise<void> {
  const config = await readFile(join(sandbox.root, ".codex/config.toml"), "utf8");
  const free = config.replace('"on-request"', '"never"').replace('"read-only"', '"danger-full-access"');
  await sandbox.write(".codex/config.toml", free);
}

const PI_TOOLS: Tools = {
  reads: (file) => tool("read", { path: file }),
  runs: (command) => tool("bash", { command }),
  readsOutside: true,
  offered: ["find", "grep", "ls", "read"],
};
/** Without Continuo, pi allows everything. */
const allowByPi = async (): Promise<void> => undefined;

const GEMINI_TOOLS: Tools = {
  reads: (file) => tool("read_file", { file_path: file }),
  runs: (command) => tool("run_shell_command", { command, description: "Makes a file" }),
  readsOutside: false,
  offered: ["glob", "grep_search", "list_directory", "read_file", "update_topic", "write_todos"],
};
const allowByGemini = (sandbox: Sandbox): Promise<void> =>
  addSettings(sandbox, "gemini-home/.gemini/settings.json", {
    tools: { allowed: ["write_file", "run_shell_command"] },
  });

const OPENCODE_TOOLS: Tools = {
  reads: (file) => tool("read", { filePath: file }),
  runs: (command) => tool("bash", { command, description: "Makes a file" }),
  readsOutside: true,
  offered: ["glob", "grep", "read", "todowrite"],
};
/** The rules in the definition of an agent have priority over those of the environment. */
const allowByOpencode = (sandbox: Sandbox): Promise<void> =>
  addSettings(sandbox, "config/opencode/opencode.json", {
    agent: { build: { permission: { edit: "allow", bash: "allow" } } },
  });

provePolicies(policySubject(claude, CLAUDE_TOOLS, allowByClaude));
provePolicies(policySubject(codex, CODEX_TOOLS, allowByCodex));
provePolicies(policySubject(pi, PI_TOOLS, allowByPi));
provePolicies(policySubject(gemini, GEMINI_TOOLS, allowByGemini));
provePolicies(policySubject(opencode, OPENCODE_TOOLS, allowByOpencode));

for (const older of OLDER) {
  if (older.agent === "codex") provePolicies(policySubject(older, CODEX_TOOLS, allowByCodex));
  if (older.agent === "pi") provePolicies(policySubject(older, PI_TOOLS, allowByPi));
  if (older.agent === "claude") {
    provePolicies(
      policySubject(older, { ...CLAUDE_TOOLS, offered: ["Glob", "Grep", "Read"] }, allowByClaude),
    );
  }
}

if (isWanted(PINNED.claudeAcp)) {
  for (const protocol of [1, 2] as const) {
    provePolicies(policySubject(claudeByAcp(protocol), CLAUDE_TOOLS, allowByClaude));
  }
}

if (isWanted(PINNED.codexAcp)) {
  // With full access the agent never asks for a permission, and a model that requests one nevertheless is refused.
  const tools: Tools = {
    ...CODEX_TOOLS,
    runs: (cmd) => tool("exec_command", { cmd }),
    asksToRun: CODEX_TOOLS.runs,
  };
  for (const protocol of [1, 2] as const) {
    provePolicies(policySubject(codexByAcp(protocol), tools, async () => undefined));
  }
}

if (isWanted(PINNED.piAcp)) {
  test.each(["safe", "ask"] as const)(
    "pi is not started through its adapter, which cannot enforce %s",
    async (permissions) => {
      await using sandbox = await makeSandbox();
      const { driver, cwd } = await piByAcp.prepare(sandbox, "http://127.0.0.1:9");
      const open = (await driver()).open({ cwd, permissions });
      await expect(open).rejects.toMatchObject({
        code: "unsupported",
        hint: "Use the agent's own protocol: transport native.",
      });
    },
  );
}

test("with a policy that only answers Claude Code's permission requests, reads outside of the folder are granted, and everything else is denied", async () => {
  await using sandbox = await makeSandbox();
  const outside = await sandbox.write("apart/secret.txt", "forty-one apples");
  const file = join(sandbox.project, "written.txt");
  const calls = {
    Read: { file_path: outside },
    Write: { file_path: file, content: "words" },
    Bash: { command: "touch run.txt", description: "Makes a file" },
  };
  const turns = Object.entries(calls).map(([name, input]) => ({
    user: `Use ${name}.`,
    answers: [[tool(name, input)], [text("That is it.")]],
  }));
  await using server = await startModelServer({ turns });
  const { driver, cwd } = await claude.prepare(sandbox, server.url);
  await using conversation = await (await driver()).open({
    cwd,
    onPermission: permissionsBy({ policy: "safe" }),
  });
  const told: unknown[] = [];
  for (const { user } of turns) {
    for await (const event of conversation.prompt([{ type: "text", text: user }])) {
      if (event.type === "permission_request") told.push([event.toolName, event.readOnly]);
      if (event.type === "permission_decision") told.push(event.outcome);
      if (event.type === "tool_result") told.push(event.status);
    }
  }
  expect(told).toEqual([
    ...[["Read", true], "granted", "ok"],
    ...[["Write", false], "denied", "denied"],
    ...[["Bash", null], "denied", "denied"],
  ]);
});
