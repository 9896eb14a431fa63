/** `session show --facts`, and the line of facts above a conversation. */

import { afterAll, beforeAll, expect, test } from "vitest";
import {
  CLAUDE_ID,
  createHome,
  DAMAGED_ID,
  HOSTILE_ID,
  type Home,
  writeDamaged,
  writeSessions,
} from "./home.ts";
import { runHere } from "./in-process.ts";

let home: Home;

beforeAll(() => {
  home = createHome();
  writeSessions(home);
  writeDamaged(home);
});

afterAll(() => home[Symbol.dispose]());

test("facts are printed instead of the conversation, each with its turn", async () => {
  const { stdout } = await runHere(home, ["session", "show", CLAUDE_ID, "--facts"]);
  expect(stdout).toMatchInlineSnapshot(`
      "asked      Fix the build (turn 1)
                 Try again (turn 2)
      changed    no file, as far as calls of tools show it
      ended      answered: Done All well. (turn 2)
      "
    `);
  const printed = JSON.parse(
    (await runHere(home, ["session", "show", CLAUDE_ID, "--facts", "--json"])).stdout,
  );
  expect(printed).toMatchObject({
    agent: "claude",
    sessionId: CLAUDE_ID,
    facts: {
      turns: 2,
      fileCount: 0,
      asked: { turn: 1, messageId: "u1" },
      end: { turn: 2, state: "answered" },
    },
  });
});

test("text of a session cannot control the terminal, and a damaged session has the facts that can be read", async () => {
  expect((await runHere(home, ["session", "show", HOSTILE_ID, "--facts"])).stdout).not.toContain("\u001b");
  const broken = await runHere(home, ["session", "show", DAMAGED_ID, "--facts"]);
  expect(broken.stdout).toMatch(/^asked /u);
});

test("a conversation on a terminal has the facts in one line above it", async () => {
  const { stdout } = await runHere(home, ["session", "show", CLAUDE_ID, "--from-start"], { columns: 80 });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal.
  expect(stdout.replace(/\u001b\[[0-9;]*m/gu, "")).toContain(
    "\nno file changed · answered · --facts shows more\n",
  );
});
