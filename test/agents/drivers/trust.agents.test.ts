/** A cloned project runs nothing through an agent until its folder is trusted. */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openAgent } from "@continuo/agents/drivers";
import type { AgentName, Conversation, OpenConversation } from "@continuo/core/model";
import { expect, test } from "vitest";
import { startModelServer, text } from "../../model-servers/index.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";
import { type Marks, makeHostile } from "./hostile.ts";
import { SUBJECTS } from "./subjects/index.ts";

const AGENTS = ["claude", "codex", "gemini", "pi", "opencode"] as const;
/** A program that starts may leave its mark a moment after the answer. */
const AFTERWARDS_MS = 1_500;

interface Visit {
  readonly marks: readonly string[];
  readonly restriction: Conversation["restriction"];
  /** The text of all requests that the model received. */
  readonly sent: string;
}

interface How extends Pick<OpenConversation, "permissions"> {
  readonly trusts?: boolean;
  readonly before?: (sandbox: Sandbox, marks: Marks) => Promise<unknown>;
}

/** Starts the agent in the hostile project and says hello. */
async function visit(agent: AgentName, { trusts = false, before, ...policy }: How): Promise<Visit> {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer({
    turns: [{ user: "Say hello.", answers: [[text("Hello.")]] }],
  });
  const { environment, command, cwd } = await SUBJECTS[agent].prepare(sandbox, server.url);
  const marks = await makeHostile(agent, sandbox);
  await before?.(sandbox, marks);
  // This setting would make the agent trust every folder, and the test is about the behaviour without it.
  const { GEMINI_CLI_TRUST_WORKSPACE: _, ...env } = environment;
  const places = { home: sandbox.root, env: { ...env, MY_TOKEN: "secret" } };
  const driver = await openAgent(agent, { places, command, isTrusted: () => trusts });
  await using conversation = await driver.open({ cwd, ...policy });
  for await (const _event of conversation.prompt([{ type: "text", text: "Say hello." }])) {
    // Only the programs that run during the turn matter.
  }
  await pause(AFTERWARDS_MS);
  const { restriction } = conversation;
  await conversation.close();
  return {
    marks: marks.names(),
    restriction,
    sent: JSON.stringify(server.conversation().map(({ body }) => body)),
  };
}

const OWN = /^mine-/u;

test.each(AGENTS.filter((agent) => agent !== "opencode"))(
  "%s runs no program of an untrusted project, and the files and variables that were left out are listed",
  async (agent) => {
    const { marks, restriction, sent } = await visit(agent, {});
    expect(marks.filter((name) => !OWN.test(name))).toEqual([]);
    expect(restriction).toMatchObject({ isTrusted: false, variables: expect.arrayContaining(["MY_TOKEN"]) });
    expect(restriction?.files.length).toBeGreaterThan(0);
    expect(sent).not.toContain("PLANTED");
  },
);

test("opencode always runs a project's plugins, so it is not started until the folder is trusted", async () => {
  await expect(visit("opencode", {})).rejects.toMatchObject({
    code: "untrusted",
    hint: expect.stringContaining("continuo trust"),
  });
});

test("opencode starts in a folder that has no configuration", async () => {
  const clean = async ({ project }: Sandbox): Promise<void> => {
    await rm(join(project, "opencode.json"));
    await rm(join(project, ".opencode"), { recursive: true });
  };
  expect((await visit("opencode", { before: clean })).marks).toEqual(["mine-mcp"]);
});

test.each([
  ["claude", ["mcp", "shared-SessionStart", "shared-UserPromptSubmit"]],
  ["codex", ["mcp"]],
  ["gemini", ["discovery", "mcp", "shared-BeforeAgent"]],
  ["pi", ["extension", "mcp", "named-extension", "package"]],
] as const)(
  "%s uses the configuration of a trusted project, with the whole environment",
  async (agent, expected) => {
    const { marks, restriction } = await visit(agent, { trusts: true });
    expect(marks).toEqual(expect.arrayContaining([...expected, "mine-mcp"]));
    expect(restriction).toBe(null);
  },
);

test("a folder that a person accepted in Claude Code's own dialog is trusted", async () => {
  const accept = ({ project, write }: Sandbox): Promise<unknown> =>
    write(
      ".claude/.claude.json",
      JSON.stringify({ projects: { [project]: { hasTrustDialogAccepted: true } } }),
    );
  const { marks, restriction } = await visit("claude", { before: accept });
  expect(marks).toContain("shared-SessionStart");
  expect(restriction).toBe(null);
});

test.each(AGENTS.filter((agent) => agent !== "opencode"))(
  "with safe permissions, %s starts no MCP server of a trusted project or of the person",
  async (agent) => {
    const { marks } = await visit(agent, { trusts: true, permissions: "safe" });
    expect(marks.filter((name) => name.includes("mcp"))).toEqual([]);
  },
);

test("with safe permissions, opencode starts no MCP server of the person", async () => {
  const clean = async ({ project }: Sandbox): Promise<void> => {
    await rm(join(project, "opencode.json"));
    await rm(join(project, ".opencode"), { recursive: true });
  };
  expect((await visit("opencode", { before: clean, permissions: "safe" })).marks).toEqual([]);
});
