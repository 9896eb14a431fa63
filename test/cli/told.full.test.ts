/** Lists of agents whose files nobody reads, where there is a terminal. */

import { afterEach, expect, test, vi } from "vitest";
import { chunk, DONE, hello1, type Script, type ScriptStep } from "../acp/script.ts";
import { MAIN } from "./home.ts";
import { createTalkHome, type TalkHome } from "./talk.ts";
import { openTerminal } from "./tmux.ts";

// Each call starts several programs.
vi.setConfig({ testTimeout: 180_000 });

let home: TalkHome;
afterEach(() => home[Symbol.dispose]());

function script(list: readonly ScriptStep[]): Script {
  return {
    hello: hello1({ list: {}, resume: {} }),
    answers: { "session/list": list, "session/resume": [{ result: {} }] },
    prompts: { "*": [chunk("I hear you."), DONE] },
  };
}

const ROWS = [
  { sessionId: "there", cwd: "/elsewhere", title: "Far away", updatedAt: "2025-01-01T00:00:00Z" },
  { sessionId: "new-1", cwd: null, title: "Known to both", updatedAt: "2025-02-01T00:00:00Z" },
];
const LISTED: ScriptStep = { result: { sessions: ROWS } };

test("on a terminal the plain list says how to ask, and asks nobody", async () => {
  home = createTalkHome(script([LISTED]));
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
