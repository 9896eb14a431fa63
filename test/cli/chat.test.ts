/** `continuo chat` with a scripted agent. */

import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { runChat } from "./chat-run.ts";
import { cleanEnv, MAIN, type Run } from "./home.ts";
import { runHere } from "./in-process.ts";
import { createTalkHome, type TalkHome } from "./talk.ts";

let home: TalkHome;
beforeEach(() => {
  home = createTalkHome();
});

/** Runs the command in this process; only the first test starts the program. */
function chat(args: readonly string[], stdin = ""): Promise<Run> {
  return runHere(home, ["chat", ...args], { cwd: join(home.path, "project"), stdin });
}

describe("one turn", () => {
  test("the answer goes to stdout, everything else to stderr", async () => {
    const { code, stdout, stderr } = await runChat(home, ["fix it"]);
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

  test("a turn that ends at the agent's limit of steps has an answer, and the line below it reports the limit", async () => {
    const { code, stdout, stderr } = await chat(["all of it"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "I did a part.\n" });
    expect(stderr).toMatch(/^· stopped at its limit of steps · [\d.]+ s$/mu);
  });

  test("the prompt may come from standard input", async () => {
    expect(await chat([], "from a pipe\n")).toMatchObject({
      code: 0,
      stdout: "You said: from a pipe\n",
    });
    expect(await chat([], " \n")).toMatchObject({ code: 2, stdout: "" });
  });

  test("standard input follows the prompt, and an empty one adds nothing", async () => {
    expect((await chat(["review this"], "line 1\nline 2\n")).stdout).toBe(
      "You said: review this\n\nline 1\nline 2\n",
    );
    expect((await chat(["review this"], " \n")).stdout).toBe("You said: review this\n");
  });

  test("a pipe without any data delays a prompt for seconds, and a note reports this", async () => {
    const { code, stdout, stderr } = await runChat(home, ["review this"], { stdin: null });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "You said: review this\n" });
    expect(stderr).toContain("nothing came from standard input within 3 s");
  });

  test("--permissions decides about tools if there is no person to ask", async () => {
    expect((await chat(["fix it", "--permissions", "unrestricted"])).stdout).toContain('"optionId":"yes"');
    const { stdout, stderr } = await chat(["fix it", "--permissions", "safe"]);
    expect(stdout).toContain('"optionId":"no"');
    expect(stderr).toContain("✗ denied · policy: only calls that read are granted");
  });

  test("--json ends with a result, even if no run has one", async () => {
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
    // A turn that never began reports only the error.
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

test("the store is readable only by this user, and has the runs", async () => {
  await chat(["one"]);
  const path = join(home.path, ".continuo/continuo.db");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const { stdout } = await runHere(home, ["store", "info", "--json"]);
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

describe("--all", () => {
  /** Runs `agents` on a search path that has only the agents of the file. */
  const all = (...args: readonly string[]): Promise<Run> =>
    runHere(home, ["chat", "--all", ...args], { cwd: join(home.path, "project"), env: { PATH: "/nowhere" } });

  test("every installed agent answers, each in a new session", async () => {
    const { code, stdout, stderr } = await all("one");
    const words = stdout.split(/^(?=● )/mu).toSorted();
    expect({ code, words }).toEqual({
      code: 0,
      words: ["● other\n\nYou said: one\n\n", "● robot\n\nYou said: one\n\n"],
    });
    const sessions = [...stderr.matchAll(/^· session ([0-9a-f-]{36}) · new (robot|other):/gmu)];
    expect(new Set(sessions.map(([, id]) => id)).size).toBe(2);
    expect(sessions.map(([, , name]) => name).toSorted()).toEqual(["other", "robot"]);
  });

  test("a failure is reported with its agent and gives the exit code; the other answers are printed", async () => {
    const agents = JSON.parse(readFileSync(join(home.path, ".continuo/continuo.yaml"), "utf8"));
    agents.agents.other = { command: process.execPath, args: ["-e", "process.exit(3)"] };
    home.write(".continuo/continuo.yaml", JSON.stringify(agents));
    const { code, stdout, stderr } = await all("one");
    expect([code, stdout]).toEqual([8, expect.stringContaining("● robot\n\nYou said: one\n")]);
    expect(stderr).toMatch(/^· other: .*ended with code 3/mu);
    const lines = (await all("--json", "two")).stdout.trimEnd().split("\n");
    const results = lines.map((line) => JSON.parse(line));
    expect(results).toContainEqual(
      expect.objectContaining({ type: "result", agent: "robot", status: "completed" }),
    );
    expect(results).toContainEqual(
      expect.objectContaining({ agent: "other", error: expect.objectContaining({ code: "agent_failed" }) }),
    );
  });

  test("--all cannot be combined with one agent or one session", async () => {
    expect((await all("-a", "robot", "x")).code).toBe(2);
    expect((await all("--continue", "x")).code).toBe(2);
  });
});
