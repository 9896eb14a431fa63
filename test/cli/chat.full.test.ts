/** Questions of `continuo chat` in a terminal, with a scripted agent: permission for a tool, and trust in a folder. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MAIN, run } from "./home.ts";
import { createTalkHome, type TalkHome } from "./talk.ts";
import { openTerminal, type Terminal } from "./tmux.ts";

let home: TalkHome;
beforeEach(() => {
  home = createTalkHome();
});

describe("trust in a folder, in a terminal", () => {
  let terminal: Terminal;
  const variables = Array.from({ length: 30 }, (_, at) => `MY_TOOL_${at}=x`).join(" ");

  beforeEach(() => {
    // The project names the program of its agent, which records its environment.
    const file = join(home.path, ".continuo/continuo.yaml");
    const { agents } = JSON.parse(readFileSync(file, "utf8"));
    const { command, args } = agents.robot;
    const words = [command, ...args].map((word: string) => `'${word}'`).join(" ");
    const robot = { command: "/bin/sh", args: ["-c", `env > "$HOME/inherited"; exec ${words}`] };
    home.write("project/continuo.yaml", JSON.stringify({ agents: { robot } }));
    terminal = openTerminal(home, 80, 50);
    terminal.type(`cd project; export KUBECONFIG=/k ${variables}; clear`);
  });
  afterEach(() => terminal.close());

  const question = "~/project is new to Continuo. Use its settings and your environment for the agent?";
  const joined = (screen: string): string => screen.replaceAll("\n", " ").replaceAll(/ +/gu, " ");
  const ask = async (command: string, done: string): Promise<string> => {
    // The question of the previous command must not be confused with one of this command.
    terminal.type("clear");
    await terminal.until((screen) => screen.trim() === "$");
    terminal.type(`clear; '${process.execPath}' '${MAIN}' ${command}; echo ${done}=$?`);
    return await terminal.until(
      (screen) => joined(screen).includes(question) || new RegExp(`^${done}=\\d`, "mu").test(screen),
    );
  };
  const answer = async (key: string, isDone: (screen: string) => boolean): Promise<string> => {
    // A key that comes too soon after the question does not answer it.
    await sleep(1000);
    terminal.write(key);
    return await terminal.until(isDone);
  };

  test("is requested once, in one sentence: yes gives the agent its settings and the environment", async () => {
    const asked = await ask("chat --permissions safe 'fix it'", "one");
    expect(joined(asked)).toContain(`${question} y yes · n no · o only this time`);
    expect(asked).not.toContain("MY_TOOL");
    await answer("y", (screen) => screen.includes("one="));
    expect(readFileSync(join(home.path, "inherited"), "utf8")).toMatch(/^KUBECONFIG=\/k$/mu);
    const again = await ask("chat --permissions safe 'fix it'", "two");
    expect(joined(again)).not.toMatch(/new to Continuo|starts without/u);
    expect((await run(home, ["trust", "--list"])).stdout).toMatch(
      /trusted .*project\ntrusted .*continuo\.yaml/u,
    );
  });

  test("is not requested again after a refusal, and the agent starts without settings and environment", async () => {
    await ask("chat --permissions safe 'fix it'", "one");
    await answer("n", (screen) => screen.includes("one="));
    expect(existsSync(join(home.path, "inherited"))).toBe(false);
    const again = await ask("chat --permissions safe 'fix it'", "two");
    expect(joined(again)).not.toContain("new to Continuo");
    expect(joined(again)).toContain("robot starts without 31 variables (KUBECONFIG, MY_TOOL_0, …)");
    expect((await run(home, ["trust", "--list"])).stdout).toMatch(/^refused .*project\n$/u);
    expect((await run(home, ["trust", "--remove", "project"])).stdout).toBe("no longer refused  ~/project\n");
  });

  test("is requested again the next time after a grant for only this time", async () => {
    await ask("chat --permissions safe 'fix it'", "one");
    await answer("o", (screen) => screen.includes("one="));
    expect(readFileSync(join(home.path, "inherited"), "utf8")).toMatch(/^KUBECONFIG=\/k$/mu);
    expect((await run(home, ["trust", "--list"])).stdout).toBe("Nothing is trusted.\n");
    await ask("repl", "two");
    await answer("o", (screen) => screen.includes("/help"));
    terminal.type("fix it");
    const asked = await terminal.until((screen) => screen.includes("allow Edit"));
    expect(asked).not.toContain("starts without");
  });
});

describe("a question in a terminal", () => {
  let terminal: Terminal | null = null;
  afterEach(() => {
    terminal?.close();
    terminal = null;
  });

  test.each([
    ["on a terminal that cannot redraw", "TERM=dumb", ""],
    ["with the answer in a file", "", "> answer"],
  ])("%s it is one line, and can be answered", async (_, env, redirection) => {
    terminal = openTerminal(home, 80, 40);
    const command = `'${process.execPath}' '${MAIN}' chat 'fix it' ${redirection}`;
    terminal.type(`cd project; clear; ${env} ${command}; echo code=$?`);
    const asked = await terminal.until((screen) => /^\? allow Edit src\/a\.ts\? \[y\]es/mu.test(screen));
    expect(asked).toContain("+ const b = 42;");
    await terminal.until((screen) => {
      const isDenied = screen.includes("✗ denied");
      // A key that comes too soon after the question does not answer it.
      if (!isDenied) terminal?.write("n");
      return isDenied && screen.includes("code=0");
    });
  });
});
