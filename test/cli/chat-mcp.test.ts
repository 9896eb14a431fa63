/** `continuo chat` and `continuo repl` give the agent the MCP servers of a file and of `continuo.yaml`. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { hello1, type Json } from "../acp/script.ts";
import { idIn } from "./chat-run.ts";
import type { Run } from "./home.ts";
import { runHere } from "./in-process.ts";
import { createTalkHome, SCRIPT, type TalkHome } from "./talk.ts";

const FILES = { command: "serve", args: ["-v"], env: { TOKEN: "t" } };
const WEB = { type: "http", url: "http://127.0.0.1:9/mcp", headers: { Key: "k" } };

/** The same servers as an agent that speaks ACP receives them. */
const SENT_FILES = { name: "files", ...FILES, env: [{ name: "TOKEN", value: "t" }] };
const SENT_WEB = { name: "web", ...WEB, headers: [{ name: "Key", value: "k" }] };

let home: TalkHome;
beforeEach(() => {
  home = createTalkHome();
  writeServers({ files: FILES });
});

function writeServers(mcpServers: Json): void {
  home.write("project/mcp.json", JSON.stringify({ mcpServers }));
}

/** Adds the key `mcp` to the person's own file. */
function configure(servers: Json): void {
  const path = ".continuo/continuo.yaml";
  const content = JSON.parse(readFileSync(join(home.path, path), "utf8"));
  home.write(path, JSON.stringify({ ...content, mcp: { servers } }));
}

function run(
  args: readonly string[],
  options: { stdin?: string; env?: Record<string, string> } = {},
): Promise<Run> {
  return runHere(home, args, { cwd: join(home.path, "project"), ...options });
}

const given = (method: string): readonly unknown[] => home.sent(method).map(({ mcpServers }) => mcpServers);

describe("the servers of --mcp", () => {
  test("reach the agent in a new session, again when it is resumed, and the next agent", async () => {
    const { code, stderr } = await run(["chat", "--mcp", "mcp.json", "one"]);
    expect(code).toBe(0);
    expect(given("session/new")).toEqual([[SENT_FILES]]);
    await run(["chat", "--continue", "--mcp", "mcp.json", "two"]);
    expect(given("session/resume")).toEqual([[SENT_FILES]]);
    await run(["chat", "--resume", idIn(stderr), "-a", "other", "--mcp", "mcp.json", "three"]);
    expect(given("session/new")).toEqual([[SENT_FILES], [SENT_FILES]]);
    await run(["chat", "--resume", idIn(stderr), "-a", "robot", "four"]);
    expect(given("session/resume")).toEqual([[SENT_FILES], []]);
  });

  test("reach every agent of repl, also after a change of the agent and of the policy", async () => {
    const stdin = "one\n/agent other\ntwo\n/agent robot\nthree\n/mode unrestricted\nfour\n";
    expect((await run(["repl", "--mcp", "mcp.json"], { stdin })).code).toBe(0);
    expect([...given("session/new"), ...given("session/resume")].length).toBeGreaterThanOrEqual(4);
    for (const servers of [...given("session/new"), ...given("session/resume")])
      expect(servers).toEqual([SENT_FILES]);
  });

  test("of an agent that loads its sessions are given again with session/load", async () => {
    home = createTalkHome({ ...SCRIPT, hello: hello1({}, { loadSession: true }) });
    writeServers({ files: FILES });
    await run(["chat", "--mcp", "mcp.json", "one"]);
    await run(["chat", "--continue", "--mcp", "mcp.json", "two"]);
    expect(given("session/load")).toEqual([[SENT_FILES]]);
  });

  test("of a kind that the agent takes reach it, and those of other kinds are named", async () => {
    writeServers({ files: FILES, web: WEB, old: { ...WEB, type: "sse" } });
    const { stderr } = await run(["chat", "--mcp", "mcp.json", "one"]);
    expect(given("session/new")).toEqual([[SENT_FILES]]);
    expect(stderr).toContain("robot is not given these tool servers: web, old\n");
    home = createTalkHome({ ...SCRIPT, hello: hello1({ resume: {} }, { mcpCapabilities: { http: true } }) });
    writeServers({ files: FILES, web: WEB, old: { ...WEB, type: "sse" } });
    expect((await run(["chat", "--mcp", "mcp.json", "one"])).stderr).toContain("tool servers: old\n");
    expect(given("session/new")).toEqual([[SENT_FILES, SENT_WEB]]);
  });

  test("are not started under the policy safe, which is reported", async () => {
    const { code, stderr } = await run(["chat", "--permissions", "safe", "--mcp", "mcp.json", "one"]);
    expect(code).toBe(0);
    expect(given("session/new")).toEqual([[]]);
    expect(stderr).toContain("robot is not given these tool servers: files (the policy is safe)\n");
  });

  test("are given to none of the models of the configuration, which is reported", async () => {
    const models = { local: { url: "http://127.0.0.1:9/v1", model: "m" } };
    home.write(".continuo/continuo.yaml", JSON.stringify({ models }));
    const { stderr } = await run(["chat", "-a", "local", "--mcp", "mcp.json", "one"]);
    expect(stderr).toContain("local is a model, which gets no MCP servers: files\n");
  });

  test("that a model does not get are reported once in repl, not again after a change", async () => {
    const models = { local: { url: "http://127.0.0.1:9/v1", model: "m" } };
    home.write(".continuo/continuo.yaml", JSON.stringify({ models }));
    const stdin = "/mode safe\n/mode unrestricted\none\n";
    const { stderr, stdout } = await run(["repl", "-a", "local", "--mcp", "mcp.json"], { stdin });
    expect((stdout + stderr).split("local is a model, which gets no MCP servers: files").length).toBe(2);
  });

  test.each([
    ["none.json", 3, "there is no file"],
    ["broken.json", 2, "broken.json:1: "],
    ["wrong.json", 2, 'wrong.json:1: there is no key "comand" in mcpServers.files; did you mean command?'],
  ])("of %s are refused before the agent starts", async (file, code, message) => {
    home.write("project/broken.json", "{");
    home.write("project/wrong.json", '{"mcpServers":{"files":{"comand":"x"}}}');
    for (const command of ["chat", "repl"]) {
      const ended = await run([command, "--mcp", file, ...(command === "chat" ? ["one"] : [])]);
      expect(ended).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(message) });
    }
    expect(home.methods()).toEqual([]);
  });
});

