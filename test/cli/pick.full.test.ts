/** The picker in a real terminal. */

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  CLAUDE_ID,
  CODEX_ID,
  claudeFile,
  claudeText,
  createHome,
  type Home,
  MAIN,
  writeSessions,
} from "./home.ts";
import { openTerminal, type Terminal } from "./tmux.ts";

let home: Home;
let terminal: Terminal;

async function open(columns: number, rows: number): Promise<string> {
  terminal = openTerminal(home, columns, rows);
  terminal.type(`echo before; '${process.execPath}' '${MAIN}' pick; code=$?; stty -a; echo code=$code`);
  return await terminal.until((screen) => / \d+ of \d+$/mu.test(screen));
}

/** The terminal as a shell wants it: what was there is there again, and typed letters are echoed. */
async function expectRestored(code: number): Promise<void> {
  const seen = await terminal.until((screen) => screen.includes(`code=${code}`));
  expect(seen).toContain("before\n");
  expect(seen).not.toContain(" of 3");
  expectLetters(seen);
}

/** The terminal is as the picker left it: bash had no time to set anything. */
function expectLetters(seen: string): void {
  expect(seen).toMatch(/[^-]isig [^-]?icanon .*[^-]echo /u);
}

describe("in a terminal", () => {
  beforeEach(() => {
    home = createHome();
    writeSessions(home);
  });
  afterEach(() => {
    terminal.close();
    home[Symbol.dispose]();
  });

  test("80x24: the list, the preview of the chosen one, escapes visible", async () => {
    await open(80, 24);
    const seen = await terminal.until((screen) => screen.includes("codex:01999999"));
    const rows = seen.split("\n");
    expect(rows[0]).toBe(`>${" ".repeat(73)}3 of 3`);
    expect(rows[1]).toBe(" codex    Hello Codex       2025-01-06 │ Hello Codex");
    expect(rows[2]).toMatch(/^ claude {3}Fix the build {5}2025-01-05 │/u);
    expect(rows[3]).toMatch(/^ claude {3}␛\]0;owned␇ ␛\S+… +2025-01-05 │/u);
    expect(rows[23]).toBe("type to filter · / search texts · ↑↓ choose · Enter show · Tab list · Esc leave");
    terminal.send("Down");
    terminal.send("Down");
    await terminal.until((screen) => screen.includes("│   ␛]0;owned␇ ␛[2J日本語"));
    terminal.send("q");
    await expectRestored(0);
  });

  test("typing filters; Enter shows", async () => {
    await open(80, 24);
    terminal.write("build fix");
    await terminal.until((screen) => screen.startsWith("> build fix") && screen.includes("1 of 3"));
    terminal.send("Enter");
    // A conversation longer than the screen: the pager has it.
    await terminal.until(
      (screen) => screen.includes("❯ you · 2025-01-05 10:01") && screen.includes("All well."),
    );
    terminal.send("g");
    await terminal.until((screen) => screen.includes(`claude:${CLAUDE_ID}`));
    terminal.send("q");
    await expectRestored(0);
  });

  test("Continuo's own sessions stand beside native ones: one row for both, previewed, shown and continued", async () => {
    const sessionId = "01999999-2222-7000-8000-000000000001";
    await using store = await openStore(`sqlite:${join(home.path, ".continuo/continuo.db")}`);
    const reference = { sessionId: CLAUDE_ID, model: null, location: null, cwd: home.path, baseSequence: 1 };
    await store.createSession({
      sessionId,
      title: "Both of us",
      cwd: home.path,
      agent: "robot",
      metadata: { providerSessions: { claude: { ...reference, verifiedAt: null, state: "live" } } },
    });
    const actor = { kind: "person" } as const;
    await store.append(sessionId, [
      { type: "message_sent", actor, data: { content: "What I \u001b[2J said" } },
    ]);
    home.write(".continuo/continuo.yaml", JSON.stringify({ agents: { robot: { command: "/bin/cat" } } }));
    const rows = (await open(100, 24)).split("\n");
    expect(rows[0]).toMatch(/ 3 of 3$/u);
    expect(rows[1]).toMatch(/^ continuo Both of us +now │/u);
    await terminal.until((screen) => screen.includes("│   What I ␛[2J said"));
    // The agent that takes part in it finds it too.
    terminal.write("claude both");
    await terminal.until((screen) => screen.includes("1 of 3"));
    terminal.send("Enter");
    await terminal.until((screen) => screen.includes("code=0") && screen.includes("What I ␛[2J said"));

    const again = `clear; '${process.execPath}' '${MAIN}' pick; echo again=$?`;
    terminal.type(again);
    await terminal.until((screen) => screen.includes(" 3 of 3"));
    terminal.send("Tab");
    terminal.write("r");
    await terminal.until((screen) => screen.includes("robot · Both of us ·") && screen.includes("❯"));
    terminal.send("C-d");
    await terminal.until((screen) => screen.includes("again=0"));
    terminal.type(again);
    await terminal.until((screen) => screen.includes(" 3 of 3"));
    terminal.send("End");
    terminal.write("r");
    // `continuo resume` of a native one.
    await terminal.until((screen) => screen.includes("the session's folder /home/ann/app no longer exists"));
  });

  test("a term that begins with / searches the messages while it is typed, and Enter shows the turn", async () => {
    await open(120, 24);
    terminal.write("/wel");
    const found = await terminal.until((screen) => screen.includes("1 of 3") && screen.includes("turn 2"));
    expect(found.split("\n")[1]).toMatch(/^ claude {3}Fix the build /u);
    expect(found).toContain("All well.");
    terminal.write("lington");
    await terminal.until((screen) => screen.includes("no turn contains all these words"));
    // Half a filter is no failure.
    terminal.send("C-u");
    terminal.write("/role:");
    await terminal.until((screen) => screen.startsWith("> /role:"));
    terminal.write("user try");
    await terminal.until((screen) => screen.includes("1 of 3") && screen.includes("turn 2"));
    terminal.send("Enter");
    const shown = await terminal.until((screen) => screen.includes("code=0"));
    expect(shown).toContain("All well.");
    expect(shown).not.toContain("I look.");
  });

  test("e exports and c copies", async () => {
    await open(100, 24);
    terminal.send("Tab");
    terminal.write("e");
    await terminal.until((screen) => screen.includes("export as: m Markdown"));
    terminal.write("j");
    await terminal.until((screen) => screen.includes(`exported to codex-${CODEX_ID}.json`));
    const written = readFileSync(join(home.path, `codex-${CODEX_ID}.json`), "utf8");
    expect(JSON.parse(written)).toMatchObject({ agent: "codex", sessionId: CODEX_ID });
    terminal.write("ej");
    await terminal.until((screen) => screen.includes(`exported to codex-${CODEX_ID}-2.json`));
    expect(readdirSync(home.path).filter((name) => name.endsWith(".part"))).toEqual([]);
    terminal.write("c");
    await terminal.until((screen) => screen.includes(`copied ${CODEX_ID}, if the terminal allows it`));
    terminal.send("Escape");
    await expectRestored(0);
  });

  test("Ctrl-C, and a signal from outside, give the terminal back", async () => {
    await open(80, 24);
    terminal.send("C-c");
    await expectRestored(130);
    terminal.close();
    await open(80, 24);
    const { stdout } = spawnSync("pgrep", ["-f", `${MAIN} pick`], { encoding: "utf8" });
    const own = stdout
      .trim()
      .split("\n")
      .map(Number)
      .filter((pid) => homeOf(pid) === home.path);
    expect(own.length).toBeGreaterThan(0);
    for (const pid of own) process.kill(pid, "SIGTERM");
    await expectRestored(143);
  });

  test("it follows the size of the terminal, down to nearly nothing", async () => {
    await open(80, 24);
    for (const [columns, rows] of [
      [50, 10],
      [20, 5],
      [8, 2],
      [3, 1],
    ] as const) {
      terminal.resize(columns, rows);
      await terminal.until((screen) => screen.startsWith(">") && screen.trimEnd().split("\n").length <= rows);
    }
    terminal.resize(120, 30);
    await terminal.until((screen) => screen.includes("3 of 3") && screen.includes("│"));
    terminal.send("Escape");
    // tmux keeps the part of the earlier screen that fitted one row of three columns: now and then the picker's
    // rows stay behind it.
    expectLetters(await terminal.until((screen) => screen.includes("code=0")));
  });

  test("5,000 sessions: the last of what was typed is what is shown", async () => {
    for (let at = 0; at < 5000; at++) {
      const id = `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;
      const line = {
        uuid: "u",
        parent: null,
        role: "user" as const,
        content: `talk ${at}.`,
        time: "10:00:00",
      };
      home.write(claudeFile(id), claudeText(id, [line]));
    }
    await open(80, 24);
    terminal.write("talk 4321.");
    await terminal.until((screen) => screen.includes("1 of 5003") && screen.includes("│   talk 4321."));
    terminal.send("Escape");
    await terminal.until((screen) => screen.includes("5003 of 5003"));
    terminal.send("Escape");
    await terminal.until((screen) => screen.includes("code=0"));
  });
});

/** `HOME` of a process, unless it has ended meanwhile. */
function homeOf(pid: number): string | undefined {
  let environment: readonly string[] = [];
  try {
    environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    // Another test's.
  }
  return environment.find((one) => one.startsWith("HOME="))?.slice("HOME=".length);
}
