/** The definitions of tools: recorded in runs of agents that call a model, read from files of Codex, and exported. */

import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HOME_VARIABLES, listNativeSessions, openNativeSession } from "@continuo/agents";
import { type Agent, isEvent, present, type StoredEvent, type ToolDefinition } from "@continuo/core/model";
import {
  TranscriptBuilder,
  toAnthropicMessages,
  toOpenAIMessages,
  toShareGpt,
} from "@continuo/core/transcript";
import { type Continuo, defineAgent, openContinuo } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
import { runOnce } from "@continuo/store/sessions";
import { jsonSchema, tool } from "ai";
import { expect, test } from "vitest";
import { ScriptedModel } from "../../packages/store/src/testing/index.ts";
import { violationsOf as anthropicViolations } from "../model-servers/anthropic-rules.ts";
import { violationsOf as chatViolations } from "../model-servers/chat.ts";
import { createHome, type Home } from "./home.ts";
import { runInProcess } from "./in-process.ts";

const SECRET = `ghp_${"a1B2".repeat(9)}`;
const orderSchema = {
  type: "object",
  properties: { order: { type: "string" } },
  required: ["order"],
} as const;
const inputSchema = jsonSchema<{ order: string }>(orderSchema);
const look = tool({ description: "Looks an order up.", inputSchema, execute: () => "paid" });
/** The APIs do not accept the dot of its name. */
const refund = tool({ description: `Uses ${SECRET}.`, inputSchema, execute: () => "refunded" });
const ship = tool({ description: "Sends an order.", inputSchema, execute: () => "sent" });

/** Calls each of the first tools once in each turn. */
const model = new ScriptedModel({
  turns: ({ messages, tools }) =>
    tools.length === 0 || messages.at(-1)?.startsWith("tool:") === true
      ? [{ say: "Done." }]
      : tools.slice(0, 3).map((call) => ({ call, input: { order: "7" } })),
});
type Tools = Readonly<Record<string, typeof look>>;
const deskOf = (tools: Tools) => defineAgent({ name: "desk", model, tools });

async function ask(url: string, tools: Tools, texts: readonly string[]): Promise<void> {
  await using c: Continuo = await openContinuo(url, { agents: [deskOf(tools)] });
  const session = c.session("desk", { create: true });
  for (const text of texts) await session.send(text).result();
}

async function offersOf(url: string): Promise<readonly StoredEvent[]> {
  await using store = await openStore(url);
  const { events } = await store.read("desk");
  return events.filter((event) => isEvent(event, "mode_changed"));
}

const urlOf = (home: Home): string => `sqlite:${join(home.path, ".continuo/continuo.db")}`;

const exported = async (home: Home, format: string, id = "desk") =>
  await runInProcess(home, ["session", "export", id, "--format", format]);

test("a run records the tools that its model is offered, and later runs only if they changed", async () => {
  using home = createHome();
  home.write(".continuo/.keep", "");
  const url = urlOf(home);
  const definitions = [
    { name: "look", description: "Looks an order up.", inputSchema: orderSchema },
    { name: "shop.refund", description: `Uses ${SECRET}.`, inputSchema: orderSchema },
  ];
  await ask(url, { look, "shop.refund": refund }, ["one", "two"]);
  await ask(url, { look, "shop.refund": refund }, ["three"]);
  expect((await offersOf(url)).map(({ data }) => data)).toEqual([{ tools: definitions }]);
  await ask(url, { look, ship }, ["four", "five"]);
  await ask(url, {}, ["six"]);
  const shipping = { name: "ship", description: "Sends an order.", inputSchema: orderSchema };
  expect((await offersOf(url)).map(({ data }) => data)).toEqual([
    { tools: definitions },
    { tools: [definitions[0], shipping] },
    { tools: [] },
  ]);
  await using store = await openStore(url);
  const { metadata } = await TranscriptBuilder.fromStore(store, "desk");
  expect(metadata.tools).toEqual([definitions[1], definitions[0], shipping]);
  const { tools = [] } = toOpenAIMessages([], { tools: metadata.tools });
  expect(tools.map(({ function: { name } }) => name)).toEqual(["shop_refund", "look", "ship"]);
});

