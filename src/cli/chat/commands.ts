/** The command, apart from its work. */

import type { Command } from "commander";
import { addTalkOptions } from "../conversation/flags/index.ts";
import type { Shell } from "../terminal/index.ts";
import type { ChatFlags } from "./flags.ts";

interface Run {
  readonly shell: Shell;
  readonly onEnd: (exitCode: number) => void;
}

const HELP = `
The answer goes to standard output, plain where that is no terminal; calls of tools, notes and the session's id go to
standard error. The session is kept: \`continuo chat --continue\` goes on with it, and so does \`--resume ID\`. With
--json each event is a line, and the last line is the result. Ctrl-C cancels the turn.

Examples:
  continuo chat "why does the build fail?"
  git diff | continuo chat -a codex            the prompt comes from standard input
  continuo chat --continue "and now fix it"    the newest session of this folder goes on
  continuo chat --resume 4bf3 -a codex "what do you think?"    the same conversation, with another agent`;

export function addChatCommand(program: Command, run: Run | null): void {
  const chat = program
    .command("chat")
    .description("one turn with an agent: a question, its answer, and a session that goes on")
    .argument("[prompt]", "what to say; standard input where it is left out");
  addTalkOptions(chat)
    .option("--json", "print events as JSON, one a line")
    .addHelpText("after", HELP)
    .action(async (prompt: string | undefined, flags: ChatFlags) => {
      if (run === null) return;
      const { runChat } = await import("./chat.ts");
      run.onEnd(await runChat(prompt ?? null, flags, run.shell));
    });
}
