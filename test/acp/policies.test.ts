/** A policy limits an ACP agent through its arguments, its environment, its mode, or the options of its session. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PermissionPolicy } from "@continuo/core/model";
import { expect, test } from "vitest";
import { askingEnvironment } from "../../packages/agents/src/drivers/acp/opencode-policies.ts";
import { modeFor, policyOf } from "../../packages/agents/src/drivers/acp/policies.ts";
import { type AcpProgram, knownProgram } from "../../packages/agents/src/drivers/acp/programs.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { hello1, turn } from "./script.ts";
import { scripted } from "./scripted-program.ts";

const modes = { currentModeId: "free", availableModes: [{ id: "free" }, { id: "held" }] };
const script = {
  hello: hello1({ resume: {} }),
  answers: {
    "session/new": [{ result: { sessionId: "new-1", modes } }],
    "session/resume": [{ result: { modes } }],
    "session/set_mode": [{ result: {} }],
  },
};
const policies: AcpProgram["policies"] = {
  safe: {
    rules: { flag: "--rules", text: "only read\n" },
    env: { HELD: "yes" },
    mode: "held",
    meta: { tools: ["read"] },
  },
  unrestricted: null,
};

test("safe reaches each agent through its rules, environment, mode and session", async () => {
  const { driver, cwd, sent, starts } = scripted(script, { policies });
  await using conversation = await driver.open({ cwd, permissions: "safe" });
  await conversation.resumeSession("s7");
  const [start] = starts();
  const [flag, file] = (start?.args ?? []) as string[];
  expect([flag, readFileSync(String(file), "utf8"), start?.held]).toEqual(["--rules", "only read\n", "yes"]);
  const told = sent().map(({ method, params }) => [method, params]);
  const opened = { cwd, mcpServers: [], _meta: { tools: ["read"] } };
  expect(told.slice(1)).toEqual([
    ["session/new", opened],
    ["session/set_mode", { sessionId: "new-1", modeId: "held" }],
    ["session/resume", { sessionId: "s7", ...opened }],
    ["session/set_mode", { sessionId: "s7", modeId: "held" }],
  ]);
});

test("an agent that needs nothing for a policy is started as it is", async () => {
  const { driver, cwd, sent, starts } = scripted(script, { policies });
  await using conversation = await driver.open({ cwd });
  expect(conversation.sessionId).toBe("new-1");
  expect(starts()).toEqual([{ home: cwd, cwd }]);
  expect(sent().map(({ method }) => method)).toEqual(["initialize", "session/new"]);
});

test.each([
  ["unsupported", { permissions: "unrestricted" }],
  ["invalid", { permissions: "safe", mode: "free" }],
] as const)("an agent is not started if a policy cannot be enforced: %s", async (code, open) => {
  const { driver, cwd, starts } = scripted(script, { policies });
  await expect(driver.open({ cwd, ...open })).rejects.toMatchObject({ code });
  expect(starts).toThrow("ENOENT");
});

const question = {
  toolCall: { toolCallId: "t1", title: "look", kind: "read" },
  options: [
    { optionId: "yes", name: "Yes", kind: "allow_once" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ],
};
test.each([
  ["safe", "read", "granted"],
  ["safe", "execute", "denied"],
  ["unrestricted", "execute", "granted"],
  ["ask", "read", "denied"],
] as const)(
  "if nobody can answer, the policy decides: under %s, a tool of the kind %s is %s",
  async (permissions, kind, outcome) => {
    const ask = { ...question, toolCall: { ...question.toolCall, kind } };
    const { driver, cwd } = scripted({ prompts: { go: [{ ask }, { result: { stopReason: "end_turn" } }] } });
    await using conversation = await driver.open({ cwd, permissions });
    const events = await turn(conversation, "go");
    expect(events.find(({ type }) => type === "permission_decision")).toMatchObject({
      outcome,
      by: "policy",
    });
  },
);

const codex = knownProgram("codex")?.policies;
test.each([
  ["safe", undefined, {}, "read-only"],
  ["ask", undefined, {}, "workspace-write"],
  ["ask", undefined, { INITIAL_AGENT_MODE: "read-only" }, "read-only"],
  ["ask", "agent", {}, "agent"],
  ["unrestricted", undefined, {}, "agent-full-access"],
  ["unrestricted", "read-only", {}, "read-only"],
] as const)("codex-acp under %s, asked for the mode %s: %j", (permissions, mode, env, is) => {
  const policy = codex?.[permissions as PermissionPolicy] ?? {};
  expect(modeFor(policy, { permissions, mode, env })).toBe(is);
});

/**
 * Combines the rules of the environment with the person's own rules as opencode 1.18.33 does: the last rule that
 * matches applies.
 */
