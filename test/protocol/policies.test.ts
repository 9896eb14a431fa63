/** Each policy reaches the start of Claude Code, Codex and pi. The programs themselves do not run. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import { toPermissionRequest } from "../../packages/agents/src/drivers/claude/permission.ts";
import * as claude from "../../packages/agents/src/drivers/claude/policy.ts";
import { ownSettings, threadSettings, turnSettings } from "../../packages/agents/src/drivers/codex/policy.ts";
import type { CodexServer } from "../../packages/agents/src/drivers/codex/server.ts";
import { heldTools, noteHeld } from "../../packages/agents/src/drivers/pi/held-tools.ts";
import * as pi from "../../packages/agents/src/drivers/pi/policy.ts";
import { scratchFolder } from "../scratch-folder.ts";

describe("Claude Code", () => {
  test("is started with only reading tools under safe, and unchanged under any other policy", () => {
    expect(claude.policyArguments("safe")).toEqual([
      ...["--permission-mode", "default"],
      ...["--tools", "Read,Glob,Grep,LS,NotebookRead"],
      "--strict-mcp-config",
    ]);
    expect(
      [undefined, "ask", "unrestricted"].map((policy) => claude.policyArguments(policy as "ask")),
    ).toEqual([[], [], []]);
  });

  test.each([
    ["Read", true],
    ["Glob", true],
    ["Grep", true],
    ["LS", true],
    ["NotebookRead", true],
    ["Write", false],
    ["Edit", false],
    ["NotebookEdit", false],
    ["Bash", null],
    ["WebFetch", null],
    ["Agent", null],
    ["mcp__files__read", null],
    ["a tool of tomorrow", null],
  ])("asks for %s: whether it only reads is %s", (name, readOnly) => {
    expect(toPermissionRequest("1", { tool_name: name, input: {} }).readOnly).toBe(readOnly);
  });
});

describe("Codex", () => {
  const configured = { approvalPolicy: "never", sandbox: "workspace-write" };
  const own = async () => configured;
  const asking = { approvalPolicy: "on-request", approvalsReviewer: "user" };

  test.each([
    ["ask", undefined, configured, {}],
    ["safe", undefined, { ...asking, sandbox: "read-only" }, {}],
    ["unrestricted", undefined, asking, { sandboxPolicy: { type: "dangerFullAccess" } }],
    ["ask", "read-only", { ...configured, sandbox: "read-only" }, {}],
    ["safe", "never", { ...asking, approvalPolicy: "never", sandbox: "read-only" }, {}],
    ["unrestricted", "read-only", { ...asking, sandbox: "read-only" }, {}],
  ] as const)("under %s with mode %s", async (policy, mode, thread, turn) => {
    expect(await threadSettings({ policy, mode }, own)).toEqual(thread);
    expect(turnSettings({ policy, mode })).toEqual(turn);
  });

  test.each(["workspace-write", "danger-full-access"])(
    "safe and the mode %s exclude each other",
    async (mode) => {
      await expect(threadSettings({ policy: "safe", mode }, own)).rejects.toMatchObject({ code: "invalid" });
    },
  );

  const cwd = "/p";
  const trusted = { [cwd]: { trust_level: "trusted" } };
  const usual = { approvalPolicy: "on-request", approvalsReviewer: "user" };
  test.each([
    ["nothing", {}, { ...usual, sandbox: "read-only" }],
    ["that the folder is trusted", { projects: trusted }, { ...usual, sandbox: "workspace-write" }],
    [
      "all of it",
      {
        approval_policy: "untrusted",
        sandbox_mode: "read-only",
        approvals_reviewer: "auto_review",
        projects: trusted,
      },
      { approvalPolicy: "untrusted", approvalsReviewer: "auto_review", sandbox: "read-only" },
    ],
    ["a profile", { default_permissions: ":workspace" }, { ...usual, permissions: ":workspace" }],
  ])("a continued thread has what its folder's configuration says: %s", async (_, config, settings) => {
    const server = { call: async () => ({ config }) } as unknown as CodexServer;
    expect(await ownSettings(server, cwd, { limitMs: 1 })).toEqual(settings);
  });

  test("a version that reports no configuration gets the settings that ask most", async () => {
    const refuse = async (): Promise<never> => {
      throw new ContinuoError("agent_failed", "no", { details: { answer: { code: -32600 } } });
    };
    const server = { call: refuse } as unknown as CodexServer;
    expect(await ownSettings(server, cwd, { limitMs: 1 })).toEqual({ ...usual, sandbox: "read-only" });
  });
});

describe("pi", () => {
  test("is started with only reading tools under safe; a session that was restricted gets its tools back", () => {
    const readingTools = ["--tools", "read,grep,find,ls,mcp__none"];
    expect(pi.policyArguments("safe", { back: ["bash"], version: "1.5.2" })).toEqual([
      "--no-mcp",
      ...readingTools,
    ]);
    expect(pi.policyArguments("safe", { back: [], version: "0.87.1" })).toEqual(readingTools);
    expect(pi.policyArguments("ask", { back: [], version: "1.5.2" })).toEqual([]);
    expect(pi.policyArguments(undefined, { back: ["bash", "mine"], version: "1.5.2" })).toEqual([
      "--tools",
      "+bash,+mine",
    ]);
  });

  const given = (toolsAdded: readonly string[], toolsRemoved: readonly string[] = []) => ({
    type: "message",
    message: {
      role: "system",
      toolsAdded: toolsAdded.map((name) => ({ name })),
      toolsRemoved: toolsRemoved.map((name) => ({ name })),
    },
  });
  const reading = given(["read", "grep", "find", "ls"]);
  const whole = given(["read", "bash", "edit", "write", "mine"]);
  const held = given(["grep", "find", "ls"], ["bash", "edit", "write", "mine"]);

  test.each([
    ["begun with reading", [reading], ["bash", "edit", "write"]],
    ["held later", [whole, held], ["bash", "edit", "write", "mine"]],
    ["given others since", [whole, held, given(["bash"])], []],
    [
      "of lines that are none",
      [whole, held, null, "x", { type: "message" }],
      ["bash", "edit", "write", "mine"],
    ],
  ])("a session that was %s", async (_, records, names) => {
    const home = scratchFolder("held");
    const path = join(home, "session.jsonl");
    writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
    const places = { home, env: {} };
    const session = { places, sessionId: "s", path };
    expect(await heldTools(session)).toEqual([]);
    noteHeld(places, "s");
    expect(await heldTools(session)).toEqual(names);
    expect(await heldTools({ ...session, sessionId: "another" })).toEqual([]);
  });
});
