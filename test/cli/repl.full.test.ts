/** `continuo repl` in a terminal, with a scripted agent; screens are compared with `cases/`. */

import { chmodSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hello1 } from "../acp/script.ts";
import { MAIN } from "./home.ts";
import { createTalkHome, steady, type TalkHome } from "./talk.ts";
import { openTerminal, type Terminal } from "./tmux.ts";

let home: TalkHome;
beforeEach(() => {
  home = createTalkHome();
});

/** True if the screen ends with an empty prompt. */
function isReady(screen: string): boolean {
  return /^❯ *$/u.test(screen.trimEnd().split("\n").at(-1) ?? "");
}

/** Does the same as `steady`, and removes the seconds of a turn that runs. */
function steadyClock(screen: string): string {
  return steady(home, screen).replace(/◌ \d+ s/u, "◌ TIME");
}

describe("in a terminal", () => {
  let terminal: Terminal | null = null;

  async function open(columns: number, env = "", ...flags: readonly string[]): Promise<Terminal> {
    const opened = openTerminal(home, columns, 40);
    terminal = opened;
    opened.type(
      `cd project; clear; ${env} '${process.execPath}' '${MAIN}' repl ${flags.join(" ")}; echo code=$?`,
    );
    await opened.until(isReady);
    return opened;
  }
  afterEach(() => {
    terminal?.close();
    terminal = null;
  });

  test.each([80, 120])("a turn with a question, %i columns wide", async (columns) => {
    const on = await open(columns);
    on.type("fix it");
    // On a slow machine, the change to which the question refers may be drawn after the question.
    const asked = await on.until(
      (screen) => /^\? allow/mu.test(screen) && screen.includes("    + const b = 42;"),
    );
    await expect(`${steady(home, asked)}\n`).toMatchFileSnapshot(`cases/repl-question-${columns}.txt`);
    on.write("y");
    const done = await on.until((screen) => screen.includes("Done.") && isReady(screen));
    await expect(`${steady(home, done)}\n`).toMatchFileSnapshot(`cases/repl-turn-${columns}.txt`);
  });

  test("on a narrow terminal a question takes several lines, and is drawn once however long it waits", async () => {
    const on = await open(24);
    on.type("fix it");
    // The clock of the question has been redrawn many times before.
    const asked = await on.until((screen) => /denied\s+in\s+9:5[0-7]/u.test(screen));
    expect(asked.split("? allow").length).toBe(2);
    on.write("y");
    const done = await on.until((screen) => screen.includes("Done.") && isReady(screen));
    expect(done).not.toContain("? allow");
    expect(done).toContain("✓ allowed");
  });

  test("only the sixteen standard colours are used, and none with NO_COLOR", async () => {
    const on = await open(80);
    on.type("fix it");
    await on.until((screen) => /^\? allow/mu.test(screen));
    on.write("n");
    await on.until((screen) => screen.includes("Done.") && isReady(screen));
    const codes = new Set(coloursIn(on.screen("colours")));
    expect(
      [...codes].filter((code) => !/^(?:[0-9]|[2349][0-9])?(?:;(?:[0-9]|[2349][0-9]))*$/u.test(code ?? "")),
    ).toEqual([]);
    expect(on.screen("colours")).toContain("\u001b[32m");
    on.close();
    const plain = await open(80, "NO_COLOR=1");
    plain.type("fix it");
    await plain.until((screen) => /^\? allow/mu.test(screen));
    plain.write("n");
    await plain.until((screen) => screen.includes("Done.") && isReady(screen));
    expect(coloursIn(plain.screen("colours"))).toEqual([]);
  });

  test("an unanswered question is denied, and the denial is shown", async () => {
    const agents = JSON.parse(readFileSync(join(home.path, ".continuo/continuo.yaml"), "utf8"));
    agents.agents.robot.permissions = { policy: "ask", timeout_ms: 1_200 };
    home.write(".continuo/continuo.yaml", JSON.stringify(agents));
    const on = await open(80);
    on.type("fix it");
    const done = await on.until((screen) => screen.includes("Done.") && isReady(screen));
    expect(done).toContain("✗ denied · time limit: no answer within 1200 ms");
    expect(done).toContain('"optionId":"no"');
  });

  test("Ctrl-C cancels the turn and offers the text that was typed during it; a second one exits", async () => {
    // Without this flag, the agent would also receive the earlier conversation.
    const on = await open(80, "", "--continuation none");
    on.type("slow");
    await on.until((screen) => screen.includes("I begin."));
    on.type("typed ahead");
    on.send("C-c");
    const kept = await on.until(
      (screen) => screen.includes("· cancelled · ") && screen.trimEnd().endsWith("\n❯ typed ahead"),
    );
    expect(kept).toContain("· 1 line that you typed: Enter sends, Ctrl-C drops");
    on.send("C-c");
    await on.until(isReady);
    on.type("slow");
    await on.until((screen) => screen.split("I begin.").length === 3);
    on.type("/cancel");
    await on.until((screen) => screen.split("· cancelled · ").length === 3 && isReady(screen));
    on.type("slow");
    await on.until((screen) => screen.split("I begin.").length === 4);
    on.send("C-c");
    on.send("C-c");
    await on.until((screen) => screen.includes("code=130"));
    // The terminal is restored, so that typed text is shown.
    on.type("echo as''-it-was");
    await on.until((screen) => screen.includes("\nas-it-was"));
  });

  test.each([40, 100])(
    "text that is typed while the agent works is shown, and waiting lines can be edited, %i columns wide",
    async (columns) => {
      const on = await open(columns, "", "--continuation none");
      on.type("slow");
      await on.until((screen) => screen.includes("I begin."));
      on.type("first of them");
      on.type(`second ${"of them ".repeat(12).trim()}`);
      on.write("thi");
      const typed = await on.until(
        (screen) => screen.includes("▸ Wait") && screen.trimEnd().endsWith("\n› thi"),
      );
      await expect(`${steadyClock(typed)}\n`).toMatchFileSnapshot(`cases/repl-typed-${columns}.txt`);
      on.send("C-u", "Up");
      await on.until((screen) => screen.includes("of them of them") && !screen.includes("↳ second"));
      on.send("C-u", "Up");
      await on.until((screen) => screen.trimEnd().endsWith("\n› first of them"));
      on.send("C-u");
      on.type("fix it");
      await on.until((screen) => screen.includes("  ↳ fix it"));
      on.type("/cancel");
      // The line is offered and not sent. Enter begins its turn, and the question of the turn hides the input line.
      await on.until(
        (screen) => screen.includes("· cancelled · ") && screen.trimEnd().endsWith("\n❯ fix it"),
      );
      on.send("Enter");
      const asked = await on.until((screen) => /^\? allow/mu.test(screen));
      expect(asked.split("\n").filter((line) => line.startsWith("›"))).toEqual([]);
      on.write("y");
      await on.until((screen) => screen.includes("Done.") && isReady(screen));
      expect(home.prompts()).toEqual(["slow", "fix it"]);
    },
  );

  test("Ctrl-C leaves while a command waits for an agent that does not answer", async () => {
    home[Symbol.dispose]();
    const silent = [{ silence: true }] as const;
    const hello = hello1({ list: {}, resume: {} }, { loadSession: true });
    const answers = { "session/list": silent, "session/load": silent, "session/resume": silent };
    home = createTalkHome({ hello, answers });
    for (const command of ["/sessions", "/resume abc", "/fork abc"]) {
      const asked = home.methods().filter((method) => method === "session/list").length;
      const on = await open(80);
      on.type(command);
      await on.until(() => home.methods().filter((method) => method === "session/list").length > asked);
      on.send("C-c");
      await on.until((screen) => screen.includes("code=130"));
      on.close();
    }
    terminal = null;
  });

  test("lines that are typed during an answer are sent one after another", async () => {
    const on = await open(80);
    on.write("one\rtwo\rthree\r");
    await on.until((screen) => screen.includes("You said: three") && isReady(screen));
    expect(home.prompts()).toEqual(["one", "two", "three"]);
    on.send("C-d");
    await on.until((screen) => screen.includes("code=0"));
  });

  test("several pasted lines are one input, and the next start has the history of inputs", async () => {
    const on = await open(80);
    on.write("\u001b[200~first\rsecond\u001b[201~ please");
    await on.until((screen) => screen.includes("[paste 1: 2 lines] please"));
    on.send("Enter");
    await on.until((screen) => screen.includes("You said: first") && isReady(screen));
    on.type("one \\");
    on.type("two");
    await on.until((screen) => screen.includes("You said: one") && isReady(screen));
    expect(home.prompts()).toEqual(["first\nsecond please", "one \ntwo"]);
    on.type("/quit");
    await on.until((screen) => screen.includes("code=0"));
    on.close();
    expect(statSync(join(home.path, ".continuo/history")).mode & 0o777).toBe(0o600);
    const again = await open(80);
    again.send("Up", "Up", "Up");
    await again.until((screen) => /❯ \[paste \d: 2 lines\]/u.test(screen));
    again.send("Enter");
    await again.until((screen) => screen.includes("You said: first") && isReady(screen));
  });

  test("Ctrl-Z restores the terminal, and fg restores the prompt with the typed text", async () => {
    const on = await open(80);
    on.write("begun");
    await on.until((screen) => screen.includes("❯ begun"));
    on.send("C-z");
    await on.until((screen) => screen.includes("Stopped"));
    on.type("echo as''-it-was");
    await on.until((screen) => screen.includes("\nas-it-was"));
    on.type("clear; fg");
    await on.until((screen) => /❯ begun$/mu.test(screen));
    on.write(" and \u001b[200~first\rsecond\u001b[201~");
    await on.until((screen) => screen.includes("❯ begun and [paste 1: 2 lines]"));
    on.send("C-c");
    await on.until(isReady);
    on.type("hello");
    await on.until((screen) => screen.includes("You said: hello") && isReady(screen));
    expect(home.prompts()).toEqual(["hello"]);
  });

  test("a repl whose terminal was closed exits, even if no signal reports it", async () => {
    const opened = openTerminal(home, 80, 40);
    terminal = opened;
    const command = `echo $$ > ../pid; exec "${process.execPath}" "${MAIN}" repl`;
    opened.type(`cd project; clear; setsid bash -c '${command}'`);
    await opened.until(isReady);
    const pid = Number(readFileSync(join(home.path, "pid"), "utf8"));
    opened.close();
    terminal = null;
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test("commands choose another agent, set a title, fork and list sessions, and Tab completes them", async () => {
    const on = await open(100);
    on.type("my name is Ann");
    await on.until((screen) => screen.includes("You said: my name") && isReady(screen));
    on.write("/ag");
    on.send("Tab");
    on.write("oth");
    on.send("Tab");
    await on.until((screen) => screen.includes("❯ /agent other"));
    on.send("Enter");
    await on.until((screen) =>
      screen.includes("other answers from now on; it receives the conversation so far"),
    );
    on.type("who am I?");
    await on.until((screen) => screen.includes("● other") && isReady(screen));
    expect(home.prompts().at(-1)).toContain("my name is Ann");
    on.type("/title The name");
    on.type("/fork");
    await on.until((screen) => screen.includes("forked: a new session") && isReady(screen));
    on.send("C-l");
    // The screen is cleared, because its lines already name the session.
    await on.until((screen) => !screen.includes("The name") && isReady(screen));
    on.type("/sessions");
    const listed = await on.until((screen) => screen.split("The name").length >= 3 && isReady(screen));
    expect(listed.replace(/[0-9a-f-]{8,36} {2}/gu, "ID  ")).toContain(
      ["* ID  other  now         The name", "  ID  other  now         The name"].join("\n"),
    );
    on.type("/usag");
    const wrong = await on.until((screen) => screen.includes("there is no command /usag"));
    expect(wrong).toContain("Did you mean /usage?");
  });

  test("@ and Tab attach a file, whose text the agent receives; a file that cannot be attached is an error", async () => {
    home.write("project/notes.md", "The word is heron.\n");
    const on = await open(80);
    on.write("what is the word in @no");
    on.send("Tab");
    await on.until((screen) => screen.includes("❯ what is the word in @notes.md"));
    on.send("Enter");
    const done = await on.until((screen) => screen.includes("You said: ") && isReady(screen));
    expect(done).toContain("· attached notes.md (19 B)");
    expect(home.prompts().join("\n")).toContain("The word is heron.");
    on.type("and @.");
    await on.until((screen) => screen.includes("✗ cannot attach .: it is a folder") && isReady(screen));
    expect(home.prompts()).toHaveLength(1);
  });

  test("Ctrl-V attaches the picture of the clipboard, which the agent receives; an empty clipboard is an error", async () => {
    home = createTalkHome({
      hello: hello1({ resume: {} }, { loadSession: true, promptCapabilities: { image: true } }),
    });
    // A script stands in for the desktop's clipboard program.
    const give = `[ -e '${home.path}/copied' ] && printf '\\211PNG\\r\\n\\032\\n'`;
    home.write("bin/xclip", `#!/bin/sh\n${give}\n`);
    chmodSync(join(home.path, "bin/xclip"), 0o755);
    const on = await open(80, `PATH='${home.path}/bin':$PATH DISPLAY=:0 WAYLAND_DISPLAY=`);
    on.write("look at");
    on.send("C-v");
    await on.until((screen) => screen.includes("❯ look at @clipboard"));
    on.send("Enter");
    await on.until((screen) => screen.includes("✗ the clipboard holds no picture") && isReady(screen));
    expect(home.prompts()).toEqual([]);
    home.write("copied", "");
    on.type("look at @clipboard");
    const done = await on.until((screen) => screen.includes("You said: ") && isReady(screen));
    expect(done).toContain("· attached the picture of the clipboard (8 B)");
  });

  test("the death of an agent is reported, and the conversation continues", async () => {
    const on = await open(80);
    on.type("die");
    const died = await on.until((screen) => screen.includes("· failed · ") && isReady(screen));
    expect(died).toContain("✗ robot ended before");
    expect(died).toContain("out of luck");
    on.type("hello");
    await on.until((screen) => screen.includes("You said: ") && isReady(screen));
  });
});

/** The codes that set a colour or a weight, without those that reset it. */
function coloursIn(screen: string): readonly string[] {
  return screen
    .split("\u001b[")
    .slice(1)
    .map((text) => /^([\d;]*)m/u.exec(text)?.[1] ?? text.slice(0, 9))
    .filter((code) => !["", "0", "39", "22", "23"].includes(code));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
