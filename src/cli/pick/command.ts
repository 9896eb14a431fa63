/** The command, apart from its work. */

import type { Command } from "commander";
import type { Shell } from "../terminal/index.ts";

interface Run {
  readonly shell: Shell;
  readonly onEnd: (exitCode: number) => void;
}

const HELP = `
Type to filter by title, project, agent and id. Arrows, PgUp, PgDn, Home and End move; Tab switches between the
filter and the list. Enter shows the session. In the list: r continues it (a native session in its agent, like
\`continuo resume\`; Continuo's own in \`continuo repl\`), e exports it, c copies its id, q and Esc leave.

A filter that begins with / searches what was said in all sessions, as \`continuo search\` does, while you type; Enter then
shows the turn. \`continuo pick /\` begins so.`;

export function addPickCommand(program: Command, run: Run | null): void {
  program
    .command("pick")
    .description("choose a session in a full-screen picker, with a preview")
    .argument("[filter...]", "begin with this filter; with / in front, search the texts")
    .addHelpText("after", HELP)
    .action(async (words: readonly string[]) => {
      if (run === null) return;
      const { runPick } = await import("./pick.ts");
      run.onEnd(await runPick(words.join(" "), run.shell));
    });
}
