/** `continuo agents` and `continuo agents doctor`, with agents that are scripts. */

import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { hello1, type Script } from "../acp/script.ts";
import { SCRIPTED_AGENT } from "../acp/scripted-program.ts";
import { createHome, type Home, run } from "./home.ts";
import { runHere } from "./in-process.ts";

let home: Home;

beforeEach(() => {
  home = createHome();
});

/** Installs a program that leaves a mark when it is started. */
function install(path: string): void {
  home.write(path, `#!/bin/sh\ntouch "${home.path}/started"\nexit 1\n`);
  chmodSync(join(home.path, path), 0o755);
}

/** The search path has the programs that a script needs, and no agent of this machine. */
const onPath = () => ({ env: { PATH: `${join(home.path, "bin")}:/nowhere` } });

describe("continuo agents", () => {
  test("lists installed agents with their versions, and how to install the others; nothing is started", async () => {
    install("bin/codex");
    home.write("bin/package.json", '{ "version": "1.2.3" }');
    install("claude/versions/2.1.330/claude");
    home.write(
      ".continuo/continuo.yaml",
      "agents:\n  claude: { command: ../claude/versions/2.1.330/claude }\n  mine: { command: my-agent }\n",
    );
    const { stdout, stderr, code } = await runHere(home, ["agents", "--json"], onPath());
    expect([stderr, code]).toEqual(["", 0]);
    const claude = join(home.path, "claude/versions/2.1.330/claude");
    const codex = join(home.path, "bin/codex");
    const rest = { capabilities: null };
    const gone = { found: false, program: null, command: null, version: null, versionFrom: null };
    expect(JSON.parse(stdout)).toEqual([
      {
        agent: "claude",
        label: "Claude Code",
        found: true,
        program: claude,
        command: [claude],
        version: "2.1.330",
        versionFrom: "path",
        transport: "native",
        missing: null,
        install: "npm install -g @anthropic-ai/claude-code",
        ...rest,
      },
      {
        agent: "codex",
        label: "Codex",
        found: true,
        program: codex,
        command: [codex],
        version: "1.2.3",
        versionFrom: "package",
        transport: "native",
        missing: null,
        install: "npm install -g @openai/codex",
        ...rest,
      },
      {
        agent: "gemini",
        label: "Gemini CLI",
        ...gone,
        transport: "acp",
        missing: "gemini",
        install: "npm install -g @google/gemini-cli",
        ...rest,
      },
      {
        agent: "pi",
        label: "pi",
        ...gone,
        transport: "native",
        missing: "pi",
        install: "npm install -g @earendil-works/pi-coding-agent",
        ...rest,
      },
      {
        agent: "opencode",
        label: "opencode",
        ...gone,
        transport: "acp",
        missing: "opencode",
        install: "npm install -g opencode-ai",
        ...rest,
      },
      {
        agent: "copilot",
        label: "GitHub Copilot CLI",
        ...gone,
        transport: "acp",
        missing: "copilot",
        install: "npm install -g @github/copilot",
        ...rest,
      },
      {
        agent: "mine",
        label: "mine",
        ...gone,
        transport: "acp",
        missing: "my-agent",
        install: null,
        ...rest,
      },
    ]);
    const text = (await runHere(home, ["agents"], onPath())).stdout;
    expect(text).toContain("codex     1.2.3    its own protocol  not asked yet  ~/bin/codex\n");
    expect(text).toContain("gemini             ACP                              not found\n");
    expect(text).toContain("\ngemini: there is no program gemini; npm install -g @google/gemini-cli\n");
    expect(existsSync(join(home.path, "started"))).toBe(false);
  });

  test("a wrong key is an error; an untrusted project is reported in one line, and not used", async () => {
    home.write("app/continuo.yaml", "agents: { claude: { command: ./claude } }");
    install("app/claude");
    const cwd = join(home.path, "app");
    const { stdout, stderr, code } = await runHere(home, ["agents", "--json"], { ...onPath(), cwd });
    expect(code).toBe(0);
    expect(stderr).toContain(
      "~/app/continuo.yaml names programs to run, and is not trusted; not used: agents.claude.command",
    );
    expect(JSON.parse(stdout)[0]).toMatchObject({ agent: "claude", found: false });
    const doctor = await runHere(home, ["agents", "doctor", "claude"], { ...onPath(), cwd });
    expect([doctor.code, existsSync(join(home.path, "started"))]).toEqual([5, false]);
    expect(doctor.stderr).toContain(`continuo trust ${cwd}`);
    home.write(".continuo/continuo.yaml", "agent: claude\nagnets: {}");
    const wrong = await runHere(home, ["agents"], onPath());
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('continuo.yaml:2: there is no key "agnets"; did you mean agents?'),
    ]);
  });
});

