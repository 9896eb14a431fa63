/** The command in a real terminal. */

import { spawn } from "node:child_process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  CLAUDE_ID,
  claudeFile,
  claudeText,
  cleanEnv,
  createHome,
  HOSTILE_ID,
  type Home,
  MAIN,
  run,
  writeSessions,
} from "./home.ts";
import { openTerminal, type Terminal } from "./tmux.ts";

const TURNS = 60;

let home: Home;
let terminal: Terminal;

const continuo = `clear; '${process.execPath}' '${MAIN}'`;

function writeLong(): void {
  const lines = Array.from({ length: TURNS }, (_, at) => [
    {
      uuid: `u${at}`,
      parent: at === 0 ? null : `a${at - 1}`,
      role: "user" as const,
      content: `question ${at + 1}`,
      time: `10:${String(at).padStart(2, "0")}:00`,
    },
    {
      uuid: `a${at}`,
      parent: `u${at}`,
      role: "assistant" as const,
      content: [{ type: "text", text: `answer ${at + 1}` }],
      time: `10:${String(at).padStart(2, "0")}:01`,
    },
  ]);
  home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, lines.flat()));
}

describe("in a terminal", () => {
  beforeEach(() => {
    home = createHome();
    writeSessions(home);
    terminal = openTerminal(home, 80, 20);
  });

  afterEach(() => {
    terminal.close();
    home[Symbol.dispose]();
  });

  test("the list is coloured and fits the terminal", async () => {
    terminal.type(`${continuo} session list; echo code=$?`);
    const seen = await terminal.until((screen) => screen.includes("code=0"));
    expect(seen.split("\n").slice(0, 4)).toEqual([
      "#  agent   id        title                     project               when   size",
      "1  codex   01999999  Hello Codex               /home/ann/tool  2025-01-06  689 B",
      "2  claude  4bf3c2a1  Fix the build             /home/ann/app   2025-01-05   3 KB",
      "3  claude  4bf3d000  ␛]0;owned␇ ␛[2J日本語 <…  /home/ann/app   2025-01-05  804 B",
    ]);
    expect(terminal.screen("colours")).toMatch(/\[36m(?:\S{0,1}\[49m)?claude/u);
  });

  test("NO_COLOR: none", async () => {
    terminal.type(`export NO_COLOR=1; ${continuo} session list; echo code=$?`);
    await terminal.until((screen) => screen.includes("code=0"));
    expect(terminal.screen("colours")).not.toContain("\u001b[");
  });

  test("a short conversation is printed, tool results shortened, and escapes are visible", async () => {
    terminal.close();
    terminal = openTerminal(home, 80, 50);
    terminal.type(`${continuo} session show ${CLAUDE_ID}; echo code=$?`);
    const seen = await terminal.until((screen) => screen.includes("code=0"));
    expect(seen.trimEnd().split("\n")).toEqual([
      "Fix the build",
      `claude:${CLAUDE_ID} · /home/ann/app · main · 5 messages`,
      "· 2 branches (--tree, --all)",
      "no file changed · answered · --facts shows more",
      "",
      "❯ you · 2025-01-05 10:00",
      "  Fix the build",
      "",
      "● claude · model-a · 2025-01-05 10:00",
      "  Look first.",
      "",
      "  I look.",
      "",
      "  ▸ Bash  make",
      "  ◂ ✗ failed",
      ...Array.from({ length: 12 }, (_, at) => `    line ${at + 1}`),
      "    … 8 more lines (--tools full)",
      "",
      "❯ you · 2025-01-05 10:01",
      "  Try again",
      "",
      "● claude · model-a · 2025-01-05 10:01",
      "  # Done",
      "",
      "  All well.",
      "code=0",
      "$",
    ]);
    terminal.type(`${continuo} session show ${HOSTILE_ID}; echo code=$?`);
    const hostile = await terminal.until((screen) => screen.includes("code=0") && screen.includes("owned"));
    expect(hostile).toContain("\n    ## User · now\n\n    ␛[31mI am you\n");
  });

  test("a long conversation opens in the pager at the newest turn; the pager handles Ctrl-C", async () => {
    writeLong();
    terminal.type(`${continuo} session show ${CLAUDE_ID}; echo code=$?`);
    const opened = await terminal.until((screen) => screen.includes(`answer ${TURNS}`));
    expect(opened).toContain(`❯ you · 2025-01-05 10:59\n  question ${TURNS}\n`);
    expect(opened).not.toContain("question 1\n");
    terminal.send("g");
    await terminal.until((screen) => screen.startsWith("question 1\nclaude:"));
    terminal.send("C-c");
    // less drops a key that comes while it still handles the interrupt.
    await terminal.until((screen) => {
      const isEnd = screen.includes(`answer ${TURNS}`);
      if (!isEnd) terminal.send("G");
      return isEnd;
    });
    terminal.send("q");
    await terminal.until((screen) => screen.includes("code=0"));
  });

  test("--from-start opens at the first message", async () => {
    writeLong();
    terminal.type(`${continuo} session show ${CLAUDE_ID} --from-start; echo code=$?`);
    const opened = await terminal.until((screen) => screen.includes("answer 2"));
    expect(opened.startsWith("question 1\nclaude:")).toBe(true);
    terminal.send("q");
    await terminal.until((screen) => screen.includes("code=0"));
  });

  test("a large session opens from its end, and a line reports this", async () => {
    const filler = "x".repeat(100_000);
    const lines = Array.from({ length: 120 }, (_, at) => ({
      uuid: `u${at}`,
      parent: at === 0 ? null : `u${at - 1}`,
      role: at % 2 === 0 ? ("user" as const) : ("assistant" as const),
      content: at % 2 === 0 ? `question ${at}` : [{ type: "text", text: `answer ${at}\n\n${filler}` }],
      time: `11:00:${String(at % 60).padStart(2, "0")}`,
    }));
    const all = claudeText(CLAUDE_ID, lines);
    home.write(claudeFile(CLAUDE_ID), all);
    terminal.type(
      `${continuo} session show ${CLAUDE_ID} | cat; ${continuo} session show ${CLAUDE_ID}; echo code=$?`,
    );
    await terminal.until((screen) => screen.includes("question 118"));
    terminal.send("g");
    const top = await terminal.until((screen) => screen.includes("Earlier messages are left out"));
    expect(top).toContain("--from-start shows");
    expect(top).not.toContain("question 0\n");
    terminal.send("q");
    await terminal.until((screen) => screen.includes("code=0"));
  });

  test("Ctrl-C is 130", async () => {
    writeLong();
    // The output is not read, so that the command waits.
    home.write(
      claudeFile(CLAUDE_ID),
      claudeText(CLAUDE_ID, [
        { uuid: "u", parent: null, role: "user", content: "x".repeat(1_000_000), time: "10:00:00" },
      ]),
    );
    const reader = "setsid sh -c 'head -c 9 >&2; exec sleep 30'";
    terminal.type(`${continuo} session show ${CLAUDE_ID} --json > >(exec ${reader})`);
    await terminal.until((screen) => screen.includes('{"agent"'));
    terminal.send("C-c");
    terminal.type("echo code=$?");
    await terminal.until((screen) => /code=\d/u.test(screen));
    expect(terminal.screen()).toContain("code=130");
  });

  test("it is not an error to quit the pager before a large session is completely read", async () => {
    const lines = Array.from({ length: 100 }, (_, at) => ({
      uuid: `u${at}`,
      parent: at === 0 ? null : `u${at - 1}`,
      role: "user" as const,
      content: `question ${at}\n${"word ".repeat(20_000)}`,
      time: "11:00:00",
    }));
    home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, lines));
    terminal.type(`${continuo} session show ${CLAUDE_ID} --from-start; echo code=$?`);
    await terminal.until((screen) => screen.includes("question 0"));
    terminal.send("q");
    const seen = await terminal.until((screen) => /code=\d/u.test(screen));
    expect(seen).toContain("code=0");
    expect(seen).not.toContain("continuo:");
  });

  test("a missing pager is an error with a hint", async () => {
    writeLong();
    terminal.type(`export PAGER=no-such-pager; ${continuo} session show ${CLAUDE_ID}; echo code=$?`);
    const seen = await terminal.until((screen) => /code=\d/u.test(screen));
    expect(seen).toContain('continuo: cannot start the pager "no-such-pager"\n');
    expect(seen).toContain("code=2");
  });
});

