/** The effect of every key of continuo.yaml on the whole command: in the home, in a trusted project, and as a flag. */

import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { chunk, DONE, hello1, type Json, type Script, type ScriptStep } from "../acp/script.ts";
import { SCRIPTED_AGENT } from "../acp/scripted-program.ts";
import { CLAUDE_ID, claudeFile, claudeText, createHome, type Home, type Run, run } from "./home.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
  home.write("project/.git/HEAD", "");
});

/** An agent that follows the script with the name of its file. */
function agent(script: Script, said: Json = {}, name = "script"): Json {
  home.write(`${name}.json`, JSON.stringify(script));
  return { command: process.execPath, args: [SCRIPTED_AGENT, join(home.path, `${name}.json`)], ...said };
}

type ConfigPlace = "home" | "project";

/** JSON is YAML. A project's file is trusted. */
async function configure(place: ConfigPlace, content: Json): Promise<void> {
  home.write(place === "home" ? ".continuo/continuo.yaml" : "project/continuo.yaml", JSON.stringify(content));
  if (place === "project") expect((await run(home, ["trust", "project"])).code).toBe(0);
}

const chat = (...args: readonly string[]): Promise<Run> =>
  run(home, ["chat", ...args], { cwd: join(home.path, "project"), env: { GONE: "inherited" } });

const linesOf = (file: string): readonly Json[] =>
  readFileSync(join(home.path, file), "utf8")
    .trimEnd()
    .split("\n")
    .map((line): Json => JSON.parse(line));

/** Returns the requests to the agent, from the newest start on. */
const asked = (name = "script"): readonly Json[] => {
  const all = linesOf(`${name}.json.log`);
  return all.slice(all.findLastIndex(({ method }) => method === "initialize"));
};
const methods = (): readonly unknown[] => asked().flatMap(({ method }) => method ?? []);

const MODELS: Script = {
  hello: hello1(),
  answers: {
    "session/new": [{ result: { sessionId: "new-1", models: { availableModels: [] } } }],
    "session/set_model": [{ result: {} }],
  },
};

/** A program that must start in the folder of the file that names it, and records its environment. */
function writeProgram(place: ConfigPlace): void {
  const folder = place === "home" ? ".continuo" : "project";
  home.write("script.json", JSON.stringify(MODELS));
  home.write(
    `${folder}/agent.mjs`,
    `#!${process.execPath}
import { appendFileSync } from "node:fs";
const { HELD, GONE = null } = process.env;
const [, , ...args] = process.argv;
appendFileSync(${JSON.stringify(join(home.path, "started"))}, JSON.stringify({ place: "${place}", args, HELD, GONE }) + "\\n");
process.argv.splice(2, process.argv.length, ${JSON.stringify(join(home.path, "script.json"))});
await import(${JSON.stringify(SCRIPTED_AGENT)});
`,
  );
  chmodSync(join(home.path, folder, "agent.mjs"), 0o755);
}

test.each<ConfigPlace>(["home", "project"])(
  "command, args, env, model and transport apply from the file of the %s",
  async (place) => {
    writeProgram(place);
    const said = {
      command: "./agent.mjs",
      args: ["--one", "two"],
      env: { HELD: "said", GONE: null },
      model: "opus",
      transport: "acp",
    };
    await configure(place, { agent: "claude", agents: { claude: said } });
    expect(await chat("hi")).toMatchObject({ code: 0, stdout: "You said: hi\n" });
    expect(linesOf("started")).toEqual([{ place, args: ["--one", "two"], HELD: "said", GONE: null }]);
    const chosen = asked().find(({ method }) => method === "session/set_model");
    expect(chosen?.params).toEqual({ sessionId: "new-1", modelId: "opus" });
    // A flag has priority over every file.
    await chat("hi", "--model", "haiku");
    const flagged = asked().find(({ method }) => method === "session/set_model");
    expect(flagged?.params).toEqual({ sessionId: "new-1", modelId: "haiku" });
  },
);

