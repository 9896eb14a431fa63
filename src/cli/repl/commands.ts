/** The command, apart from its work. */

import type { TalkFlags } from "@continuo/agents/conversations";
import type { Command } from "commander";
import { addTalkOptions, type TypedTalkFlags, withSession } from "../flags/index.ts";
import type { ProgramRun } from "../terminal/index.ts";

const HELP = `
Ctrl-C cancels a turn, a second Ctrl-C leaves; Ctrl-D leaves. A line that ends with \\ continues on the next line;
several lines can be pasted. /help lists the commands: other sessions, another agent for this session, a fork.`;

export function addReplCommand(program: Command, run: ProgramRun | null): void {
  const repl = program.command("repl").description("talk with an agent, turn by turn");
  addTalkOptions(repl)
    .addHelpText("after", HELP)
    .action(async (typed: TypedTalkFlags<TalkFlags>) => {
      if (run === null) return;
      const flags = await withSession<TalkFlags>(typed, run.shell);
      const { runRepl } = await import("./repl.ts");
      run.onEnd(await runRepl(flags, run.shell));
    });
}
