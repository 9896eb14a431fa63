/** A question of `continuo chat` in a terminal, with a scripted agent. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MAIN } from "./home.ts";
import { createTalkHome, type TalkHome } from "./talk.ts";
import { openTerminal, type Terminal } from "./tmux.ts";

let home: TalkHome;
beforeEach(() => {
  home = createTalkHome();
});
afterEach(() => home[Symbol.dispose]());

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
