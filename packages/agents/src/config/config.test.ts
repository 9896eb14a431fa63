import { hash } from "node:crypto";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { assertRunnable, assertValid } from "./assertions.ts";
import { everyKey, toJsonSchema } from "./json-schema.ts";
import { restrictionFor } from "./open-driver.ts";
import { parseFile } from "./parse.ts";
import { readConfiguration } from "./read.ts";
import { type AgentSettings, type Configuration, type ConfigurationFlags, DEFAULTS } from "./settings.ts";

const ROOT = join(import.meta.dirname, "../../../..");

let home: string;

beforeEach(() => {
  home = scratchFolder("config");
  mkdirSync(join(home, "app/deep/.git"), { recursive: true });
  mkdirSync(join(home, "app/deep/er"));
  mkdirSync(join(home, "bare/below"), { recursive: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

function read(cwd = "app/deep/er", flags: ConfigurationFlags = {}): Promise<Configuration> {
  return readConfiguration({ places: { home, env: {}, cwd: join(home, cwd) }, flags });
}

/** Writes the record of `continuo trust`. */
function trust(path: string, sha256: string): void {
  const files = [{ path: join(home, path), sha256, trustedAt: "2026-01-01T00:00:00.000Z" }];
  write(".continuo/trust.json", JSON.stringify({ version: 1, files }));
}

const CLAUDE = {
  name: "claude",
  environment: null,
  command: null,
  args: [],
  env: {},
  model: null,
  transport: null,
  session: DEFAULTS.session,
  permissions: DEFAULTS.permissions,
  budget: {},
  context: {},
};

describe("what is read", () => {
  test("nothing: every agent that Continuo knows, with the defaults", async () => {
    const configuration = await read();
    expect(configuration).toMatchObject({
      agent: null,
      continuation: "auto",
      files: [],
      problems: [],
      untrusted: null,
    });
    expect(Object.keys(configuration.agents)).toEqual([
      "claude",
      "codex",
      "gemini",
      "pi",
      "opencode",
      "copilot",
    ]);
    expect(configuration.agents.claude).toEqual(CLAUDE);
  });

  test("home, then the project, then flags: later wins, key by key", async () => {
    write(
      ".continuo/continuo.yaml",
      `agent: codex
continuation: replay
always_continue: true
context: { max_messages: 50, limit: 9 }
agents:
  claude:
    command: ./claude
    args: [--fast]
    env: { A: home, B: home }
    model: home
    session: { on_missing: replay, resume_id: load, always_continue: false }
    permissions: safe
    budget: { max_tokens: 1, max_cost_usd: 0.5 }
    context: { max_messages: 40, max_chars: 1000 }`,
    );
    write(
      "app/deep/continuo.yaml",
      `agent: claude
context: { max_tokens_approx: 7 }
agents:
  claude:
    context: { max_chars: 2000 }
    model: project
    session: { on_missing: new }
    budget: { max_tokens: 2, max_tool_calls: 3 }`,
    );
    const flags = {
      continuation: "native",
      settings: { model: "flag", permissions: { timeoutMs: 5 }, budget: { maxToolCalls: 4 } },
    } as const;
    const configuration = await read("app/deep/er", flags);
    expect(configuration.agents.claude).toEqual({
      name: "claude",
      command: join(home, ".continuo/claude"),
      environment: null,
      args: ["--fast"],
      env: { A: "home", B: "home" },
      model: "flag",
      transport: null,
      session: { resumeId: "load", continueLast: "auto", onMissing: "new", alwaysContinue: false },
      permissions: { policy: "safe", timeoutMs: 5 },
      budget: { maxTokens: 2, maxCostUsd: 0.5, maxToolCalls: 4 },
      context: { limit: 9, maxMessages: 40, maxChars: 2000, maxTokensApprox: 7 },
    });
    expect(configuration.agents.codex).toMatchObject({
      session: { alwaysContinue: true },
      context: { limit: 9, maxMessages: 50, maxTokensApprox: 7 },
    });
    expect(configuration).toMatchObject({ agent: "claude", continuation: "native", untrusted: null });
    expect(configuration.files).toEqual([
      { path: join(home, ".continuo/continuo.yaml"), of: "home" },
      { path: join(home, "app/deep/continuo.yaml"), of: "project" },
    ]);
    expect(configuration.agents.codex?.model).toBe(null);
  });

  test("arguments belong to the command of the file that sets it", async () => {
    write(".continuo/continuo.yaml", "agents: { x: { command: one, args: [a] } }");
    expect((await read()).agents.x).toMatchObject({ command: "one", args: ["a"] });
    write("app/deep/continuo.yaml", "agents: { x: { command: ~/two } }");
    expect((await read()).agents.x).toMatchObject({ command: "one", args: ["a"] });
    trust("app/deep/continuo.yaml", hash("sha256", "agents: { x: { command: ~/two } }"));
    expect((await read()).agents.x).toMatchObject({ command: join(home, "two"), args: [] });
  });

  test("the nearest file up to the root of the repository is read; outside of a repository, only the folder's own", async () => {
    write("app/continuo.yaml", "agent: gemini");
    write("bare/continuo.yaml", "agent: gemini");
    expect([(await read()).agent, (await read("bare/below")).agent, (await read("bare")).agent]).toEqual([
      null,
      null,
      "gemini",
    ]);
    write("app/deep/continuo.yaml", "agent: codex");
    expect((await read()).agent).toBe("codex");
    write("app/deep/er/continuo.yaml", "agent: pi");
    expect((await read()).agent).toBe("pi");
  });

  test("the file in CONTINUO_HOME is never read as a project's, from any folder", async () => {
    write(".continuo/continuo.yaml", "agents: { x: { command: one } }");
    expect(await read(".continuo")).toMatchObject({ untrusted: null, files: [{ of: "home" }] });
  });

  test("a flag that names no agent is usage", async () => {
    await expect(read("app", { agent: "claud" })).rejects.toThrow(
      expect.objectContaining({ code: "usage", hint: "Did you mean claude?" }),
    );
  });
});

describe("trust", () => {
  const FILE =
    "agents: { x: { command: ./run, args: [a], env: { A: b }, transport: acp, permissions: safe, model: m }, claude: { model: m } }";

  test("settings that run programs are not used before the project is trusted, and all others are", async () => {
    write("app/deep/continuo.yaml", FILE);
    const configuration = await read();
    expect(configuration.untrusted).toEqual({
      file: join(home, "app/deep/continuo.yaml"),
      folder: join(home, "app/deep"),
      keys: ["command", "args", "env", "transport", "permissions"].map((key) => `agents.x.${key}`),
      state: "never trusted",
    });
    expect(configuration.problems).toEqual([]);
    expect(configuration.agents.x).toBe(undefined);
    expect(configuration.agents.claude).toEqual({ ...CLAUDE, model: "m" });
    expect(() => assertValid(configuration)).not.toThrow();
    expect(() => assertRunnable(configuration)).toThrow(
      expect.objectContaining({
        code: "untrusted",
        message: expect.stringContaining("agents.x.command, agents.x.args"),
        hint: expect.stringContaining(`continuo trust ${join(home, "app/deep")}`),
      }),
    );
  });

  test.each(["command: x", "args: [x]", "env: { A: x }", "transport: acp", "permissions: unrestricted"])(
    "%s of a known agent needs trust by itself",
    async (text) => {
      write("app/deep/continuo.yaml", `agents: { claude: { ${text} } }`);
      const { untrusted, agents } = await read();
      expect(untrusted?.keys).toEqual([`agents.claude.${text.split(":")[0]}`]);
      expect(agents.claude).toEqual(CLAUDE);
    },
  );

  test("covers one path with one content: a changed file, a copy and a link elsewhere are not trusted", async () => {
    write("app/deep/continuo.yaml", FILE);
    trust("app/deep/continuo.yaml", hash("sha256", FILE));
    expect(await read()).toMatchObject({
      untrusted: null,
      agents: { x: { command: join(home, "app/deep/run") } },
    });
    symlinkSync(join(home, "app/deep"), join(home, "link"));
    expect((await read("link/er")).untrusted).toBe(null);
    write("bare/continuo.yaml", FILE);
    expect((await read("bare")).untrusted?.state).toBe("never trusted");
    write("app/deep/continuo.yaml", `${FILE} `);
    expect((await read()).untrusted?.state).toBe("changed");
    write(".continuo/trust.json", `{"version":1,"files":[{"path":1}]}`);
    await expect(read()).rejects.toThrow(expect.objectContaining({ code: "corrupt" }));
  });
});

describe("the environment that agents inherit", () => {
  test("is set in the person's own file, for every agent", async () => {
    write(".continuo/continuo.yaml", "env: deny");
    expect((await read()).agents.codex?.environment).toBe("deny");
  });

  test("cannot be set by a project that is not trusted", async () => {
    write("app/deep/continuo.yaml", "env: pass");
    expect(await read()).toMatchObject({
      untrusted: { keys: ["env"], state: "never trusted" },
      agents: { claude: { environment: null } },
    });
    trust("app/deep/continuo.yaml", hash("sha256", "env: pass"));
    expect((await read()).agents.claude?.environment).toBe("pass");
  });
});

describe("limits of the server", () => {
  test("are read from the person's own file", async () => {
    write(".continuo/continuo.yaml", "server: { limits: { connections: 5, frame_bytes: 65536 } }");
    expect((await read()).serverLimits).toEqual({ connections: 5, frameBytes: 65_536 });
  });

  test("cannot be set by a project", async () => {
    write("app/deep/continuo.yaml", "server: { limits: { connections: 5 } }");
    expect(await read()).toMatchObject({ problems: [{ key: "server", line: 1 }], serverLimits: {} });
  });

  test.each([
    ["connections: 0", "server.limits.connections"],
    ["frame_bytes: 4194305", "server.limits.frame_bytes"],
    ["conections: 5", "server.limits.conections"],
  ])("%s is a problem with its place", async (text, key) => {
    write(".continuo/continuo.yaml", `server:\n  limits:\n    ${text}`);
    expect(await read()).toMatchObject({ problems: [{ key, line: 3 }], serverLimits: {} });
  });
});

describe("MCP servers", () => {
  const SERVERS = `mcp:\n  servers:\n    files: { command: serve, env: { TOKEN: "\${TOKEN}" } }`;

  test("are read from the person's own file, as they are written there", async () => {
    write(".continuo/continuo.yaml", SERVERS);
    const files = { command: "serve", env: { TOKEN: `\${TOKEN}` } };
    expect(await read()).toMatchObject({ problems: [], mcpServers: { files } });
  });

  test("cannot be named by a project, even by one that is trusted", async () => {
    write("app/deep/continuo.yaml", SERVERS);
    trust("app/deep/continuo.yaml", hash("sha256", SERVERS));
    const { problems, mcpServers } = await read();
    expect(problems).toMatchObject([{ key: "mcp", line: 1 }]);
    expect(mcpServers).toEqual({});
  });

  test.each([
    ["files: { comand: x }", "mcp.servers.files.comand", "command"],
    ["my files: { command: x }", "mcp.servers.my files", null],
    ["files: {}", "mcp.servers.files", null],
  ])("%s is a problem with its place", async (text, key, suggestion) => {
    write(".continuo/continuo.yaml", `mcp:\n  servers:\n    ${text}`);
    const { problems, mcpServers } = await read();
    expect(problems).toContainEqual(expect.objectContaining({ key, suggestion, line: 3 }));
    expect(mcpServers).toEqual({});
  });
});

describe("a trusted folder", () => {
  const restricted = async (cwd: string) => {
    const { agents } = await read(cwd);
    const places = { home, env: { TOKEN: "x", PATH: "/bin" }, cwd: join(home, cwd) };
    return restrictionFor(agents.claude as AgentSettings, places, join(home, cwd));
  };

  test("is trusted with everything below it; other folders are not, even if their names begin in the same way", async () => {
    write(
      ".continuo/trust.json",
      JSON.stringify({
        version: 1,
        files: [],
        folders: [{ path: join(home, "app"), trustedAt: "2026-01-01T00:00:00.000Z" }],
      }),
    );
    mkdirSync(join(home, "app-two"));
    write("bare/CLAUDE.md", "x");
    expect(await restricted("app/deep/er")).toBe(null);
    expect(await restricted("app-two")).toMatchObject({ isTrusted: false, files: [], variables: ["TOKEN"] });
    expect(await restricted("bare/below")).toMatchObject({ files: [join(home, "bare/CLAUDE.md")] });
  });

  test("a link into it is trusted, a link out of it is not", async () => {
    write(
      ".continuo/trust.json",
      JSON.stringify({
        version: 1,
        files: [],
        folders: [{ path: join(home, "app"), trustedAt: "2026-01-01T00:00:00.000Z" }],
      }),
    );
    symlinkSync(join(home, "app"), join(home, "in"));
    symlinkSync(join(home, "bare"), join(home, "app/out"));
    expect(await restricted("in/deep")).toBe(null);
    expect(await restricted("app/out")).toMatchObject({ isTrusted: false });
  });
});

describe("a mistake is reported with its place and with the nearest correct name", () => {
  test.each([
    ["modle: x", [[1, 1, "modle", 'there is no key "modle"', "models"]]],
    [
      "agents:\n  claude:\n    modle: x",
      [[3, 5, "agents.claude.modle", expect.stringContaining("in agents.claude"), "model"]],
    ],
    [
      "agents:\n  claude:\n    max_tokens: 3",
      [[3, 5, "agents.claude.max_tokens", expect.anything(), "agents.claude.budget.max_tokens"]],
    ],
    [
      "agents:\n  claude:\n    session:\n      onMissing: new",
      [[4, 7, "agents.claude.session.onMissing", expect.anything(), "on_missing"]],
    ],
    [
      "agents:\n  claude:\n    permissions: unrestrictd",
      [
        [
          3,
          5,
          "agents.claude.permissions",
          '"unrestrictd" is not one of ask, safe, unrestricted',
          "unrestricted",
        ],
      ],
    ],
    [
      "agents:\n  claude:\n    permissions: { polcy: ask }",
      [[3, 20, "agents.claude.permissions.polcy", expect.anything(), "policy"]],
    ],
    [
      "session: { continue_last: agent }",
      [[1, 1, "session", expect.anything(), "agents.NAME.session.continue_last"]],
    ],
    [
      "session.resume_id: load",
      [[1, 1, "session.resume_id", expect.anything(), "agents.NAME.session.resume_id"]],
    ],
    [
      "agents:\n  gemini: { continue_last: agent }",
      [[...[2, 13, "agents.gemini.continue_last", expect.anything()], "agents.gemini.session.continue_last"]],
    ],
    ["provider: claude", [[1, 1, "provider", expect.anything(), "agent"]]],
    ["agents:\n  claude:\n    args: x", [[3, 5, "agents.claude.args", "it must be a list", null]]],
    ["agents:\n  claude:\n    args: [a, 2]", [[3, 15, "agents.claude.args.1", "it must be text", null]]],
    [
      "agents:\n  Claude: {}",
      [[2, 3, "agents.Claude", expect.stringContaining("cannot be the name of an agent"), "claude"]],
    ],
    [
      "agents:\n  claude: { model: --yolo }",
      [[2, 13, "agents.claude.model", '"--yolo" is not allowed here', null]],
    ],
    [
      "agents:\n  claude: { budget: { max_tokens: 0.5 } }",
      [[2, 23, "agents.claude.budget.max_tokens", "it must be a whole number", null]],
    ],
    [
      "agents:\n  mine: { command: m, protocol: 3 }",
      [[2, 23, "agents.mine.protocol", "3 is not one of 1, 2", null]],
    ],
    ["continuation: yes", [[1, 1, "continuation", '"yes" is not one of auto, native, replay, false', null]]],
    ["- a", [[1, 1, "", "it must be a map of keys", null]]],
    ["agent: a\nagent: b", [[2, 1, "", expect.stringContaining("unique"), null]]],
    ["a: [", [[1, expect.any(Number), "", expect.anything(), null]]],
    ["agent: &x [*x]", [[1, expect.any(Number), "agent", "it must be text", null]]],
    [
      "a: 1\nb: 2",
      [
        [1, 1, "a", expect.anything(), null],
        [2, 1, "b", expect.anything(), null],
      ],
    ],
    ["__proto__: { agent: x }", [[1, 1, "__proto__", expect.anything(), null]]],
  ])("%j", (text, expected) => {
    const { problems, content } = parseFile(text, "f");
    expect(problems.map((p) => [p.line, p.column, p.key, p.message, p.suggestion])).toEqual(expected);
    expect(content).toEqual({});
  });

  test("an agent without a command, and a default that does not exist", async () => {
    write(".continuo/continuo.yaml", "agent: bob\nagents:\n  claud: { model: x }");
    const { problems } = await read();
    expect(problems.map(({ line, key, suggestion }) => [line, key, suggestion])).toEqual([
      [3, "agents.claud", "claude"],
      [1, "agent", null],
    ]);
    expect(() => assertValid({ problems, untrusted: null })).toThrow(
      expect.objectContaining({
        code: "invalid",
        message: expect.stringContaining(
          `${join(home, ".continuo/continuo.yaml")}:3: agents.claud: claud is not an agent`,
        ),
      }),
    );
  });

  test("an empty file sets nothing", () => {
    expect(parseFile("# nothing\n", "f")).toMatchObject({ content: {}, problems: [] });
  });
});

describe("what is published", () => {
  test("docs/continuo.schema.json is the schema (node scripts/docs.ts)", () => {
    expect(JSON.parse(readFileSync(join(ROOT, "docs/continuo.schema.json"), "utf8"))).toEqual(toJsonSchema());
  });

  test("examples/continuo.yaml is valid and has every key", () => {
    const text = readFileSync(join(ROOT, "examples/continuo.yaml"), "utf8");
    const { content, problems } = parseFile(text, "examples/continuo.yaml");
    expect(problems).toEqual([]);
    const keys = new Set(keysOf(content, []));
    const hasKey = (key: string): boolean =>
      ["claude", "my-model", "local", "sonnet", "files", "issues"].some((name) =>
        keys.has(key.replace("*", name)),
      );
    expect(everyKey().filter((key) => !hasKey(key))).toEqual([]);
  });

  test("docs/configuration.md names every key", () => {
    const text = readFileSync(join(ROOT, "docs/configuration.md"), "utf8");
    const names = new Set(everyKey().map((key) => key.split(".").at(-1) ?? ""));
    expect([...names].filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});

function keysOf(value: unknown, path: readonly string[]): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    [...path, name].join("."),
    ...keysOf(inner, [...path, name]),
  ]);
}

test("a name that every object knows is an agent as any other, or none", async () => {
  write(".continuo/continuo.yaml", "agent: constructor\n");
  expect((await read()).problems).toMatchObject([{ line: 1, message: 'there is no agent "constructor"' }]);
  await expect(read("app", { agent: "constructor" })).rejects.toMatchObject({ code: "usage" });
  write(".continuo/continuo.yaml", "agent: constructor\nagents: {constructor: {command: run}}\n");
  const { agents, problems } = await read();
  expect(problems).toEqual([]);
  expect(agents.constructor).toMatchObject({ name: "constructor", command: "run", args: [] });
});
