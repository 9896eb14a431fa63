/**
 * States of Codex's threads: calls without a result, tools of the vendor and of servers, and messages during a turn.
 */

import { appendFile, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { lookUpSession } from "@continuo/agents";
import { type AppServer, threadIdIn } from "../../test/agents/codex/app-server.ts";
import type { Codex } from "../../test/agents/codex/driver.ts";
import type { Sandbox } from "../../test/agents/sandbox.ts";
import { asObject, asText, text, tool } from "../../test/model-servers/index.ts";
import type { CodexCase, CodexStage } from "./codex-stage.ts";
import { addWorktree, PICTURE } from "./project.ts";

async function begin(app: AppServer, { sandbox }: CodexStage): Promise<string> {
  const params = { historyMode: "paginated", cwd: sandbox.project };
  return threadIdIn(await app.request("thread/start", params));
}

/** Waits until the thread's file holds the words. */
async function isWritten({ codex, sandbox }: CodexStage, threadId: string, words: string): Promise<void> {
  const places = { home: sandbox.root, env: { CODEX_HOME: codex.home } };
  for (let look = 0; look < 1_500; look++) {
    const hit = await lookUpSession(`codex:${threadId}`, { places }).catch(() => null);
    if (hit !== null && (await readFile(hit.found.location, "utf8")).split(words).length > 2) return;
    await new Promise((again) => setTimeout(again, 20));
  }
  throw new Error(`codex did not write ${words}`);
}

/** A server of tools, as Codex starts it: it answers `shot` with a text and a picture. */
const SHOP_SERVER = `
import { createInterface } from "node:readline";
const tools = [{ name: "shot", description: "A picture of the shop.", inputSchema: { type: "object", properties: { of: { type: "string" } }, required: ["of"] } }];
const content = [{ type: "text", text: "The window of the shop." }, { type: "image", mimeType: "image/png", data: "${PICTURE}" }];
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "shop", version: "1" } }),
  "tools/list": () => ({ tools }),
  "tools/call": () => ({ content }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const result = answers[method]?.(params);
  if (id !== undefined && result !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
}
`;

async function addShop({
  codex,
  sandbox,
}: {
  readonly codex: Codex;
  readonly sandbox: Sandbox;
}): Promise<void> {
  const server = await sandbox.write("shop.mjs", SHOP_SERVER);
  const [command, args] = [process.execPath, [server]].map((value) => JSON.stringify(value));
  await appendFile(
    join(codex.home, "config.toml"),
    `[mcp_servers.shop]\ncommand = ${command}\nargs = ${args}\n`,
  );
}

export const CODEX_STATES: readonly CodexCase[] = [
  {
    name: "killed-calls",
    shows: "Codex was killed while two calls of one answer ran: neither has a result.",
    made: "`turn/start` of the app server, and SIGKILL during the commands",
    script: {
      turns: [
        {
          user: "Run both checks.",
          answers: [
            [
              text("I run both."),
              tool("exec_command", { cmd: "sleep 61" }),
              tool("exec_command", { cmd: "sleep 62" }),
            ],
          ],
        },
      ],
    },
    async hold(stage) {
      const app = await stage.codex.appServer();
      const threadId = await begin(app, stage);
      const input = [{ type: "text", text: "Run both checks.", text_elements: [] }];
      await app.request("turn/start", { threadId, input });
      await isWritten(stage, threadId, '"function_call"');
      await app.kill();
      return threadId;
    },
  },
  {
    name: "vendor-tools",
    shows:
      "Tools that the vendor ran: a search in the web, and a picture that was made. They have no results of their own.",
    made: "`thread/inject_items` of the app server between two turns, with items as the vendor's API gives them",
    script: {
      turns: [
        { user: "Which teas do we sell?", answers: [[text("Green, black and white.")]] },
        { user: "And the picture?", answers: [[text("It shows a leaf.")]] },
      ],
    },
    async hold(stage) {
      await using app = await stage.codex.appServer();
      const threadId = await begin(app, stage);
      await app.turn(threadId, "Which teas do we sell?");
      const action = { type: "search", query: "tea shop", queries: ["tea shop"] };
      const items = [
        { type: "web_search_call", id: "ws_1", status: "completed", action },
        {
          type: "image_generation_call",
          id: "ig_1",
          status: "completed",
          revised_prompt: "A green leaf",
          result: PICTURE,
        },
        {
          type: "message",
          role: "assistant",
          content: [{ type: "output_text", text: "Here is a leaf." }],
        },
      ];
      await app.request("thread/inject_items", { threadId, items });
      await app.turn(threadId, "And the picture?");
      return threadId;
    },
  },
  {
    name: "server-tools",
    shows:
      "The model searches for a tool of an MCP server and calls it: the call names the server apart from the tool, and its result holds a picture.",
    made: "`codex exec` with a server of tools in `config.toml`",
    script: {
      turns: [
        {
          user: "Show me the shop.",
          answers: [
            [tool("tool_search", { query: "picture of the shop", limit: 3 })],
            [tool("shot", { of: "window" })],
            [text("That is the window.")],
          ],
        },
        { user: "Nice?", answers: [[text("Very nice.")]] },
      ],
    },
    async hold(stage) {
      await addShop(stage);
      await using app = await stage.codex.appServer();
      const threadId = await begin(app, stage);
      await app.notified(
        "mcpServer/startupStatus/updated",
        ({ name, status }) => name === "shop" && status === "ready",
      );
      await app.turn(threadId, "Show me the shop.");
      await app.turn(threadId, "Nice?");
      return threadId;
    },
  },
  {
    name: "steered",
    shows: "The person spoke while a command ran: the words stand within the turn.",
    made: "`turn/steer` of the app server during a command",
    script: {
      turns: [
        {
          user: "Run the tests.",
          answers: [[tool("exec_command", { cmd: "until test -e report; do sleep 0.1; done" })]],
        },
        { user: "Without a log, please.", answers: [[text("They pass, and I wrote no log.")]] },
      ],
    },
    async hold(stage) {
      await using app = await stage.codex.appServer();
      const threadId = await begin(app, stage);
      const input = (words: string) => [{ type: "text", text: words, text_elements: [] }];
      const started = await app.request("turn/start", { threadId, input: input("Run the tests.") });
      const turnId = asText(asObject(started.turn).id);
      while (stage.server.conversation().length < 1) await new Promise((look) => setTimeout(look, 20));
      await app.request("turn/steer", {
        threadId,
        expectedTurnId: turnId,
        input: input("Without a log, please."),
      });
      await stage.sandbox.write("project/report", "all pass");
      await app.notified("turn/completed", (params) => asObject(params.turn).id === turnId);
      return threadId;
    },
  },
  {
    name: "plan-and-shell",
    shows:
      "A turn in plan mode, a goal, a shell command of the person, and a command that goes on in the background.",
    made: "`turn/start` with `collaborationMode`, the tool create_goal, `thread/shellCommand`, exec_command and write_stdin",
    script: {
      turns: [
        { user: "Plan the fix.", answers: [[text("Black tea: 240 seconds.")]] },
        {
          user: "Do it.",
          answers: [
            [tool("create_goal", { objective: "Black tea steeps four minutes." })],
            [tool("exec_command", { cmd: "sleep 2; echo pass", yield_time_ms: 250 })],
            [tool("write_stdin", { session_id: 1, chars: "", yield_time_ms: 5_000 })],
            [tool("update_goal", { status: "complete" })],
            [text("It is done.")],
          ],
        },
        { user: "Good.", answers: [[text("Anything else?")]] },
      ],
    },
    async hold(stage) {
      await using app = await stage.codex.appServer();
      const threadId = await begin(app, stage);
      const mode = (kind: "plan" | "default") => ({
        collaborationMode: {
          mode: kind,
          settings: { model: "gpt-5.5", reasoning_effort: null, developer_instructions: null },
        },
      });
      await app.turn(threadId, "Plan the fix.", mode("plan"));
      await app.turn(threadId, "Do it.", mode("default"));
      await app.request("thread/shellCommand", { threadId, command: "cat timer.js" });
      await isWritten(stage, threadId, "cat timer.js");
      await app.turn(threadId, "Good.");
      return threadId;
    },
  },
  {
    name: "skills",
    shows: "A skill that the person names.",
    made: "`codex exec` with a skill in `skills/` of the home, and `$brew` in the prompt",
    script: {
      turns: [
        { user: "Use $brew, please.", answers: [[text("The water comes first.")]] },
        { user: "Twice?", answers: [[text("Twice.")]] },
      ],
    },
    async hold({ codex, sandbox }) {
      const described = "---\nname: brew\ndescription: How to brew tea\n---\n";
      await sandbox.write(".codex/skills/brew/SKILL.md", `${described}Boil the water first.\n`);
      const { threadId } = await codex.exec("Use $brew, please.");
      await codex.exec("Twice?", { resume: threadId });
      return threadId;
    },
  },
  {
    name: "hooks",
    shows:
      "A hook of the user gives the model a text beside the prompt, and another one beside the result of a command.",
    made: "`codex exec --dangerously-bypass-hook-trust` with `hooks.json` in the home",
    script: {
      turns: [
        {
          user: "Name the timer.",
          answers: [[tool("exec_command", { cmd: "cat timer.js" })], [text("How about `steep`?")]],
        },
      ],
    },
    async hold({ codex, sandbox }) {
      const hooks = ["UserPromptSubmit", "PostToolUse"].map(async (event) => {
        const told = {
          hookSpecificOutput: { hookEventName: event, additionalContext: `The kettle saw ${event}.` },
        };
        const script = await sandbox.write(
          `${event}.mjs`,
          `console.log(${JSON.stringify(JSON.stringify(told))});\n`,
        );
        return [event, [{ hooks: [{ type: "command", command: `${process.execPath} ${script}` }] }]] as const;
      });
      const all = Object.fromEntries(await Promise.all(hooks));
      await sandbox.write(".codex/hooks.json", JSON.stringify({ hooks: all }));
      const flags = ["--dangerously-bypass-hook-trust", "--json", "--skip-git-repo-check"];
      const printed = await codex.command(["exec", ...flags, "--", "Name the timer."]);
      const started = printed.split("\n").find((line) => line.includes('"thread.started"')) ?? "{}";
      await rm(join(codex.home, "hooks.json"));
      return asText(asObject(JSON.parse(started)).thread_id);
    },
  },
  {
    name: "review",
    shows: "The slash command `/review` between two turns: a review in the same thread.",
    made: "`review/start` of the app server, which the command stands for",
    script: {
      turns: [
        { user: "Name the timer.", answers: [[text("How about `steep`?")]] },
        { user: "Anything else?", answers: [[text("Nothing.")]] },
      ],
    },
    async hold(stage) {
      await using app = await stage.codex.appServer();
      const threadId = await begin(app, stage);
      await app.turn(threadId, "Name the timer.");
      const target = { type: "custom", instructions: "Review the timer." };
      const started = await app.request("review/start", { threadId, target, delivery: "inline" });
      const turnId = asText(asObject(started.turn).id);
      await app.notified("turn/completed", (params) => asObject(params.turn).id === turnId);
      await app.turn(threadId, "Anything else?");
      return threadId;
    },
  },
  {
    name: "worktree",
    shows: "A thread in a linked worktree of a repository.",
    made: "`git worktree add`, and `thread/start` of the app server with its folder",
    script: { turns: [{ user: "Name the timer.", answers: [[text("How about `steep`?")]] }] },
    async hold({ codex, sandbox }) {
      const cwd = addWorktree(sandbox);
      await using app = await codex.appServer();
      const threadId = threadIdIn(await app.request("thread/start", { historyMode: "paginated", cwd }));
      await app.turn(threadId, "Name the timer.");
      return threadId;
    },
  },
];