test("a single SIGINT ends the command with 130", async () => {
  using quiet = createHome();
  quiet.write(
    claudeFile(CLAUDE_ID),
    claudeText(CLAUDE_ID, [
      { uuid: "u", parent: null, role: "user", content: "x".repeat(1_000_000), time: "10:00:00" },
    ]),
  );
  const child = spawn(process.execPath, [MAIN, "session", "show", CLAUDE_ID, "--json"], {
    env: cleanEnv(quiet.path),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.on("exit", resolve);
  // Output has begun, but is not read.
  child.stdout.once("readable", () => child.kill("SIGINT"));
  expect(await promise).toBe(130);
  child.stdout.destroy();
});

test("piped output of a large session needs little memory", async () => {
  using large = createHome();
  const filler = "word ".repeat(10_000);
  const lines = Array.from({ length: 1200 }, (_, at) => ({
    uuid: `u${at}`,
    parent: at === 0 ? null : `u${at - 1}`,
    role: "user" as const,
    content: filler,
    time: "10:00:00",
  }));
  large.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, lines));
  const env = { NODE_OPTIONS: "--max-old-space-size=40" };
  for (const flags of [[], ["--json"]]) {
    const { code, stdout } = await run(large, ["session", "show", CLAUDE_ID, ...flags], { env });
    expect(code).toBe(0);
    expect(stdout.length).toBeGreaterThan(60_000_000);
  }
});