describe("continuo agents doctor", () => {
  function configure(script: Script): string {
    home.write("script.json", JSON.stringify(script));
    const command = JSON.stringify([SCRIPTED_AGENT, join(home.path, "script.json")]);
    home.write(
      ".continuo/continuo.yaml",
      `agents: { mine: { command: ${process.execPath}, args: ${command} } }`,
    );
    mkdirSync(join(home.path, "tmp"));
    return join(home.path, "script.json.log");
  }

  const doctor = (...args: readonly string[]) =>
    run(home, ["agents", "doctor", ...args], { env: { TMPDIR: join(home.path, "tmp") } });

  const SESSIONS: Script = {
    hello: {
      ...hello1({ list: {}, resume: {}, close: {}, delete: {} }, { loadSession: true }),
      agentInfo: { name: "mine", version: "7.0.0" },
    },
    answers: {
      "session/new": [{ result: { sessionId: "s1" } }],
      "session/list": [
        { result: { sessions: [{ sessionId: "s1", cwd: "/x", updatedAt: "2026-01-01T00:00:00Z" }] } },
      ],
      "session/load": [{ result: {} }],
      "session/resume": [{ error: { code: -32_601, message: "Method not found" } }],
      "session/close": [{ result: {} }],
      "session/delete": [{ result: {} }],
    },
  };

  test("shows which advertised abilities work, asks no model, and leaves nothing behind", async () => {
    const log = configure(SESSIONS);
    const { stdout, stderr, code } = await doctor("mine", "--json");
    expect([stderr, code]).toEqual(["", 7]);
    const { steps, transport, capabilities } = JSON.parse(stdout);
    expect(transport).toBe("acp");
    expect(capabilities).toMatchObject({ canLoad: true, canResume: true, canFork: false });
    const works = (step: string, advertised: boolean | null) => ({
      step,
      advertised,
      outcome: "works",
      reason: null,
    });
    expect(steps).toEqual([
      works("start", null),
      works("new", null),
      works("list", true),
      works("close", true),
      works("load", true),
      {
        step: "resume",
        advertised: true,
        outcome: "fails",
        reason: expect.stringContaining("Method not found"),
      },
      {
        step: "continue",
        advertised: true,
        outcome: "not tried",
        reason: expect.stringContaining("no session with a message"),
      },
      { step: "fork", advertised: false, outcome: "not offered", reason: null },
      works("delete", true),
    ]);
    const sent = readFileSync(log, "utf8");
    expect(sent).toContain("session/delete");
    expect(sent).not.toContain("session/prompt");
    expect(readdirSync(join(home.path, "tmp"))).toEqual([]);
    expect(existsSync(join(home.path, ".gemini"))).toBe(false);
    // The agent's report is stored for the list.
    const [mine] = JSON.parse((await runHere(home, ["agents", "--json"])).stdout).slice(-1);
    expect(mine).toMatchObject({ agent: "mine", capabilities });
  });

  test("prints one line for each step, with the reason below a step that fails", async () => {
    configure({
      hello: hello1(),
      answers: { "session/new": [{ error: { code: -32_000, message: "no \u001b[2J way" } }] },
    });
    const { stdout, code } = await doctor("mine");
    expect(code).toBe(7);
    expect(stdout).toContain("\nstart     works\nnew       fails\n          ");
    expect(stdout).toContain("␛[2J way");
    expect(stdout).toContain("\nload      not offered\n");
  });

  const HELP = "--input-format --resume";

  test.each([
    [
      "that hangs",
      "mine",
      "exec sleep 1000",
      "mine hangs: it printed nothing, and did not answer initialize within 300 ms",
    ],
    [
      "that does not even print its help",
      "claude",
      "exec sleep 1000",
      "Claude Code hangs: it printed nothing, and --help did not end within 300 ms",
    ],
    [
      "that prints the help of another program",
      "claude",
      "echo hello",
      "Claude Code is too old, or another program: its --help does not name --input-format",
    ],
    [
      "that does not know a command",
      "codex",
      "echo \"error: unrecognized subcommand 'app-server'\" >&2; exit 2",
      "Codex is too old, or another program: it does not know an argument that Continuo gives it",
    ],
    ["whose help fails", "pi", "echo no >&2; exit 4", "pi failed at --help (it ended with code 4)"],
  ])(
    "a program %s gets an error that says so, and no process of it is left",
    async (_, agent, script, message) => {
      configure({});
      home.write("program", `#!/bin/sh\n${script}\n`);
      chmodSync(join(home.path, "program"), 0o755);
      home.write(".continuo/continuo.yaml", `agents: { ${agent}: { command: ../program } }`);
      const limit = script.includes("sleep") ? "300ms" : "10m";
      const { code, stderr } = await doctor(agent, "--timeout", limit);
      expect([code, stderr]).toEqual([8, expect.stringContaining(`continuo: ${message}`)]);
      expect(readdirSync(join(home.path, "tmp"))).toEqual([]);
    },
  );

  test("an agent is not examined in the home that the configuration gives it", async () => {
    configure({});
    const variables = ["HOME", "CLAUDE_CONFIG_DIR", "XDG_DATA_HOME"];
    home.write(
      "program",
      `#!/bin/sh\nprintf '%s\\n' "$HOME" "$CLAUDE_CONFIG_DIR" "$XDG_DATA_HOME" >> "${home.path}/homes"\necho "${HELP}"\n`,
    );
    chmodSync(join(home.path, "program"), 0o755);
    const env = variables.map((name) => `${name}: ${home.path}/real`).join(", ");
    home.write(".continuo/continuo.yaml", `agents: { claude: { command: ../program, env: { ${env} } } }`);
    await doctor("claude", "--timeout", "10m");
    const seen = readFileSync(join(home.path, "homes"), "utf8").split("\n");
    expect(seen.some((path) => path.includes("continuo-doctor-"))).toBe(true);
    expect(seen.filter((path) => path.includes("real"))).toEqual([]);
  });

  test("an agent that cannot be started is an error that contains its output", async () => {
    configure({});
    home.write(
      ".continuo/continuo.yaml",
      "agents: { mine: { command: sh, args: [-c, 'echo broken >&2; exit 3'] } }",
    );
    const { code, stderr } = await doctor("mine");
    expect([code, stderr]).toEqual([8, expect.stringContaining("broken")]);
    expect(readdirSync(join(home.path, "tmp"))).toEqual([]);
    expect((await doctor("nobody")).code).toBe(2);
    home.write(".continuo/continuo.yaml", "agents: { mine: { command: no-such-program } }");
    expect((await doctor("mine")).code).toBe(8);
  });
});
