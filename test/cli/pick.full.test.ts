/** The picker in a real terminal. */

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CLAUDE_RECIPES } from "../lost/claude-recipes.ts";
import { makeLostHome, snapshotOf } from "../lost/recipe.ts";
import {
  CLAUDE_ID,
  CODEX_ID,
  CONVERSATION,
  claudeFile,
  claudeText,
  createHome,
  HOSTILE_ID,
  type Home,
  MAIN,
  run,
  writeSessions,
} from "./home.ts";
import { openTerminal, type Terminal } from "./tmux.ts";

let home: Home;
let terminal: Terminal;

/** Starts the command in place of `continuo`, and returns the picker when it is drawn. */
async function open(columns: number, rows: number, command = "pick"): Promise<string> {
  terminal = openTerminal(home, columns, rows);
  terminal.type(`echo before; ${typed(command)}; code=$?; stty -a; echo code=$code`);
  return await terminal.until((screen) => / [\d,]+ of [\d,]+$/mu.test(screen));
}

function typed(command: string): string {
  return `'${process.execPath}' '${MAIN}' ${command}`;
}

/** Checks that the terminal is ready for a shell: the earlier content is back, and typed letters are echoed. */
async function expectRestored(code: number): Promise<void> {
  const seen = await terminal.until((screen) => screen.includes(`code=${code}`));
  expect(seen).toContain("before\n");
  expect(seen).not.toContain(" of 3");
  expectLetters(seen);
}

