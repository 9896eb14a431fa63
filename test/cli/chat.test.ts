/** `continuo chat` as a program of its own, with a scripted agent. */

import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { chunk, DONE } from "../acp/script.ts";
import { cleanEnv, MAIN, type Run, run } from "./home.ts";
import { createTalkHome, SCRIPT, type TalkHome } from "./talk.ts";
import { openTerminal, type Terminal } from "./tmux.ts";

let home: TalkHome;
beforeEach(() => {
  home = createTalkHome();
});
afterEach(() => home[Symbol.dispose]());

interface ChatOptions {
  readonly stdin?: string;
  /** Ctrl-C, when so much was said. */
  readonly interruptAt?: string;
  /** Instead of Ctrl-C. */
  readonly by?: "SIGTERM";
}

async function chat(
  args: readonly string[],
  { stdin = "", interruptAt, by }: ChatOptions = {},
): Promise<Run> {
  const child = spawn(process.execPath, [MAIN, "chat", ...args], {
    cwd: join(home.path, "project"),
    env: cleanEnv(home.path),
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

describe("one turn", () => {
  test("the answer is stdout, everything else stderr", async () => {
    const { code, stdout, stderr } = await chat(["fix it"]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        'I will **fix** `src/a.ts`:\n\n1. read it\n2. change it\n\n{"outcome":{"outcome":"selected","optionId":"no"}}\n\nDone.\n',
    });
    expect(stderr.replace(/session [0-9a-f-]{36}/u, "session ID").replace(/[\d.]+ s/u, "TIME")).toBe(
      [
        "● robot",
        "  ▣ Change it",
        "",
        "  ▸ Read  src/a.ts",
        "    const a = 1;",
        "    ␛[2Jconst b = 2;",
        "  ▸ Edit  src/a.ts",
        "      const a = 1;",
        "    - const b = 2;",
        "    + const b = 42;",
        "      export { a, b };",
        "    ✗ denied · policy: nobody is there to be asked",
        "· TIME",
        "· session ID · new robot:new-1",
        "",
      ].join("\n"),
    );
  });

  test("the prompt may come from standard input", async () => {
    expect(await chat([], { stdin: "from a pipe\n" })).toMatchObject({
      code: 0,
      stdout: "You said: from a pipe\n",
    });
    expect(await chat([], { stdin: " \n" })).toMatchObject({ code: 2, stdout: "" });
  });

  test("--permissions decides what nobody is asked for", async () => {
    expect((await chat(["fix it", "--permissions", "unrestricted"])).stdout).toContain('"optionId":"yes"');
    const { stdout, stderr } = await chat(["fix it", "--permissions", "safe"]);
    expect(stdout).toContain('"optionId":"no"');
    expect(stderr).toContain("✗ denied · policy: only what reads is granted");
  });

  test("--json ends with a result, also where no run came to one", async () => {
    home[Symbol.dispose]();
    home = createTalkHome({});
    const first = await chat(["one", "--json"]);
    const { sessionId } = JSON.parse(first.stdout.trimEnd().split("\n").at(-1) ?? "");
    const { code, stdout, stderr } = await chat(["two", "--json", "--continue", "--continuation", "native"]);
    const { error } = JSON.parse(stderr);
    const { message, details } = error;
    expect(code).toBe(8);
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { type: "turn_started", agent: "robot" },
      {
        type: "result",
        runId: null,
        sessionId,
        status: "failed",
        text: "",
        resumption: null,
        error: { code: "native_unavailable", message, details },
      },
    ]);
    // Of what never began nothing is told but the error.
    expect(await chat(["two", "--json", "--resume", "nothing"])).toMatchObject({ code: 3, stdout: "" });
  });

  test("--json prints events, and the result as the last line", async () => {
    const { code, stdout, stderr } = await chat(["hi", "--json"]);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const { sessionId, runId } = lines.at(-1);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const ref = { agent: "robot", sessionId: "new-1", location: null, cwd: join(home.path, "project") };
    expect(lines).toEqual([
      { type: "turn_started", agent: "robot" },
      { type: "native_session", ref, happened: "created", verifiedBy: "agent" },
      { type: "text", delta: "You said: hi" },
      { type: "turn_completed", stopReason: "end_turn" },
      {
        type: "result",
        sessionId,
        runId,
        status: "completed",
        resumption: { requested: "false", happened: "new", ref, verifiedBy: "agent" },
        text: "You said: hi",
        stopReason: "end_turn",
      },
    ]);
  });
});