test("definitions are recorded up to 128 tools and 64 kB, and the others are counted", async () => {
  using home = createHome();
  home.write(".continuo/.keep", "");
  const large = tool({ description: "x".repeat(70_000), inputSchema, execute: () => "paid" });
  const many = Object.fromEntries(Array.from({ length: 130 }, (_, at) => [`look${at}`, look]));
  await ask(urlOf(home), { large, ...many }, ["one"]);
  const [{ data } = { data: {} }] = await offersOf(urlOf(home));
  const { tools = [], toolsLeftOut } = data as { tools?: readonly ToolDefinition[]; toolsLeftOut?: number };
  expect([tools.length, tools[0]?.name, toolsLeftOut]).toEqual([128, "look0", 3]);
});

test("the lines of a session whose tools changed define every called tool, with secrets masked", async () => {
  using home = createHome();
  home.write(".continuo/.keep", "");
  const url = urlOf(home);
  await ask(url, { look, "shop.refund": refund }, ["one"]);
  await ask(url, { look, ship }, ["two"]);
  const results = await Promise.all(
    ["openai", "anthropic", "sharegpt"].map((format) => exported(home, format)),
  );
  for (const { code, stdout, stderr } of results) {
    expect([code, stdout.includes(SECRET), stdout.includes("Looks an order up.")]).toEqual([0, false, true]);
    expect(stderr).toContain("GitHub token");
    expect(stderr).not.toContain("without a definition");
  }
  const [openai, anthropic, sharegpt] = results.map(({ stdout }) => JSON.parse(stdout));
  const named = ["look", "ship", "shop_refund"];
  const functions = openai.tools.map((one: { type: string; function: object }) => one.function);
  expect(openai.tools.every(({ type }: { type: string }) => type === "function")).toBe(true);
  expect(functions.map(({ name }: { name: string }) => name).sort()).toEqual(named);
  expect(functions).toContainEqual({
    name: "look",
    description: "Looks an order up.",
    parameters: orderSchema,
  });
  const chatCalls = openai.messages.flatMap(
    ({ tool_calls = [] }: { tool_calls?: { function: { name: string } }[] }) => tool_calls,
  );
  expect(chatCalls.map((call: { function: { name: string } }) => call.function.name)).toEqual([
    ...["look", "shop_refund"],
    ...["look", "ship"],
  ]);
  expect(chatViolations(openai.messages)).toEqual([]);
  expect(anthropic.tools.map(({ name }: { name: string }) => name).sort()).toEqual(named);
  expect(anthropic.tools[0].input_schema).toEqual(orderSchema);
  expect(anthropicViolations({ messages: anthropic.messages } as never)).toEqual([]);
  const listed = JSON.parse(sharegpt.tools) as readonly { name: string; parameters: unknown }[];
  expect(listed.map(({ name }) => name).sort()).toEqual(["look", "ship", "shop.refund"]);
  const shared = (sharegpt.conversations as { from: string; value: string }[])
    .filter(({ from }) => from === "function_call")
    .map(({ value }) => (JSON.parse(value) as { name: string }).name);
  expect(new Set(shared)).toEqual(new Set(listed.map(({ name }) => name)));
});

test("readers over the network do not receive the definitions of tools", async () => {
  await using c = await openContinuo("memory:", { agents: [deskOf({ look })] });
  const run = c.session("desk", { create: true }).send("one");
  await run.result();
  const answer = await c.session("desk").toSSE(new Request("http://127.0.0.1/events"));
  let words = "";
  for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    words += part;
    if (words.includes('"type":"run_completed"')) break;
  }
  expect(words).toContain('"type":"mode_changed"');
  expect(words).not.toContain("Looks an order up.");
});

