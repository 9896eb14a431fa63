/** `continuo repl` in a terminal with the real agents: permissions, Ctrl-C, another session, another agent. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentName } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import type { Terminal } from "../../cli/tmux.ts";
import { type Script, type Step, text } from "../../model-servers/index.ts";
import { SUBJECTS } from "../drivers/subjects/index.ts";
import { type Stage, stage } from "./stage.ts";

const AGENTS: readonly AgentName[] = ["claude", "codex"];
const STORY = "Once upon a time. ".repeat(200);

/** The prompt `Write it to FILE.` makes the agent write a file, for which it needs a permission. */
function scriptFor(agent: AgentName, files: readonly string[]): Script {
  const write = (file: string): Step => (SUBJECTS[agent].writes ?? neverAsks)(file, "written");
  return {
    turns: [
      ...files.map((file) => ({
        user: `Write it to ${file}.`,
        answers: [[write(file)], [text("That was it.")]],
      })),
      { user: "Is that a prime?", answers: [[text("It is not.")]] },
      { user: "Which number was it?", answers: [[text("It was **forty-one**.")]] },
      { user: "Remember the number forty-one.", answers: [[text("I keep it in mind.")]] },
      { user: "Tell me a long story.", answers: [[{ type: "slow", delayMs: 100 }, text(STORY)]] },
    ],
  };
}

function neverAsks(): never {
  throw new Error("this test needs an agent that asks for permissions");
}

/** Waits until the prompt is the last line that is not empty. */
async function ready(terminal: Terminal, isDone: (screen: string) => boolean): Promise<string> {
  return await terminal.until(
    (screen) => isDone(screen) && /^❯ *\n*$/mu.test(screen.trimEnd().split("\n").at(-1) ?? ""),
  );
}

const toldOf = ({ newest }: Stage): string =>
  newest()
    .map(([role, words]) => `${role}: ${words}`)
    .join("\n");

describe.each(AGENTS)("%s", (agent) => {
  test("permission is requested, granted and denied; a slow answer is cancelled, and the conversation continues", async () => {
    await using on = await stage([agent], scriptFor(agent, ["yes.txt", "no.txt"]));
    const terminal = await on.repl();
    terminal.type("Write it to yes.txt.");
    await terminal.until((screen) => /^\? allow .*\[y\]es/mu.test(screen) && screen.includes("+ written"));
    terminal.write("y");
    await ready(terminal, (screen) => screen.includes("✓ allowed") && screen.includes("That was it."));
    expect(readFileSync(join(on.sandbox.project, "yes.txt"), "utf8").trim()).toBe("written");
    terminal.type("Write it to no.txt.");
    await terminal.until((screen) => /^\? allow .*\[y\]es/mu.test(screen));
    terminal.write("n");
    await ready(terminal, (screen) => screen.includes("✗ denied"));
    expect(existsSync(join(on.sandbox.project, "no.txt"))).toBe(false);

    terminal.type("Tell me a long story.");
    await terminal.until((screen) => screen.includes("Once upon a time."));
    terminal.send("C-c");
    await ready(terminal, (screen) => screen.includes("· cancelled · "));
    terminal.type("Is that a prime?");
    await ready(terminal, (screen) => screen.includes("It is not."));
    expect(toldOf(on)).toContain("Tell me a long story.");
    terminal.type("/quit");
    await terminal.until((screen) => screen.includes("code=0"));
  });
});

test("the same conversation continues with another agent, and in a new process", async () => {
  await using on = await stage(["claude", "codex"], scriptFor("claude", []));
  const terminal = await on.repl();
  terminal.type("Remember the number forty-one.");
  await ready(terminal, (screen) => screen.includes("I keep it in mind."));
  terminal.type("/agent codex");
  await ready(terminal, (screen) => screen.includes("codex answers from now on"));
  terminal.type("Which number was it?");
  const seen = await ready(terminal, (screen) => screen.includes("It was forty-one."));
  expect(seen).toContain("● codex\n  It was forty-one.\n");
  expect(seen).toContain("replayed the conversation to");
  expect(toldOf(on)).toContain("user: Remember the number forty-one.");
  expect(toldOf(on)).toContain("assistant: I keep it in mind.");
  terminal.send("C-d");
  await terminal.until((screen) => screen.includes("code=0"));

  const again = await on.repl("--continue", "-a", "claude");
  again.type("Is that a prime?");
  const back = await ready(again, (screen) => screen.includes("It is not."));
  expect(back).toContain(" · resumed claude:");
  expect(toldOf(on)).toContain("It was **forty-one**.");
  again.type("/sessions");
  await ready(again, (screen) => /^\* \S+ +claude +now +Remember the number/mu.test(screen));
  again.type("/quit");
  await again.until((screen) => screen.includes("code=0"));
});
