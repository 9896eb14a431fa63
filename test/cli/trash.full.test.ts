/** `session delete` and `session trash empty` ask on a terminal. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CLAUDE_ID, createHome, HOSTILE_ID, type Home, MAIN, writeSessions } from "./home.ts";
import { openTerminal, type Terminal } from "./tmux.ts";

let home: Home;

beforeEach(() => {
  home = createHome();
  writeSessions(home);
});

describe("on a terminal the command asks", () => {
  let terminal: Terminal;
  const continuo = `clear; '${process.execPath}' '${MAIN}'`;

  beforeEach(() => {
    terminal = openTerminal(home, 100, 20);
  });
  afterEach(() => terminal.close());

  test("no keeps everything, yes deletes, Ctrl-C is 130", async () => {
    terminal.type(`${continuo} session delete ${CLAUDE_ID} ${HOSTILE_ID}; echo code=$?`);
    const asked = await terminal.until((screen) =>
      screen.includes("Move these 2 sessions to the trash? [y/N]"),
    );
    expect(asked).toContain("Fix the build");
    terminal.type("");
    await terminal.until(
      (screen) => screen.includes("continuo: nothing was deleted") && screen.includes("code=130"),
    );
    terminal.type(`${continuo} session delete ${CLAUDE_ID}; echo code=$?`);
    await terminal.until((screen) => screen.includes("Move this session to the trash? [y/N]"));
    terminal.send("C-c");
    terminal.type("echo code=$?");
    await terminal.until((screen) => screen.includes("code=130"));
    terminal.type(`${continuo} session delete ${CLAUDE_ID}; echo code=$?`);
    await terminal.until((screen) => screen.includes("[y/N]"));
    terminal.type("y");
    await terminal.until((screen) => screen.includes("moved to the trash") && screen.includes("code=0"));
    terminal.type(`${continuo} session trash --empty; echo code=$?`);
    await terminal.until((screen) => screen.includes("Delete 1 session for good? [y/N]"));
    terminal.type("yes");
    await terminal.until(
      (screen) => screen.includes("1 session deleted for good") && screen.includes("code=0"),
    );
  });
});
