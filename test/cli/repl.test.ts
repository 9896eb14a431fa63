/** `continuo repl` on a pipe, with a scripted agent; in a terminal: `repl.full.test.ts`. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { chunk, DONE } from "../acp/script.ts";
import { cleanEnv, MAIN, type Run, writeSessions } from "./home.ts";
import { runHere } from "./in-process.ts";
import { createTalkHome, SCRIPT, steady, type TalkHome } from "./talk.ts";

let home: TalkHome;
beforeEach(() => {
  home = createTalkHome();
});

describe("on a pipe", () => {
  function start(flags: readonly string[]): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, [MAIN, "repl", ...flags], {
      cwd: join(home.path, "project"),
      env: cleanEnv(home.path),
      stdio: ["pipe", "pipe", "pipe"],
    });
  }

  async function repl(lines: string, flags: readonly string[] = []): Promise<Run> {
    return await runHere(home, ["repl", ...flags], { cwd: join(home.path, "project"), stdin: lines });
  }

  test("lines from a pipe are read to their end, and the output is neither coloured nor redrawn", async () => {
    const { code, stdout, stderr } = await repl("one\n\n/agent\n/nothing\nfix it\n");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    await expect(steady(home, stdout)).toMatchFileSnapshot("cases/repl-pipe.txt");
    expect(home.prompts()).toEqual(["one", "fix it"]);
  });

  const granted = (stdout: string): readonly string[] =>
    [...stdout.matchAll(/"optionId":"(\w+)"/gu)].map(([, option = ""]) => option);

  test("/mode changes the policy for all agents in the middle of a conversation, and the session stays the same", async () => {
    home[Symbol.dispose]();
    // The prompt for `other` begins with the earlier conversation.
    home = createTalkHome({
      ...SCRIPT,
      prompts: { ...SCRIPT.prompts, "*": SCRIPT.prompts?.["fix it"] ?? [] },
    });
    const lines = [
      "fix it",
      "/mode unrestricted",
      "fix it",
      "/agent other",
      "fix it",
      "/mode safe",
      "fix it",
    ];
    const { code, stdout } = await repl(`${lines.join("\n")}\n/mode\n`, ["--permissions", "ask"]);
    expect(code).toBe(0);
    expect(granted(stdout)).toEqual(["no", "yes", "yes", "no"]);
    expect(stdout).toMatch(/permissions +safe\n +mode +the agent's default/u);
    const begun = home.methods().filter((method) => /^session\/(?:new|resume|load)$/u.test(method));
    // `other` begins a session of its own, and continues it under the last policy.
    expect(begun).toEqual(["session/new", "session/resume", "session/new", "session/resume"]);
  });

  test("an agent's own mode is tried at once; an unknown mode changes nothing, and - chooses the agent's default", async () => {
    home[Symbol.dispose]();
    const modes = { currentModeId: "code", availableModes: [{ id: "code" }, { id: "plan" }] };
    const answer = { result: { sessionId: "new-1", modes } };
    const refused = { error: { code: -32602, message: "no such mode" } };
    home = createTalkHome({
      ...SCRIPT,
      answers: {
        "session/new": [answer],
        "session/resume": [answer],
        "session/set_mode": [{ when: { modeId: "plan" }, else: [refused] }, { result: {} }],
      },
    });
    const lines = ["/mode plan", "one", "/mode nonsense", "/mode", "two", "/mode -", "three"];
    const { code, stdout } = await repl(`${lines.join("\n")}\n`);
    expect(code).toBe(0);
    expect(stdout).toContain('✗ robot has no mode "nonsense"\n  Choose one of code, plan.');
    expect([...stdout.matchAll(/^ +mode +(.+)$/gmu)].map(([, mode]) => mode)).toEqual([
      "plan",
      "plan",
      "the agent's default",
    ]);
    expect(home.prompts()).toEqual(["one", "two", "three"]);
    const called = home.methods().filter((method) => method !== "initialize" && method !== "session/close");
    // The program that was started in advance may be ended before it got a request for a session.
    const chosen = called.slice(called.lastIndexOf("session/new"));
    expect(chosen).toEqual([
      ...["session/new", "session/set_mode", "session/prompt"],
      ...["session/resume", "session/set_mode", "session/resume", "session/set_mode", "session/prompt"],
      ...["session/resume", "session/prompt"],
    ]);
  });

  test("/model is tried at once and stays until another model is named, and /fork keeps the present agent", async () => {
    home[Symbol.dispose]();
    const models = { currentModelId: "small", availableModels: [{ modelId: "small" }, { modelId: "large" }] };
    const answer = { result: { sessionId: "new-1", models } };
    home = createTalkHome({
      ...SCRIPT,
      answers: {
        "session/new": [answer],
        "session/resume": [answer],
        "session/set_model": [
          { when: { modelId: "large" }, else: [{ error: { code: -32602, message: "no such model" } }] },
          { result: {} },
        ],
      },
    });
    const lines = ["one", "/model large", "/model nonsense", "/model", "/agent other", "/fork"];
    const { code, stdout } = await repl(`${lines.join("\n")}\n`);
    expect(code).toBe(0);
    expect(stdout).toContain('✗ robot has no model "nonsense"');
    expect([...stdout.matchAll(/^ +model +(.+)$/gmu)].map(([, model]) => model)).toEqual(["large", "large"]);
    expect(stdout).toMatch(/one · other · [0-9a-f-]{36}\n/u);
  });

  test("/effort is tried at once if the agent has such a setting, and refused if it has none", async () => {
    home[Symbol.dispose]();
    const options = ["low", "high"].map((value) => ({ value, name: value }));
    const effort = {
      id: "thinking",
      category: "thought_level",
      type: "select",
      currentValue: "low",
      options,
    };
    const answer = { result: { sessionId: "new-1", configOptions: [effort] } };
    home = createTalkHome({
      ...SCRIPT,
      answers: {
        "session/new": [answer],
        "session/resume": [answer],
        "session/set_config_option": [
          { when: { value: "high" }, else: [{ error: { code: -32602, message: "no such effort" } }] },
          { result: { configOptions: [{ ...effort, currentValue: "high" }] } },
        ],
      },
    });
    const { code, stdout } = await repl("one\n/effort high\n/effort nonsense\n/effort\n/effort -\n");
    expect(code).toBe(0);
    expect(stdout).toContain('✗ robot has no effort "nonsense"\n  Choose one of low, high.');
    const shown = [...stdout.matchAll(/^ +effort +(.+)$/gmu)].map(([, level]) => level);
    expect(shown).toEqual(["high", "high", "the agent's default"]);
    home[Symbol.dispose]();
    home = createTalkHome();
    expect((await repl("/effort high\n")).stdout).toContain("✗ robot has no setting for its effort");
  });

  test("the agent's own commands are listed and passed on, and the remaining context is shown", async () => {
    home[Symbol.dispose]();
    const told = [
      { name: "review", description: "Review the \u001b[31mchanges", input: { hint: "[FILE]" } },
      { name: "a b", description: "a name that cannot be typed" },
    ];
    const use = { sessionUpdate: "usage_update", used: 30_000, size: 100_000 };
    const commands = { sessionUpdate: "available_commands_update", availableCommands: told };
    const steps = [{ update: commands }, { update: use }, chunk("well\n\n"), DONE];
    home = createTalkHome({ ...SCRIPT, prompts: { one: steps } });
    const { code, stdout } = await repl("one\n/review a.ts\n/help\n/usage\n/nothing\n");
    expect(code).toBe(0);
    expect(home.prompts()).toEqual(["one", "/review a.ts"]);
    expect(stdout).toMatch(/^· [^\n]+ · 70 % of the context left$/mu);
    expect(stdout).toMatch(/^ +context +70 % of the context left$/mu);
    expect(stdout).toMatch(/^ {2}\/review \[FILE\] +Review the ␛?\[31mchanges$/mu);
    expect(stdout).not.toContain("\u001b");
    expect(stdout).not.toContain("a b");
    expect(stdout).toContain("✗ there is no command /nothing");
  });

  test("/search finds turns of every session, with numbers for `continuo open`", async () => {
    writeSessions(home);
    const { code, stdout, stderr } = await repl("/search zebra\n/search\n/search role:assistant well\n");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("  1 Fix the build\n");
    expect(stdout).toContain("All well.");
    expect(stdout).toContain("/search needs words");
    expect(stdout).toContain("Nothing found.");
    expect(home.prompts()).toEqual([]);
    const opened = await runHere(home, ["open", "1"]);
    expect(opened.stdout).toContain("All well.");
  });

  test("an agent that cannot resume sessions continues while its program runs", async () => {
    home[Symbol.dispose]();
    home = createTalkHome({});
    expect(await repl("one\ntwo\n")).toMatchObject({ code: 0, stderr: "" });
    expect(home.prompts()).toEqual(["one", "two"]);
  });

  test("/cancel ends a slow turn, and after /quit no line is read", async () => {
    const child = start(["--continuation", "none"]);
    child.stdin.write("slow\n");
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      if (text.includes("▸ Wait")) child.stdin.end("/cancel\nnext\n/quit\nnever\n");
    });
    const { promise, resolve } = Promise.withResolvers<number | null>();
    child.on("close", resolve);
    expect(await promise).toBe(0);
    expect(stdout).toContain("· cancelled · ");
    expect(home.prompts()).toEqual(["slow", "next"]);
  });

  test("SIGTERM leaves no agent behind", async () => {
    const child = start([]);
    child.stdin.write("start something\n");
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    // The agent's child process prints its own process id, and has left the agent's process group.
    await expect.poll(() => / \d+\n\n {2}I wait\./u.test(said)).toBe(true);
    const pid = Number(/ (\d+)\n/u.exec(said)?.[1]);
    expect(isAlive(pid)).toBe(true);
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGTERM");
    expect(await ended).toBe(143);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