describe("a session goes on", () => {
  test("an agent that has none in the folder says by what the newest one goes on with it", async () => {
    const id = idIn((await chat(["one"])).stderr);
    const { code, stderr } = await chat(["--continue", "-a", "codex", "two"]);
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining(`by --resume ${id} instead`),
    });
  });

  test("by its id, by the agent's own, by the newest of the folder", async () => {
    const id = idIn((await chat(["one"])).stderr);
    const resumed = await chat(["--resume", id.slice(0, 20), "two"]);
    expect(resumed.stderr).toContain(`session ${id} · resumed robot:new-1 (checked by agent)`);
    const continued = await chat(["--continue", "three"]);
    expect(continued.stderr).toContain(`session ${id} · resumed robot:new-1 (checked by agent)`);
    expect(home.prompts()).toEqual(["one", "two", "three"]);
    expect(home.methods().filter((method) => method.startsWith("session/"))).toEqual([
      "session/new",
      "session/prompt",
      "session/resume",
      "session/prompt",
      "session/resume",
      "session/prompt",
    ]);
  });

  test("with another agent: it is told what was said", async () => {
    using quiet = createTalkHome({ ...SCRIPT, prompts: { "*": [chunk("I hear you."), DONE] } });
    home[Symbol.dispose]();
    home = quiet;
    const id = idIn((await chat(["my name is Ann"])).stderr);
    const { code, stderr } = await chat(["--resume", id, "-a", "other", "who am I?"]);
    expect(code).toBe(0);
    expect(stderr).toContain(`session ${id} · told all that was said to other:new-1`);
    const [, told = ""] = home.prompts();
    expect(told).toContain("my name is Ann");
    expect(told).toContain("I hear you.");
    expect(told.endsWith("who am I?")).toBe(true);
    // And the first one again, natively: it hears what it missed, once.
    await chat(["--resume", id, "-a", "robot", "go on"]);
    expect(home.prompts().at(-1)).toContain("who am I?");
    expect(home.prompts().at(-1)).not.toContain("my name is Ann");
  });

  test("as a fork, which leaves the original alone", async () => {
    const id = idIn((await chat(["one"])).stderr);
    const fork = idIn((await chat(["--fork", id, "two"])).stderr.split("\n").at(-2) ?? "");
    expect(fork).not.toBe(id);
    expect(home.prompts().at(-1)).toContain("You said: one");
    await chat(["--resume", id, "three"]);
    expect(home.prompts().at(-1)).toBe("three");
  });

  test("what is not there is 3, two wishes at once are 2, a strange agent is 3", async () => {
    expect(await chat(["--resume", "4bf3", "x"])).toMatchObject({ code: 3, stdout: "" });
    expect(await chat(["--continue", "x"])).toMatchObject({ code: 3 });
    expect(await chat(["--continue", "--fork", "4bf3", "x"])).toMatchObject({ code: 2 });
    expect(await chat(["-a", "nobody", "x"])).toMatchObject({ code: 3 });
    expect(await chat(["--cwd", "/no/such", "x"])).toMatchObject({ code: 3 });
  });
});

describe("a turn that does not end well", () => {
  test("an agent that dies is 8: what it said is there, and what it said last", async () => {
    const { code, stdout, stderr } = await chat(["die"]);
    expect({ code, stdout }).toEqual({ code: 8, stdout: "I say \n" });
    expect(stderr).toContain("continuo: robot ended before");
    expect(stderr).toContain("out of luck");
  });

  test("Ctrl-C is 130, and the session goes on", async () => {
    const { code, stdout, stderr } = await chat(["slow"], { interruptAt: "I begin." });
    expect({ code, stdout }).toEqual({ code: 130, stdout: "I begin.\n" });
    expect(home.methods()).toContain("session/cancel");
    const next = await chat(["--resume", idIn(stderr), "and now"]);
    expect(next.code).toBe(0);
    expect(home.prompts().at(-1)?.endsWith("and now")).toBe(true);
  });

  test.each(["initialize", "session/new"])("Ctrl-C waits for no answer to %s", async (method) => {
    home[Symbol.dispose]();
    home = createTalkHome({ ...SCRIPT, answers: { [method]: [{ silence: true }] } });
    const { code, stdout } = await chat(["one", "--json"], { interruptAt: "turn_started" });
    expect(code).toBe(130);
    expect(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      type: "result",
      status: "cancelled",
    });
  });

  test("SIGTERM is 143: what was said is kept, and --json ends with the result", async () => {
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

  test("a project that wants to run programs is 5 until it is trusted", async () => {
    home.write("project/continuo.yaml", JSON.stringify({ agents: { robot: { command: "/bin/false" } } }));
    const { code, stderr } = await chat(["hi"]);
    expect(code).toBe(5);
    expect(stderr).toContain("continuo trust");
    expect(home.methods()).toEqual([]);
  });
});

test("the store is for this user alone to read, and says that the runs are there", async () => {
  await chat(["one"]);
  const path = join(home.path, ".continuo/continuo.db");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const { stdout } = await run(home, ["store", "info", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ sessions: 1, runs: 1 });
});

test("standard output that cannot be written is an error in one line", async () => {
  const command = `exec '${process.execPath}' '${MAIN}' chat hi > /dev/full`;
  const child = spawn("sh", ["-c", command], {
    cwd: join(home.path, "project"),
    env: cleanEnv(home.path),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.on("close", resolve);
  expect(await promise).toBe(1);
  expect(stderr).toBe("continuo: cannot write to standard output: ENOSPC: no space left on device, write\n");
});

describe("a question in a terminal", () => {
  let terminal: Terminal | null = null;
  afterEach(() => {
    terminal?.close();
    terminal = null;
  });

  test.each([
    ["where nothing can be drawn anew", "TERM=dumb", ""],
    ["where the answer goes to a file", "", "> answer"],
  ])("%s it is a line, and is answered", async (_, env, redirection) => {
    terminal = openTerminal(home, 80, 40);
    const command = `'${process.execPath}' '${MAIN}' chat 'fix it' ${redirection}`;
    terminal.type(`cd project; clear; ${env} ${command}; echo code=$?`);
    const asked = await terminal.until((screen) => /^\? allow Edit\? \[y\]es/mu.test(screen));
    expect(asked).toContain("+ const b = 42;");
    await terminal.until((screen) => {
      const isDenied = screen.includes("✗ denied");
      // A key that comes too soon after the question answers nothing.
      if (!isDenied) terminal?.write("n");
      return isDenied && screen.includes("code=0");
    });
  });
});
