/** Turns of `continuo chat` that fail or are stopped, with a scripted agent. */

import { spawn } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { cleanEnv, MAIN, type Run, run } from "./home.ts";
import { createTalkHome, SCRIPT, type TalkHome } from "./talk.ts";

let home: TalkHome;
beforeEach(() => {
  home = createTalkHome();
});

interface ChatOptions {
  readonly stdin?: string;
  /** Sends Ctrl-C after this text was printed. */
  readonly interruptAt?: string;
  /** The signal that is sent instead of Ctrl-C. */
  readonly by?: "SIGTERM";
  readonly env?: Readonly<Record<string, string>>;
}

async function chat(
  args: readonly string[],
  { stdin = "", interruptAt, by, env = {} }: ChatOptions = {},
): Promise<Run> {
  const child = spawn(process.execPath, [MAIN, "chat", ...args], {
    cwd: join(home.path, "project"),
    env: { ...cleanEnv(home.path), ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let [stdout, stderr, interrupted] = ["", "", false];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    if (interruptAt === undefined || interrupted || !stdout.includes(interruptAt)) return;
    interrupted = true;
    child.kill(by ?? "SIGINT");
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin.on("error", () => undefined).end(stdin);
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.on("close", resolve);
  return { code: await promise, stdout, stderr };
}

const idIn = (text: string): string => /session ([0-9a-f-]{36})/u.exec(text)?.[1] ?? "no session was told";

test("in an untrusted folder a line counts the variables that are held back, and after `continuo trust` there is none", async () => {
  const env = { MY_TOKEN: "secret", ANTHROPIC_MODEL: "listed" };
  const { code, stderr } = await chat(["one"], { env });
  expect(code).toBe(0);
  expect(stderr).toMatch(/robot starts without [A-Z_, ]*MY_TOKEN/u);
  expect(stderr).not.toMatch(/secret|ANTHROPIC_MODEL/u);
  expect((await run(home, ["trust", "project"])).stdout).toBe("trusted  ~/project\n");
  expect((await chat(["two"], { env })).stderr).not.toContain("starts without");
});

describe("a turn that fails or is stopped", () => {
  test("an agent that dies gives exit code 8, with its answer so far and its last output", async () => {
    const { code, stdout, stderr } = await chat(["die"]);
    expect({ code, stdout }).toEqual({ code: 8, stdout: "I say \n" });
    expect(stderr).toContain("continuo: robot ended before");
    expect(stderr).toMatch(/^\s*out of luck$|: out of luck/mu);
    expect(stderr).not.toContain("[31m");
  });

  test("if the first turn fails before the agent did anything, no session is left; after a later turn it is kept", async () => {
    const first = await chat(["refuse"]);
    expect(first.code).toBe(8);
    expect(first.stderr).toContain(
      "no session is kept: the agent did nothing; its own session robot:new-1 stays",
    );
    expect(await chat(["--continue", "and now"])).toMatchObject({ code: 3 });
    const inJson = await chat(["refuse", "--json"]);
    const lines = inJson.stdout.trimEnd().split("\n");
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
      type: "result",
      status: "failed",
      sessionId: null,
    });

    const begun = await chat(["one"]);
    expect((await chat(["--continue", "refuse"])).code).toBe(8);
    expect((await chat(["--continue", "two"])).stderr).toContain(idIn(begun.stderr));
  });

  test("an agent that is not installed leaves no session and no file in its folders", async () => {
    const begun = await chat(["one"]);
    const resumed = await chat(["--resume", idIn(begun.stderr), "-a", "claude", "two"]);
    expect(resumed.code).toBe(8);
    expect(resumed.stderr).toContain("Claude Code is not installed");
    expect(existsSync(join(home.path, ".claude"))).toBe(false);
    expect(await chat(["-a", "claude", "three"])).toMatchObject({ code: 8 });
    expect((await chat(["--continue", "four"])).stderr).toContain(idIn(begun.stderr));
  });

  test("an agent that starts and then fails leaves none of its own sessions behind", async () => {
    const begun = await chat(["one"]);
    const help = "--resume --continue --fork-session --session-id --input-format --permission-prompt-tool";
    const fails = `#!/bin/sh\ncase "$1" in --help) echo "${help}";; --version) echo 2.1.330;; *) exit 3;; esac\n`;
    home.write("bin/claude", fails);
    chmodSync(join(home.path, "bin/claude"), 0o755);
    const file = ".continuo/continuo.yaml";
    const { agents, ...settings } = JSON.parse(readFileSync(join(home.path, file), "utf8"));
    const claude = { command: join(home.path, "bin/claude") };
    home.write(file, JSON.stringify({ ...settings, agents: { ...agents, claude } }));
    const resumed = await chat(["--resume", idIn(begun.stderr), "-a", "claude", "two"]);
    expect(resumed.code).toBe(8);
    const left = readdirSync(join(home.path, ".claude"), { recursive: true, encoding: "utf8" });
    expect(left.filter((path) => path.endsWith(".jsonl"))).toEqual([]);
    expect((await chat(["--continue", "-a", "robot", "four"])).stderr).toContain(idIn(begun.stderr));
  });

  test("Ctrl-C exits with 130, and the session can be continued", async () => {
    const { code, stdout, stderr } = await chat(["slow"], { interruptAt: "I begin." });
    expect({ code, stdout }).toEqual({ code: 130, stdout: "I begin.\n" });
    expect(home.methods()).toContain("session/cancel");
    const next = await chat(["--resume", idIn(stderr), "and now"]);
    expect(next.code).toBe(0);
    expect(home.prompts().at(-1)?.endsWith("and now")).toBe(true);
  });

  test.each(["initialize", "session/new"])("Ctrl-C does not wait for an answer to %s", async (method) => {
    home[Symbol.dispose]();
    home = createTalkHome({ ...SCRIPT, answers: { [method]: [{ silence: true }] } });
    const { code, stdout } = await chat(["one", "--json"], { interruptAt: "turn_started" });
    expect(code).toBe(130);
    expect(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      type: "result",
      status: "cancelled",
    });
  });

  test("SIGTERM exits with 143: the text so far is kept, and --json ends with the result", async () => {
    const ending = { interruptAt: "I begin.", by: "SIGTERM" } as const;
    const { code, stdout, stderr } = await chat(["slow", "--json"], ending);
    expect({ code, stderr }).toEqual({ code: 143, stderr: "" });
    const lines = stdout.trimEnd().split("\n");
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
      type: "result",
      status: "cancelled",
      text: "I begin.",
    });
    expect(home.methods()).toContain("session/cancel");
    expect(await chat(["slow"], ending)).toMatchObject({ code: 143, stdout: "I begin.\n" });
  });

  test("--timeout ends it as 8", async () => {
    const { code, stderr } = await chat(["slow", "--timeout", "300ms"]);
    expect(code).toBe(8);
    expect(stderr).toContain("it took longer than --timeout allows");
  });

  test("a project that names programs gives exit code 5 until it is trusted", async () => {
    home.write("project/continuo.yaml", JSON.stringify({ agents: { robot: { command: "/bin/false" } } }));
    const { code, stderr } = await chat(["hi"]);
    expect(code).toBe(5);
    expect(stderr).toContain("continuo trust");
    expect(home.methods()).toEqual([]);
  });
});
