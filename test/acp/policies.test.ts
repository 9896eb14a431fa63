/** How a policy holds an ACP agent: by its arguments, its environment, its mode, or what its session is opened with. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { modeFor } from "../../src/drivers/acp/policies.ts";
import { ACP_PROGRAMS, type AcpProgram } from "../../src/drivers/acp/programs.ts";
import type { PermissionPolicy } from "../../src/model/index.ts";
import { hello1, turn } from "./script.ts";
import { scripted } from "./scripted.ts";

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
] as const)("nothing is started where a policy cannot be kept: %s", async (code, open) => {
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
  "where nobody answers, the policy does: %s, a tool of the kind %s is %s",
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

const codex = ACP_PROGRAMS.codex?.policies;
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
