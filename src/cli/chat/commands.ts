/** The command without its work. */

import { type Command, Option } from "commander";
import { addTalkOptions, type TypedTalkFlags, withSession } from "../flags/index.ts";
import type { ProgramRun } from "../terminal/index.ts";
import type { ChatFlags } from "./flags.ts";

const HELP = `
The answer goes to standard output, without colours if that is not a terminal; tool calls, notes and the id of the
session go to standard error. Continuo stores the session: \`continuo chat --continue\` or \`--resume ID\` continues it.
With --json, each event is one line, and the last line is the result. Ctrl-C cancels the turn.

Examples:
  continuo chat "why does the build fail?"
  git diff | continuo chat "review this"       standard input follows the prompt
  continuo chat -a codex < prompt.txt          read the prompt from standard input
  continuo chat --all "is this function correct?"    every installed agent, side by side
  continuo chat --continue "and now fix it"    continue the newest session of this folder
  continuo chat --resume 4bf3 -a codex "what do you think?"    the same session, another agent`;

export function addChatCommand(program: Command, run: ProgramRun | null): void {
  const chat = program
    .command("chat")
    .description("run one turn with an agent: a prompt, its answer, and a session that can continue")
    .argument("[prompt]", "the prompt; standard input follows it if it is no terminal");
  addTalkOptions(chat)
    .option("--json", "print the events as JSON, one per line")
    .addOption(
      new Option("--all", "ask every installed agent at once, each in a new session").conflicts([
        "agent",
        "resume",
        "continue",
        "fork",
        "model",
        "transport",
      ]),
    )
    .addHelpText("after", HELP)
    .action(async (prompt: string | undefined, typed: TypedTalkFlags<ChatFlags>) => {
      if (run === null) return;
      const { assertPrompted, runChat } = await import("./chat.ts");
      assertPrompted(prompt ?? null, run.shell);
      const flags = await withSession<ChatFlags>(typed, run.shell);
      run.onEnd(await runChat(prompt ?? null, flags, run.shell));
    });
}
