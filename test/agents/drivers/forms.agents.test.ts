/**
 * Forms of agents with protocols of their own reach the person's editor, and the person's answers reach the model: the
 * questions of an MCP server, and those that an agent asks itself.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openAgent } from "@continuo/agents/drivers";
import type { EditorPort } from "@continuo/core/model";
import { expect, test } from "vitest";
import type { Json } from "../../acp/script.ts";
import { type Step, startModelServer, text, tool } from "../../model-servers/index.ts";
import type { PromptTurn } from "../../model-servers/script.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";
import { SUBJECTS } from "./subjects/index.ts";

const SERVER = join(import.meta.dirname, "form-server.js");

const OPTIONS = [
  { label: "Red", description: "warm" },
  { label: "Blue", description: "cold" },
];
const CHOICES = OPTIONS.map(({ label, description }) => ({ const: label, title: label, description }));

const repeat = ({ results }: PromptTurn): readonly Step[] => [text(`It said: ${results.at(-1)}`)];

const TURNS = {
  claude: [
    {
      user: "Deploy it.",
      answers: [[tool("ToolSearch", { query: "select:mcp__forms__deploy" })]],
    },
    // The text that Claude Code adds in the person's name after a search for tools.
    { user: "Tool loaded.", answers: [[tool("mcp__forms__deploy", {})], repeat] },
    {
      user: "Ask me.",
      answers: [
        [
          tool("AskUserQuestion", {
            questions: [
              { question: "Which colour?", header: "Colour", multiSelect: false, options: OPTIONS },
              { question: "Which others?", header: "Others", multiSelect: true, options: OPTIONS },
            ],
          }),
        ],
        repeat,
      ],
    },
  ],
  codex: [
    {
      user: "Deploy it.",
      answers: [
        [tool("tool_search", { query: "deploy the project", limit: 8 })],
        [tool("deploy", {})],
        repeat,
      ],
    },
    {
      user: "Ask me.",
      answers: [
        [
          tool("request_user_input", {
            questions: [{ id: "colour", header: "Colour", question: "Which colour?", options: OPTIONS }],
          }),
        ],
        repeat,
      ],
    },
  ],
  pi: [],
};

interface Stage extends AsyncDisposable {
  /** The forms that the editor showed. */
  readonly forms: readonly Json[];
  say(words: string): Promise<string>;
}

async function stage(
  agent: keyof typeof TURNS,
  content: Json,
  prepare?: (at: Sandbox) => Promise<void>,
): Promise<Stage> {
  const sandbox = await makeSandbox();
  const server = await startModelServer({ turns: TURNS[agent] });
  const { cwd, command, environment } = await SUBJECTS[agent].prepare(sandbox, server.url);
  await prepare?.(sandbox);
  const env = { ...environment, ENABLE_TOOL_SEARCH: "true" };
  const driver = await openAgent(agent, {
    places: { home: sandbox.root, env },
    command,
    isTrusted: () => true,
  });
  const forms: Json[] = [];
  const editor: EditorPort = {
    capabilities: { elicitation: { form: {} } },
    async request(method, params) {
      forms.push({ method, ...params });
      const { properties } = params.requestedSchema as { readonly properties: Json };
      const given = Object.entries(content).filter(([key]) => key in properties);
      return { action: "accept", content: Object.fromEntries(given) };
    },
    completed: async () => undefined,
  };
  const conversation = await driver.open({
    cwd,
    editor,
    toolServers:
      agent === "pi" ? [] : [{ name: "forms", command: process.execPath, args: [SERVER], env: {} }],
    onPermission: async () => ({ outcome: "granted", by: "person" }),
  });
  return {
    forms,
    async say(words) {
      let said = "";
      for await (const event of conversation.prompt([{ type: "text", text: words }])) {
        if (event.type === "text") said += event.delta;
        if (event.type === "diagnostics") said += event.message ?? "";
      }
      return said;
    },
    async [Symbol.asyncDispose]() {
      await conversation.close();
      await server.close();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

const PLACE_FORM = {
  method: "elicitation/create",
  mode: "form",
  message: "forms: Where shall it be deployed?",
  requestedSchema: {
    type: "object",
    properties: { place: { type: "string", title: "Place" } },
    required: ["place"],
  },
};

test("Claude Code shows the form of an MCP server, and its own questions, whose answers the model reads", async () => {
  await using on = await stage("claude", { place: "here", question_1: "Red", question_2: ["Red", "Blue"] });
  expect(await on.say("Deploy it.")).toContain('{"action":"accept","content":{"place":"here"');
  expect(on.forms).toEqual([PLACE_FORM]);
  const said = await on.say("Ask me.");
  expect(said).toContain('"Which colour?"="Red", "Which others?"="Red, Blue"');
  expect(on.forms.slice(1)).toEqual([
    {
      method: "elicitation/create",
      mode: "form",
      message: "Which colour?\nWhich others?",
      toolCallId: expect.any(String),
      requestedSchema: {
        type: "object",
        properties: {
          question_1: { type: "string", title: "Colour", description: "Which colour?", oneOf: CHOICES },
          question_1_other: { type: "string", title: "Colour: another answer" },
          question_2: {
            type: "array",
            title: "Others",
            description: "Which others?",
            items: { anyOf: CHOICES },
          },
          question_2_other: { type: "string", title: "Others: another answer" },
        },
      },
    },
  ]);
});

test("Codex shows the form of an MCP server, and its own questions, whose answers the model reads", async () => {
  await using on = await stage("codex", { place: "here", colour: "Red" }, async (sandbox) => {
    const own = await readFile(join(sandbox.root, ".codex/config.toml"), "utf8");
    const features = "[features]\ndefault_mode_request_user_input = true";
    await sandbox.write(".codex/config.toml", own.replace("[features]", features));
  });
  expect(await on.say("Deploy it.")).toContain('"content":{"place":"here"}');
  expect(on.forms).toEqual([PLACE_FORM]);
  expect(await on.say("Ask me.")).toContain('{"answers":{"colour":{"answers":["Red"]}}}');
  expect(on.forms.slice(1)).toMatchObject([
    {
      mode: "form",
      message: "Which colour?",
      requestedSchema: { properties: { colour: { oneOf: CHOICES } } },
    },
  ]);
});

const EXTENSION = `export default function ask(pi) {
  pi.registerCommand("ask", {
    description: "asks the person",
    handler: async (_args, context) => {
      const place = await context.ui.input("Where?", "a place");
      const notes = await context.ui.editor("Notes", "as before");
      context.ui.notify(\`It got \${place} and \${notes}\`, "info");
    },
  });
}
`;

test("pi shows the texts that an extension asks for, and the extension gets them", async () => {
  await using on = await stage("pi", { value: "here" }, async (sandbox) => {
    await sandbox.write(".pi/agent/extensions/ask.js", EXTENSION);
  });
  expect(await on.say("/ask")).toContain("It got here and here");
  const formOf = (message: string, value: Json) => ({
    method: "elicitation/create",
    mode: "form",
    message,
    requestedSchema: { type: "object", properties: { value: { type: "string", title: message, ...value } } },
  });
  expect(on.forms).toEqual([
    formOf("Where?", { description: "a place" }),
    formOf("Notes", { default: "as before" }),
  ]);
});