function rulesOf(own: Json, env: Record<string, string> = {}): readonly string[] {
  const home = scratchFolder("opencode");
  mkdirSync(join(home, ".config/opencode"), { recursive: true });
  writeFileSync(join(home, ".config/opencode/opencode.json"), JSON.stringify(own));
  const { OPENCODE_PERMISSION = "", OPENCODE_CONFIG_CONTENT = "" } = askingEnvironment({ home, env });
  const merged = { ...own, ...JSON.parse(OPENCODE_CONFIG_CONTENT) };
  const tools = { ...own.tools, ...merged.tools };
  const permission = { ...own.permission, ...JSON.parse(OPENCODE_PERMISSION) };
  const inFront = Object.entries(tools).map(([name, isOn]) => [name, isOn === true ? "allow" : "deny"]);
  return Object.entries({ ...Object.fromEntries(inFront), ...permission }).map(
    ([name, rule]) => `${name} ${typeof rule === "string" ? rule : JSON.stringify(rule)}`,
  );
}

type Json = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

function decisionOf(rules: readonly string[], tool: string): string | undefined {
  const fits = (pattern: string) =>
    new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`, "u").test(tool);
  return rules.map((rule) => rule.split(" ") as [string, string]).findLast(([pattern]) => fits(pattern))?.[1];
}

test.each([
  ["bash", "ask"],
  ["edit", "ask"],
  ["webfetch", "ask"],
  ["files_delete", "ask"],
  ["a_tool_of_tomorrow", "ask"],
  ["glob", "allow"],
  ["grep", "allow"],
  ["task", '{"*":"deny","general":"allow","explore":"allow"}'],
  ["todowrite", "allow"],
])("opencode under ask, without rules of the person: %s is %s", (tool, decision) => {
  expect(decisionOf(rulesOf({}), tool)).toBe(decision);
});

test("opencode under ask follows the person's rules, and gets rules of Continuo only for tools without one", () => {
  const own = {
    permission: { bash: "allow", glob: "ask", "files_*": "deny" },
    tools: { webfetch: false, write: false },
  };
  const rules = rulesOf(own);
  const tools = ["bash", "glob", "files_delete", "webfetch", "edit", "other"];
  expect(tools.map((tool) => decisionOf(rules, tool))).toEqual([
    "allow",
    "ask",
    "deny",
    "deny",
    "deny",
    "ask",
  ]);
  expect(decisionOf(rulesOf({ permission: { "*": "allow" } }), "bash")).toBe("allow");
  expect(decisionOf(rulesOf({}, { OPENCODE_PERMISSION: '{"bash":"allow"}' }), "bash")).toBe("allow");
});

test("opencode under ask keeps what the environment configures, and the limits of its own agents", () => {
  const agent = { plan: { model: "m" }, general: { model: "n", permission: { glob: "deny" } } };
  const content = { theme: "x", tools: { grep: false }, agent };
  const env = { OPENCODE_CONFIG_CONTENT: JSON.stringify(content) };
  const home = scratchFolder("opencode");
  const given = JSON.parse(askingEnvironment({ home, env }).OPENCODE_CONFIG_CONTENT ?? "");
  expect(given).toMatchObject({ theme: "x", tools: { grep: false, "**": true } });
  // An agent that the person configured gets only the person's rules.
  expect(given.agent.plan).toEqual({ model: "m" });
  expect(given.agent.general).toMatchObject({ model: "n", permission: { glob: "deny", "?ash": "deny" } });
  expect(given.agent.explore.permission["?dit"]).toBe("deny");
});

test("the adapter of pi, which never asks for a permission, is not started under ask", () => {
  expect(() => policyOf({ label: "pi", policies: knownProgram("pi")?.policies }, undefined)).toThrow(
    expect.objectContaining({ code: "unsupported" }),
  );
});

test("an agent that starts no server without trust is given none, and the driver names them", async () => {
  const server = { name: "files", command: "serve", args: [], env: {} };
  const { driver, cwd, sent } = scripted(script, { toolServersNeedTrust: true });
  await using conversation = await driver.open({ cwd, toolServers: [server] });
  expect(conversation.leftOutServers).toEqual(["files"]);
  expect(sent().at(-1)?.params).toEqual({ cwd, mcpServers: [] });
  expect(knownProgram("gemini")?.toolServersNeedTrust).toBe(true);
});

test("an agent that replaces variables in the values of a client's servers is given a backslash before each dollar sign", async () => {
  const env = { TOKEN: `\${HOME}:$HOME`, PATTERN: "a\\$b\\" };
  const server = { name: "files", command: "serve", args: ["$HOME"], env };
  const { driver, cwd, sent } = scripted(script, { expandsToolServers: true });
  await using _ = await driver.open({ cwd, toolServers: [server] });
  const escaped = [
    { name: "TOKEN", value: `\\\${HOME}:\\$HOME` },
    { name: "PATTERN", value: "a\\\\$b\\" },
  ];
  expect(sent().at(-1)?.params).toEqual({ cwd, mcpServers: [{ ...server, env: escaped }] });
  expect(knownProgram("gemini")?.expandsToolServers).toBe(true);
});