describe("the servers of continuo.yaml", () => {
  test("reach the agent without a flag, and a file replaces those with the same name", async () => {
    configure({ files: { ...FILES, command: "configured" }, tools: { command: "tools" } });
    await run(["chat", "one"]);
    const tools = { name: "tools", command: "tools", args: [], env: [] };
    expect(given("session/new")).toEqual([[{ ...SENT_FILES, command: "configured" }, tools]]);
    await run(["chat", "--continue", "--mcp", "mcp.json", "two"]);
    expect(given("session/resume")).toEqual([[SENT_FILES, tools]]);
  });

  test("cannot come from the file of a project, even from one that is trusted", async () => {
    home.write("project/continuo.yaml", "mcp: { servers: { evil: { command: ./evil } } }");
    for (const before of [[], ["trust", "."]]) {
      if (before.length > 0) await run(before);
      const { code, stderr } = await run(["chat", "one"]);
      expect(code).toBe(2);
      expect(stderr).toContain(
        "only the file in CONTINUO_HOME can have this key: a project cannot start programs",
      );
    }
    expect(home.methods()).toEqual([]);
  });

  test("with variables that are not set are refused, and the error names the variable", async () => {
    configure({ files: { command: "serve", env: { TOKEN: `\${FILES_TOKEN}` } } });
    const { code, stderr } = await run(["chat", "one"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("the variable FILES_TOKEN is not set")]);
    await run(["chat", "one"], { env: { FILES_TOKEN: "from the environment" } });
    const env = [{ name: "TOKEN", value: "from the environment" }];
    expect(given("session/new")).toEqual([[{ name: "files", command: "serve", args: [], env }]]);
  });
});

test("a key of a server reaches only the agent: it is in no output, log, cache or store", async () => {
  const secret = "sk-5f1e8a-never-shown";
  configure({ own: { command: "serve", args: [`\${SECRET}`], env: { A: secret } } });
  writeServers({ files: { command: "serve", env: { TOKEN: `\${SECRET}` } } });
  const env = { SECRET: secret, CONTINUO_DEBUG: "1" };
  const runs = [
    await run(["chat", "--json", "--mcp", "mcp.json", "one"], { env }),
    await run(["chat", "--continue", "--mcp", "mcp.json", "--permissions", "safe", "two"], { env }),
  ];
  expect(JSON.stringify(given("session/new"))).toContain(secret);
  for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toContain(secret);
  const folder = join(home.path, ".continuo");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const withSecret = files.filter(({ name, parentPath }) =>
    readFileSync(join(parentPath, name)).includes(secret),
  );
  expect(existsSync(join(folder, "continuo.yaml"))).toBe(true);
  expect(withSecret.map(({ name }) => name)).toEqual(["continuo.yaml"]);
});
