/** `continuo serve`, `channel …` and `agent join`, as a person uses them, with a scripted agent. */

import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { chunk, DONE, hello1 } from "../acp/script.ts";
import { cuttingProxy } from "../channels/cutting-proxy.ts";
import { background, serve } from "./background.ts";
import { type Home, run } from "./home.ts";
import { createTalkHome } from "./talk.ts";

/** Returns the agent's prompt for a message. */
const given = (text: string): string => `ann in the channel team:\n\n${text}`;

const SCRIPT = {
  hello: hello1({ resume: {} }, { loadSession: true }),
  answers: { "session/resume": [{ result: {} }] },
  prompts: {
    "*": [chunk("Hello "), chunk("to you."), DONE],
    [given("@claude who knows the build")]: [chunk("Ann knows "), chunk("the build."), DONE],
    [given("@claude do all of it")]: [chunk("I did a part."), { result: { stopReason: "max_steps" } }],
    [given("@bot slow")]: [
      chunk("I begin"),
      { untilCancelled: true as const },
      { result: { stopReason: "cancelled" } },
    ],
    [given("@bot wait")]: [chunk("I begin"), { untilFile: "go" }, chunk(" and end."), DONE],
  },
};

async function shown(home: Home, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { code, stdout, stderr } = await run(home, ["channel", "show", "team", "--json"], { env });
  expect(code, stderr).toBe(0);
  const { messages } = JSON.parse(stdout) as {
    readonly messages: readonly {
      readonly handle: string;
      readonly content: string;
      readonly state: string;
    }[];
  };
  return messages.map(({ handle, content, state }) => `${handle}: ${content} (${state})`);
}

async function until(look: () => Promise<readonly string[]>, wanted: readonly string[]): Promise<void> {
  await expect.poll(look, { timeout: 60_000 }).toEqual(wanted);
}

test("an agent answers messages from before and after it joined", async () => {
  using home = createTalkHome(SCRIPT);
  const { server, env } = await serve(home);
  await using _server = server;
  const send = (text: string): Promise<unknown> =>
    run(home, ["channel", "send", "team", text, "--as", "ann"], { env });
  await send("@claude who knows the build");
  await using _agent = background(home, ["agent", "join", "team", "--agent", "robot", "--as", "claude"], env);
  const first = ["ann: @claude who knows the build (complete)", "claude: Ann knows the build. (complete)"];
  await until(() => shown(home, env), first);
  await send("nothing for the agent");
  await send("@claude hello");
  await until(
    () => shown(home, env),
    [
      ...first,
      "ann: nothing for the agent (complete)",
      "ann: @claude hello (complete)",
      "claude: Hello to you. (complete)",
    ],
  );
  // An answer at the agent's limit of steps is an answer.
  await send("@claude do all of it");
  await until(
    async () => (await shown(home, env)).slice(-2),
    ["ann: @claude do all of it (complete)", "claude: I did a part. (complete)"],
  );
  // The next input contains the messages that others wrote to others since the last one, without the agent's own
  // answers.
  const [, second = ""] = home.prompts();
  expect(second).toMatch(/^<missed_context>\n.*\nnothing for the agent\n.*<\/missed_context>\n\nann in/su);
  expect(second).toContain("1 message was written");
  await using tail = background(home, ["channel", "tail", "team"], env);
  expect(await tail.line("Hello to you.")).toMatch(/Z {2}claude: Hello to you\.$/u);
  const exported = await run(home, ["channel", "export", "team"], { env });
  const sequences = exported.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).sequence);
  expect(sequences).toEqual(sequences.map((_, at) => at + 1));
  expect((await run(home, ["channel", "list"], { env })).stdout).toContain("team");
});

test.each(["SIGKILL", "SIGTERM"] as const)(
  "an agent that got %s in the middle of an answer is interrupted, and asked again once",
  async (signal) => {
    const turns = { ...SCRIPT, prompts: { ...SCRIPT.prompts } };
    using home = createTalkHome(turns);
    const { server, env } = await serve(home);
    await using _server = server;
    await run(home, ["channel", "send", "team", "@bot slow", "--as", "ann"], { env });
    const join = ["agent", "join", "team", "--agent", "robot", "--as", "bot"];
    const first = background(home, join, env);
    await until(() => shown(home, env), ["ann: @bot slow (complete)", "bot: I begin (open)"]);
    await first.kill(signal);
    await until(() => shown(home, env), ["ann: @bot slow (complete)", "bot: I begin (interrupted)"]);
    // The agent's program is repaired.
    home.write(
      "script.json",
      JSON.stringify({ ...SCRIPT, prompts: { "*": [chunk("Now it is done."), DONE] } }),
    );
    await using _second = background(home, join, env);
    await until(
      () => shown(home, env),
      ["ann: @bot slow (complete)", "bot: I begin (interrupted)", "bot: Now it is done. (complete)"],
    );
    // When the agent is asked again, it receives the question once, whatever else it receives of the interrupted turn.
    const asked = home.prompts().map((prompt) => prompt.split("@bot slow").length - 1);
    expect(asked).toEqual([1, 1]);
    // The native session has already received the question, so it is not asked there again.
    expect(home.methods().filter((method) => method === "session/new")).toHaveLength(2);
  },
);