test("agent: the project's has priority over the home's, and -a over both", async () => {
  const [one, two, three] = ["one", "two", "three"].map((name) =>
    agent({ prompts: { "*": [chunk(name), DONE] } }, {}, name),
  );
  await configure("home", { agent: "one", agents: { one, two, three } });
  expect((await chat("hi")).stdout).toBe("one\n");
  home.write("project/continuo.yaml", "agent: two");
  expect((await chat("hi")).stdout).toBe("two\n");
  expect((await chat("hi", "-a", "three")).stdout).toBe("three\n");
});

const ASKING: readonly ScriptStep[] = [
  {
    ask: {
      toolCall: { toolCallId: "t", title: "Edit", kind: "edit" },
      options: [
        { optionId: "yes", name: "Yes", kind: "allow_once" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
    },
  },
  DONE,
];

test.each<[ConfigPlace, unknown, readonly string[], string]>([
  ["project", { policy: "unrestricted" }, [], "yes"],
  ["home", "unrestricted", ["--permissions", "safe"], "no"],
])("permissions in the file of the %s: %j, with %j: %s", async (place, permissions, flags, answer) => {
  await configure(place, { agent: "x", agents: { x: agent({ prompts: { "*": ASKING } }, { permissions }) } });
  expect((await chat("hi", ...flags)).stdout).toContain(`"optionId":"${answer}"`);
});

const used = (more: Json): ScriptStep => ({
  update: { sessionUpdate: "usage_update", used: 5, size: 9, ...more },
});
const CALLS: readonly ScriptStep[] = ["a", "b", "c"].map((toolCallId) => ({
  update: { sessionUpdate: "tool_call", toolCallId, title: "T", status: "completed" },
}));
const CANCELLED: readonly ScriptStep[] = [{ untilCancelled: true }, { result: { stopReason: "cancelled" } }];
const TOKENS: ScriptStep = {
  result: { stopReason: "end_turn", usage: { totalTokens: 60, inputTokens: 50, outputTokens: 10 } },
};

test.each<[Json, readonly ScriptStep[], string]>([
  [{ max_tokens: 59 }, [chunk("Hi."), TOKENS], "maxTokens 60 of 59"],
  [
    { max_cost_usd: 0.5 },
    [used({ cost: { amount: 0.75, currency: "USD" } }), ...CANCELLED],
    "maxCostUsd 0.75 of 0.5",
  ],
  [{ max_tool_calls: 2 }, [...CALLS, ...CANCELLED], "maxToolCalls 3 of 2"],
  [{ max_duration_ms: 400 }, [chunk("Hi."), ...CANCELLED], "of 400"],
])("budget: %j ends the turn that uses more, and reports that", async (budget, steps, says) => {
  await configure("home", { agent: "x", agents: { x: agent({ prompts: { "*": steps } }) } });
  // This key runs no program, so a project may set it without being trusted.
  home.write("project/continuo.yaml", JSON.stringify({ agents: { x: { budget } } }));
  const { code, stderr } = await chat("hi");
  expect({ code, stderr }).toEqual({ code: 8, stderr: expect.stringContaining(says) });
});

const REFUSES: readonly ScriptStep[] = [{ error: { code: -32000, message: "No such session" } }];

test.each<[Json, readonly string[], "error" | "replay" | "new"]>([
  [{}, [], "error"],
  [{ on_missing: "replay" }, [], "replay"],
  [{ on_missing: "new" }, [], "new"],
  [{ on_missing: "new" }, ["--on-missing", "replay"], "replay"],
])("session: %j, with %j, if the session cannot be continued: %s", async (session, flags, happens) => {
  const script = { hello: hello1({}, { loadSession: true }), answers: { "session/load": REFUSES } };
  await configure("home", { agents: { claude: agent(script, { transport: "acp" }) } });
  home.write("project/continuo.yaml", JSON.stringify({ agents: { claude: { session } } }));
  const text = claudeText(CLAUDE_ID, [
    { uuid: "u1", parent: null, role: "user", content: "My name is Ann", time: "10:00:00" },
    {
      uuid: "a1",
      parent: "u1",
      role: "assistant",
      content: [{ type: "text", text: "Hi." }],
      time: "10:00:01",
    },
  ]);
  home.write(claudeFile(CLAUDE_ID), text.replaceAll("/home/ann/app", join(home.path, "project")));
  const { code } = await chat("--resume", CLAUDE_ID, "who am I?", ...flags);
  const prompt = JSON.stringify(asked().find(({ method }) => method === "session/prompt") ?? null);
  const isTold = prompt.includes("My name is Ann");
  const seen = prompt === "null" ? "error" : isTold ? "replay" : "new";
  expect({ code, seen }).toEqual({ code: happens === "error" ? 8 : 0, seen: happens });
});

test.each<[Json, readonly string[], "resumed" | "told" | "new"]>([
  [{ continuation: "replay" }, [], "told"],
  [{ continuation: false }, [], "new"],
  [{ continuation: "replay" }, ["--continuation", "native"], "resumed"],
])("%j, with %j: %s", async (said, flags, happens) => {
  const x = agent({ hello: hello1({ resume: {} }), answers: { "session/resume": [{ result: {} }] } });
  await configure("home", { agent: "x", continuation: "auto", agents: { x } });
  home.write("project/continuo.yaml", JSON.stringify(said));
  await chat("my name is Ann");
  const { code } = await chat("--continue", "who am I?", ...flags);
  const prompt = JSON.stringify(asked().find(({ method }) => method === "session/prompt"));
  const isTold = prompt.includes("my name is Ann");
  const seen = methods().includes("session/resume") ? "resumed" : isTold ? "told" : "new";
  expect({ code, seen }).toEqual({ code: 0, seen: happens });
});

const HELLO: Script = {
  hello: hello1({ resume: {} }),
  answers: { "session/resume": [{ result: {} }] },
  prompts: { "*": [chunk("Yes."), DONE] },
};
const sessionIn = ({ stderr }: Run): string => /session ([0-9a-f-]{36})/u.exec(stderr)?.[1] ?? stderr;

test("always_continue continues the newest session in which the agent took part; --new begins another one", async () => {
  const agents = { x: agent(HELLO), y: agent(HELLO, { session: { always_continue: false } }, "y") };
  await configure("home", { agent: "x", agents });
  home.write("project/continuo.yaml", JSON.stringify({ always_continue: true }));
  const first = sessionIn(await chat("one", "--title", "My words"));
  expect(sessionIn(await chat("two"))).toBe(first);
  // Another agent continued the session, and the next agent answers there nevertheless.
  expect(sessionIn(await chat("--resume", first, "-a", "y", "three"))).toBe(first);
  const fourth = await chat("four");
  expect([sessionIn(fourth), fourth.stderr]).toEqual([first, expect.stringContaining("resumed x:")]);
  expect(sessionIn(await chat("--new", "five"))).not.toBe(first);
  expect(sessionIn(await chat("-a", "y", "six"))).not.toBe(first);
  const { stdout } = await run(home, ["session", "show", first]);
  expect(stdout).toContain("# My words\n");
});

test.each<[Json, readonly string[], readonly string[]]>([
  [{}, [], ["one", "two", "three"]],
  [{ context: { max_messages: 2 } }, [], ["three"]],
  [{ context: { max_messages: 2 } }, ["--max-messages", "4"], ["two", "three"]],
  [{}, ["--max-chars", "10"], ["three"]],
  [{}, ["--max-tokens-approx", "3"], ["three"]],
])("context: %j, with %j: the agent receives %j again", async (more, flags, heard) => {
  await configure("home", { agent: "x", agents: { x: agent(HELLO) } });
  home.write("project/continuo.yaml", JSON.stringify({ ...more, agents: { x: {} } }));
  const begun = sessionIn(await chat("one"));
  for (const said of ["two", "three"]) await chat("--resume", begun, said);
  await chat("--resume", begun, "--continuation", "replay", ...flags, "four");
  const told = JSON.stringify(asked().find(({ method }) => method === "session/prompt"));
  expect(["one", "two", "three"].filter((words) => told.includes(words))).toEqual(heard);
});
