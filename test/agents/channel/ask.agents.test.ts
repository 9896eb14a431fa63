/**
 * Claude Code asks Codex a question with the tool `ask`, through a channel of a real server that the owner of the
 * machine opened for this. Without such a channel, the tool does not exist.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Script, text, tool } from "../../model-servers/index.ts";
import { type Stage, stage } from "../chat/stage.ts";
import { openClaude } from "../claude/driver.ts";
import type { LineProgram } from "../sandbox.ts";
import { setUp } from "../setup/stage.ts";

const QUESTION = "Which port does the staging server use?";
const SCRIPT: Script = {
  turns: [
    // Codex receives the question in the words of Claude Code.
    { user: QUESTION, answers: [[text("It uses port 4911.")]] },
    {
      user: "Ask the other agent.",
      answers: [
        [tool("mcp__continuo__ask", { to: "codex", question: QUESTION, waitSeconds: 45 })],
        [text("I asked.")],
      ],
    },
  ],
};

/** Returns the requests that Claude Code sent to its model, with Codex in the channel and after `continuo setup`. */
async function askIn(on: Stage, opened: readonly string[]): Promise<readonly string[]> {
  const { sandbox } = on;
  const server = on.start(["serve", "--listen", "127.0.0.1:0"]);
  const url = await urlOf(server);
  const joined = on.start(["agent", "join", "team", "--agent", "codex", "--as", "codex", "--server", url]);
  try {
    const claude = await openClaude(sandbox, on.server.url, "full");
    const settings = {
      permissions: { allow: ["mcp__continuo"] },
      env: { ENABLE_TOOL_SEARCH: "false", CONTINUO_SERVER: url },
    };
    await sandbox.write(".claude/settings.json", JSON.stringify(settings));
    const file = join(sandbox.root, ".continuo/continuo.yaml");
    const configuration: object = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...configuration, mcp: { ask: opened } }));
    await setUp("claude", sandbox, claude.environment);
    await claude.say(["Ask the other agent."]);
  } finally {
    for (const one of [joined, server]) {
      one.kill();
      await one.end();
    }
  }
  const asked = on.server.conversation().filter(({ protocol }) => protocol === "anthropic");
  return asked.map(({ body }) => JSON.stringify(body));
}

async function urlOf(server: LineProgram): Promise<string> {
  for await (const line of server.lines) {
    const url = /listens on (http:\S+)/u.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`no server: ${server.stderr()}`);
}

test("Claude Code asks Codex in the channel that the owner opened, and its model gets the answer", async () => {
  await using on = await stage(["codex"], SCRIPT);
  const sent = await askIn(on, ["team"]);
  expect(sent.at(-1)?.includes("It uses port 4911.")).toBe(true);
  const heard = on.server.conversation().filter(({ protocol }) => protocol === "responses");
  expect(heard).toHaveLength(1);
  expect(JSON.stringify(heard[0]?.body)).toContain(QUESTION);
});

test("Claude Code cannot ask Codex if the owner opened no channel for this", async () => {
  await using on = await stage(["codex"], SCRIPT);
  const sent = await askIn(on, []);
  expect(["search", "ask"].map((name) => sent[0]?.includes(`mcp__continuo__${name}`))).toEqual([true, false]);
  expect(on.server.conversation().filter(({ protocol }) => protocol === "responses")).toEqual([]);
});