/** The terminal is in the state in which the picker left it, because bash had no time to set anything. */
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

  test.each([
    [50, 20],
    [80, 24],
    [120, 40],
  ])(
    "`continuo` at %dx%d shows the list with projects, a preview and the keys, and escapes visibly",
    async (columns, rows) => {
      await open(columns, rows, "");
      await terminal.until((screen) => screen.includes("● codex"));
      terminal.send("Down");
      terminal.send("Down");
      const seen = await terminal.until(
        (screen) => screen.includes("␛[2J日本語") && screen.includes("● claude"),
      );
      await expect(
        seen.replaceAll(/ \d+[wy] /gu, " AGE ").replaceAll(/ \d+[wy]$/gmu, " AGE"),
      ).toMatchFileSnapshot(`cases/pick-${columns}.txt`);
      terminal.send("q");
      await expectRestored(0);
    },
  );

  test("`continuo` is coloured; with NO_COLOR only the chosen row is marked, by reversing it", async () => {
    await open(80, 24, "");
    await terminal.until((screen) => screen.includes("● codex"));
    expect(terminal.screen("colours")).toContain("\u001b[36mclaude");
    terminal.send("C-c");
    await expectRestored(130);
    terminal.type(`clear; NO_COLOR=1 ${typed("")}`);
    await terminal.until((screen) => screen.includes("3 of 3") && screen.includes("● codex"));
    const [, ...coded] = terminal.screen("colours").split("\u001b[");
    const codes = coded.map((text) => /^[\d;]*m/u.exec(text)?.[0] ?? text);
    // tmux also prints ends of colours that never began.
    expect(codes.filter((code) => !["0m", "39m", "49m"].includes(code))).toEqual(["7m"]);
  });

  test("typing filters; Enter shows the session, and its end leads back to the list", async () => {
    await open(80, 24);
    terminal.write("bulid fix");
    await terminal.until((screen) => screen.startsWith("> bulid fix") && screen.includes("1 of 3"));
    terminal.send("Enter");
    // The conversation is longer than the screen, so the pager shows it.
    await terminal.until(
      (screen) => screen.includes("❯ you · 2025-01-05 10:01") && screen.includes("All well."),
    );
    terminal.send("g");
    await terminal.until((screen) => screen.includes(`claude:${CLAUDE_ID}`));
    terminal.send("q");
    await terminal.until((screen) => screen.startsWith("> bulid fix"));
    terminal.send("C-u");
    terminal.write("codex");
    await terminal.until((screen) => screen.startsWith("> codex") && screen.includes("1 of 3"));
    terminal.send("Enter");
    await terminal.until((screen) => screen.includes("Press any key to go back to the list."));
    terminal.write("x");
    await terminal.until((screen) => screen.startsWith("> codex"));
    terminal.send("C-c");
    await expectRestored(130);
  });

  test("fork, rename, deletion of two, undo and stats each have a key, and the list is updated", async () => {
    await open(80, 24);
    terminal.send("Tab");
    terminal.write("fy");
    await terminal.until((screen) => screen.includes("4 of 4") && screen.includes("r resumes it"));
    terminal.write("n");
    await terminal.until((screen) => screen.includes("title: Hello Codex"));
    terminal.send("C-u");
    terminal.write("Tea");
    terminal.send("Enter");
    await terminal.until((screen) => / codex {4}Tea /u.test(screen) && screen.includes("renamed to Tea"));
    terminal.send("Home");
    terminal.write("  d");
    await terminal.until((screen) => screen.includes("move 2 sessions to the trash?"));
    terminal.write("n");
    await terminal.until((screen) => screen.includes("2 selected · 4 of 4"));
    terminal.write("dy");
    await terminal.until((screen) => screen.includes("2 of 2") && screen.includes("u takes it back"));
    terminal.write("u");
    await terminal.until((screen) => screen.includes("4 of 4") && screen.includes("restored 2 sessions"));
    terminal.write("s");
    await terminal.until((screen) => screen.includes("tool calls"));
    terminal.write("q");
    await expectRestored(0);
  });

  test("a hidden session has a mark and a reason, and b restores it after a plan; u hides it again", async () => {
    const lost = makeLostHome(home.path);
    CLAUDE_RECIPES.find(({ cause }) => cause === "other_folder")?.write(lost);
    const before = snapshotOf(lost);
    await open(80, 24);
    const marked = await terminal.until((screen) => /^!claude/mu.test(screen));
    expect(marked).toContain("! Claude Code does not list it: ");
    expect(marked).toContain("b brings it back: ");
    terminal.send("Tab");
    terminal.write("b");
    const planned = await terminal.until((screen) => screen.includes("bring this session back?"));
    expect(planned).toContain("move the file to ~/.claude/projects/");
    terminal.send("Escape");
    await terminal.until((screen) => /^!claude/mu.test(screen));
    expect(snapshotOf(lost)).toEqual(before);
    terminal.write("b");
    await terminal.until((screen) => screen.includes("bring this session back?"));
    terminal.write("y");
    await terminal.until((screen) => screen.includes("u takes it back") && !/^!/mu.test(screen));
    terminal.write("u");
    await terminal.until((screen) => screen.includes("restored 1 session") && /^!claude/mu.test(screen));
    expect(snapshotOf(lost)).toEqual(before);
    terminal.write("q");
    await expectRestored(0);
  });

  test("a hand-over makes a session of the other agent, and selects it", async () => {
    home.write(
      claudeFile(CLAUDE_ID),
      claudeText(CLAUDE_ID, CONVERSATION).replaceAll("/home/ann/app", home.path),
    );
    await open(80, 24);
    terminal.write("build");
    await terminal.until((screen) => screen.includes("1 of 3"));
    terminal.send("Tab");
    terminal.write("hp");
    await terminal.until((screen) => screen.includes("handed over: pi:") || screen.includes("not installed"));
    terminal.write("q");
    await expectRestored(0);
  });

  test("a session whose folder is missing is not resumed, and can be handed over into the person's folder", async () => {
    await open(80, 24);
    terminal.write("build");
    await terminal.until((screen) => screen.includes("1 of 3"));
    terminal.send("Tab");
    terminal.write("r");
    await terminal.until((screen) => screen.includes("cannot resume: its folder is gone; press h"));
    terminal.write("hp");
    await terminal.until((screen) => /in this folder, as the old one\s+is gone/u.test(screen));
    terminal.write("q");
    await expectRestored(0);
    const { stdout } = await run(home, ["list", "pi", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject([{ agent: "pi", cwd: home.path }]);
  });

  test("--print prints the choice for a script, and its exit code tells whether there was a choice", async () => {
    const command = `chosen=$(${typed("--print")}); echo "<$chosen> code=$?"`;
    terminal = openTerminal(home, 80, 24);
    terminal.type(command);
    await terminal.until((screen) => screen.startsWith("print > ") && screen.includes("3 of 3"));
    terminal.send("Tab");
    terminal.write("  ");
    terminal.send("Enter");
    const seen = await terminal.until((screen) => screen.includes("code=0"));
    expect(seen).toContain(`<codex:${CODEX_ID}\nclaude:${CLAUDE_ID}> code=0`);
    terminal.type(`clear; ${command}`);
    await terminal.until((screen) => screen.startsWith("print > "));
    terminal.send("Escape");
    expect(await terminal.until((screen) => screen.includes("code=1"))).toContain("<> code=1");
  });

  test("a command without an id, or with an ambiguous one, opens the picker", async () => {
    await open(80, 24, "show");
    const seen = await terminal.until((screen) => screen.startsWith("show > "));
    expect(seen).toContain("3 of 3");
    terminal.write("codex");
    await terminal.until((screen) => screen.includes("1 of 3"));
    terminal.send("Enter");
    await terminal.until((screen) => screen.includes("code=0") && screen.includes("● codex"));
    terminal.type(`clear; ${typed("info 4bf3")}; echo again=$?`);
    const two = await terminal.until((screen) => screen.startsWith("which > ") && screen.includes("2 of 2"));
    expect(two).toContain("Fix the build");
    expect(two).not.toContain("Hello Codex");
    terminal.write("build");
    await terminal.until((screen) => screen.includes("1 of 2"));
    terminal.send("Enter");
    await terminal.until((screen) => screen.includes("again=0") && screen.includes(CLAUDE_ID));
    terminal.type(`clear; ${typed("delete")}; echo third=$?`);
    await terminal.until((screen) => screen.startsWith("delete > "));
    terminal.send("Escape");
    await terminal.until(
      (screen) => screen.includes("no session was chosen") && screen.includes("third=130"),
    );
  });

  test("chat and repl with --resume without an id open the picker, after they asked for the prompt", async () => {
    await open(80, 24, "repl --resume");
    await terminal.until((screen) => screen.startsWith("continue > "));
    terminal.send("Escape");
    await terminal.until((screen) => screen.includes("no session was chosen") && screen.includes("code=130"));
    terminal.type(`clear; ${typed("chat hello --fork")}; echo again=$?`);
    await terminal.until((screen) => screen.startsWith("fork > ") && screen.includes("3 of 3"));
    terminal.send("Escape");
    await terminal.until((screen) => screen.includes("again=130"));
    terminal.type(`clear; ${typed("chat --resume")}; echo third=$?`);
    await terminal.until((screen) => screen.includes("third=2"));
  });

  test("Continuo's own sessions are listed together with native ones, with one row for a conversation that is both, and can be previewed, shown and continued", async () => {
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
    const native = readFileSync(join(home.path, claudeFile(HOSTILE_ID)), "utf8");
    home.write(claudeFile(HOSTILE_ID), native.replaceAll("/home/ann/app", home.path));
    const rows = (await open(100, 24)).split("\n");
    expect(rows[0]).toMatch(/ 3 of 3$/u);
    expect(rows[1]).toMatch(/^ continuo Both of us .* now │/u);
    await terminal.until((screen) => screen.includes("│   What I ␛[2J said"));
    // A filter with the name of an agent finds the sessions in which the agent takes part.
    terminal.write("claude both");
    await terminal.until((screen) => screen.includes("1 of 3"));
    terminal.send("Enter");
    await terminal.until(
      (screen) => screen.includes("back to the list") && screen.includes("What I ␛[2J said"),
    );
    terminal.write("x");
    await terminal.until((screen) => screen.includes("1 of 3"));
    terminal.send("C-c");
    await terminal.until((screen) => screen.includes("code=130"));

    const again = `clear; '${process.execPath}' '${MAIN}' pick; echo again=$?`;
    terminal.type(again);
    await terminal.until((screen) => screen.includes(" 3 of 3"));
    terminal.send("Tab");
    terminal.write("r");
    await terminal.until((screen) => screen.includes("robot · Both of us ·") && screen.includes("❯"));
    terminal.send("C-d");
    await terminal.until((screen) => screen.includes("again=0"));
    terminal.type(again.replace("clear; ", "clear; PATH=/nowhere "));
    await terminal.until((screen) => screen.includes(" 3 of 3"));
    terminal.send("End");
    terminal.write("r");
    // For a native session, the picker starts `continuo resume`.
    await terminal.until((screen) => screen.includes("claude is not installed"));
  });

  test("a term that begins with / searches the messages while it is typed, and Enter shows the turn", async () => {
    await open(120, 24);
    terminal.write("/wel");
    const found = await terminal.until((screen) => screen.includes("1 of 3") && screen.includes("turn 2"));
    expect(found.split("\n")[1]).toMatch(/^ claude {3}Fix the build /u);
    expect(found).toContain("All well.");
    terminal.write("lington");
    await terminal.until((screen) => screen.includes("no turn contains all these words"));
    // An incomplete filter is not an error.
    terminal.send("C-u");
    terminal.write("/role:");
    await terminal.until((screen) => screen.startsWith("> /role:"));
    terminal.write("user try");
    await terminal.until((screen) => screen.includes("1 of 3") && screen.includes("turn 2"));
    terminal.send("Enter");
    const shown = await terminal.until((screen) => screen.includes("Press any key"));
    expect(shown).toContain("All well.");
    expect(shown).not.toContain("I look.");
    terminal.write("x");
    await terminal.until((screen) => screen.includes("1 of 3"));
  });

  test("e exports and y copies", async () => {
    await open(100, 24);
    terminal.send("Tab");
    terminal.write("e");
    await terminal.until((screen) => screen.includes("export this session as: m Markdown"));
    terminal.write("j");
    await terminal.until((screen) => screen.includes(`exported to codex-${CODEX_ID}.json`));
    const written = readFileSync(join(home.path, `codex-${CODEX_ID}.json`), "utf8");
    expect(JSON.parse(written)).toMatchObject({ agent: "codex", sessionId: CODEX_ID });
    terminal.write("ej");
    await terminal.until((screen) => screen.includes(`exported to codex-${CODEX_ID}-2.json`));
    expect(readdirSync(home.path).filter((name) => name.endsWith(".part"))).toEqual([]);
    terminal.write("y");
    await terminal.until((screen) => screen.includes(`copied ${CODEX_ID}, if the terminal allows it`));
    terminal.send("Escape");
    await terminal.until((screen) => screen.includes("Tab actions"));
    terminal.send("Escape");
    await expectRestored(0);
  });

  test("Ctrl-C and a signal from outside restore the terminal", async () => {
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

  test("it adapts to the size of the terminal, even to a very small one", async () => {
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
    // tmux keeps the part of the earlier screen that fitted one row of three columns, so the picker's rows sometimes
    // stay above it.
    expectLetters(await terminal.until((screen) => screen.includes("code=0")));
  });

  test("with 5,000 sessions, the result for the last typed text is shown", async () => {
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
    await terminal.until((screen) => screen.includes("1 of 5,003") && screen.includes("  talk 4321."));
    terminal.send("Escape");
    await terminal.until((screen) => screen.includes("5,003 of 5,003"));
    terminal.send("Escape");
    await terminal.until((screen) => screen.includes("code=0"));
  });
});

/** Returns `HOME` of a process, unless it has ended meanwhile. */
function homeOf(pid: number): string | undefined {
  let environment: readonly string[] = [];
  try {
    environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    // This process belongs to another test.
  }
  return environment.find((one) => one.startsWith("HOME="))?.slice("HOME=".length);
}
