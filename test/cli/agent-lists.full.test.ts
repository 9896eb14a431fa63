/** Lists of agents whose files Continuo cannot read, on a terminal. */

import { expect, test, vi } from "vitest";
import { MAIN } from "./home.ts";
import { LISTED, listing } from "./listing-agent.ts";
import { createTalkHome, type TalkHome } from "./talk.ts";
import { openTerminal } from "./tmux.ts";

// Each call starts several programs.
vi.setConfig({ testTimeout: 180_000 });

let home: TalkHome;

test("on a terminal the plain list names the command that asks agents, and asks none", async () => {
  home = createTalkHome(listing([LISTED]));
  const terminal = openTerminal(home, 100, 24);
  try {
    terminal.type(`clear; '${process.execPath}' '${MAIN}'; echo code=$?`);
    const seen = await terminal.until((screen) => screen.includes("code=0"));
    expect(seen).toContain(
      "robot, other list their sessions when asked: `continuo session list --agent NAME`",
    );
    expect(home.methods()).toEqual([]);
  } finally {
    terminal.close();
  }
});