test("an answer that was complete before the server and the agent were killed is sent to the channel, and the agent is not asked again", async () => {
  using home = createTalkHome(SCRIPT);
  const first = await serve(home);
  const listen = new URL(first.env.CONTINUO_SERVER ?? "").host;
  await run(home, ["channel", "send", "team", "@bot wait", "--as", "ann"], { env: first.env });
  const join = ["agent", "join", "team", "--agent", "robot", "--as", "bot"];
  const robot = background(home, join, first.env);
  await until(() => shown(home, first.env), ["ann: @bot wait (complete)", "bot: I begin (open)"]);
  await first.server.kill("SIGKILL");
  // The agent ends its turn while there is no server.
  home.write("go", "");
  await using own = await openStore(`sqlite:${home.path}/.continuo/continuo.db`);
  const status = async (): Promise<unknown> => (await own.listRuns({ status: "completed" })).items.length;
  await expect.poll(status, { timeout: 60_000 }).toBe(1);
  await robot.kill("SIGKILL");
  await using again = background(home, ["serve", "--listen", listen]);
  await again.line("listens on");
  await using _second = background(home, join, first.env);
  await until(
    () => shown(home, first.env),
    ["ann: @bot wait (complete)", "bot: I begin (interrupted)", "bot: I begin and end. (complete)"],
  );
  expect(home.prompts().length).toBe(1);
});

test("an agent that was interrupted after a lost connection during its answer sends the complete answer", async () => {
  using home = createTalkHome(SCRIPT);
  const { server, env } = await serve(home);
  await using _server = server;
  const url = env.CONTINUO_SERVER ?? "";
  await using proxy = await cuttingProxy(url);
  await run(home, ["channel", "send", "team", "@bot wait", "--as", "ann"], { env });
  const join = ["agent", "join", "team", "--agent", "robot", "--as", "bot"];
  await using _robot = background(home, join, { CONTINUO_SERVER: proxy.url });
  await until(() => shown(home, env), ["ann: @bot wait (complete)", "bot: I begin (open)"]);
  proxy.retarget("http://127.0.0.1:9");
  proxy.cutAll();
  await until(() => shown(home, env), ["ann: @bot wait (complete)", "bot: I begin (interrupted)"]);
  proxy.retarget(url);
  home.write("go", "");
  await until(
    () => shown(home, env),
    ["ann: @bot wait (complete)", "bot: I begin (interrupted)", "bot: I begin and end. (complete)"],
  );
  expect(home.prompts().length).toBe(1);
});

test("two agents that mention each other stop after --max-turns messages, and continue when a person writes", async () => {
  using home = createTalkHome({ ...SCRIPT, prompts: { "*": [chunk("@bot @claude and you?"), DONE] } });
  const { server, env } = await serve(home);
  await using _server = server;
  const join = (handle: string, agent: string) =>
    background(home, ["agent", "join", "team", "--agent", agent, "--as", handle, "--max-turns", "3"], env);
  const said = async (): Promise<readonly string[]> =>
    (await shown(home, env)).map((line) => line.split(":")[0] ?? "");
  const stops = async (): Promise<number> => {
    const { stdout } = await run(home, ["channel", "export", "team"], { env });
    return stdout.split("agents sent 3 messages since a person did").length - 1;
  };
  await run(home, ["channel", "send", "team", "@bot begin", "--as", "ann"], { env });
  await using _bot = join("bot", "robot");
  await using _claude = join("claude", "other");
  await expect.poll(stops, { timeout: 60_000 }).toBe(1);
  expect(await said()).toEqual(["ann", "bot", "claude", "bot"]);
  await run(home, ["channel", "send", "team", "@claude again", "--as", "ann"], { env });
  await expect.poll(stops, { timeout: 60_000 }).toBe(2);
  expect((await said()).slice(4)).toEqual(["ann", "claude", "bot", "claude"]);
});

test("a missing channel, a server that does not answer, and a token that others can read are errors", async () => {
  using home = createTalkHome(SCRIPT);
  const away = { CONTINUO_SERVER: "http://127.0.0.1:9" };
  const none = await run(home, ["channel", "list"], { env: away });
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("no server answers")]);
  const { server, env } = await serve(home);
  await using _server = server;
  expect((await run(home, ["channel", "tail", "nowhere"], { env })).code).toBe(3);
  // The token of this machine is not sent to another machine.
  const named = await run(home, ["channel", "list", "--server", "http://localhost.example:9"]);
  expect(named.code).toBe(1);
});
