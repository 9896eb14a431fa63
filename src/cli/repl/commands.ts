/** The command, apart from its work. */

import type { Command } from "commander";
import { addTalkOptions, type TalkFlags } from "../conversation/flags/index.ts";
import type { Shell } from "../terminal/index.ts";

interface Run {
  readonly shell: Shell;
  readonly onEnd: (exitCode: number) => void;
}

const HELP = `
Ctrl-C cancels a turn, a second one leaves; Ctrl-D leaves. A line that ends with \\ goes on in the next one; several
lines may be pasted. /help shows the commands: other sessions, another agent for the same conversation, a fork.`;

export function addReplCommand(program: Command, run: Run | null): void {
  const repl = program.command("repl").description("a conversation with an agent, turn by turn");
  addTalkOptions(repl)
    .addHelpText("after", HELP)
    .action(async (flags: TalkFlags) => {
      if (run === null) return;
      const { runRepl } = await import("./repl.ts");
      run.onEnd(await runRepl(flags, run.shell));
    });
}