test("definitions in files of Codex are exported, and called tools without one are named", async () => {
  using home = createHome();
  cpSync(join(import.meta.dirname, "../fixtures/codex/server-tools/home"), join(home.path, "codex"), {
    recursive: true,
  });
  const options = { env: { [HOME_VARIABLES.codex]: join(home.path, "codex") } };
  const [name = ""] = readdirSync(join(home.path, "codex"), { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".jsonl"),
  );
  const file = join(home.path, "codex", name);
  const [header = "", ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
  const { payload, ...line } = JSON.parse(header) as { payload: object };
  const dynamic_tools = [
    { name: "order_status", description: "Says where an order is.", inputSchema: orderSchema },
  ];
  const begun = JSON.stringify({ ...line, payload: { ...payload, dynamic_tools } });
  writeFileSync(file, `${[begun, ...lines].join("\n")}\n`);
  const args = ["session", "export", "--agent", "codex", "--format", "openai"];
  const { stdout, stderr } = await runInProcess(home, args, options);
  const functions = (JSON.parse(stdout) as { tools: { function: { name: string } }[] }).tools.map(
    (one) => one.function,
  );
  expect(functions[0]).toEqual({
    name: "order_status",
    description: "Says where an order is.",
    parameters: orderSchema,
  });
  expect(functions.map(({ name }) => name)).toContain("mcp__shop__shot");
  expect(stderr).toMatch(/without a definition in their session: \d+ tools? \(tool_search/u);
});

test.each([{ type: "string" }, { type: ["object", "null"] }, {}])(
  "both APIs and ShareGPT get the schema %j as the schema of an object",
  (schema) => {
    const tools: readonly ToolDefinition[] = [{ name: "a", inputSchema: { ...schema, title: "A" } }];
    const expected = { type: "object", title: "A" };
    expect(toOpenAIMessages([], { tools }).tools?.[0]?.function.parameters).toEqual(expected);
    expect(toAnthropicMessages([], { tools }).tools?.[0]?.input_schema).toEqual(expected);
    expect(JSON.parse(toShareGpt([], { tools }).tools ?? "")).toEqual([{ name: "a", parameters: expected }]);
  },
);

test("an offer of tools that is not JSON fails the run, as an event does that is not JSON", async () => {
  await using store = await openStore("memory:");
  const offered: (readonly ToolDefinition[])[] = [[{ name: "a", inputSchema: { maximum: 1n } }], []];
  const agent: Agent = {
    name: "desk",
    capabilities: async () => ({ native: false }),
    execute: async (_, { onTools }) => {
      for (const tools of offered) void onTools?.({ tools });
      return {};
    },
  };
  const error = { code: "invalid", details: { code: "invalid", lostEvents: 1 } };
  expect(await runOnce(store, agent, "one")).toMatchObject({ status: "failed", error });
});

test("definitions without a schema, or with the same name, are accepted by the forms of both APIs", () => {
  const tools: readonly ToolDefinition[] = [
    { name: "a.b" },
    { name: "a_b", inputSchema: { properties: {} } },
    { name: "c" },
  ];
  const empty = { type: "object", properties: {} };
  expect(toOpenAIMessages([], { tools }).tools).toEqual([
    { type: "function", function: { name: "a_b", parameters: empty } },
    { type: "function", function: { name: "c", parameters: empty } },
  ]);
  expect(toAnthropicMessages([], { tools }).tools).toEqual([
    { name: "a_b", input_schema: empty },
    { name: "c", input_schema: empty },
  ]);
  expect([toOpenAIMessages([]), toAnthropicMessages([])]).toEqual([
    { messages: [], leftOut: {} },
    { messages: [], leftOut: {} },
  ]);
});

test.each([
  ["server-tools", undefined, true],
  ["image", undefined, false],
  ["image", 1, true],
] as const)(
  "a session of Codex in %s, with its newest %s bytes, can have tools: %s",
  async (name, newestBytes, isAble) => {
    using home = createHome();
    const codex = join(home.path, "codex");
    cpSync(join(import.meta.dirname, "../fixtures/codex", name, "home"), codex, { recursive: true });
    const places = { home: home.path, env: { [HOME_VARIABLES.codex]: codex } };
    const [row] = await listNativeSessions({ places });
    using session = await openNativeSession(`codex:${row?.sessionId}`, {
      places,
      ...present({ newestBytes }),
    });
    expect(session.tools !== undefined).toBe(isAble);
    expect(((await session.tools?.()) ?? []).length > 0).toBe(name === "server-tools");
  },
);
