/** The command without its work. */

import type { Command } from "commander";
import type { ProgramRun } from "../terminal/index.ts";
import type { PickFlags } from "./pick.ts";

const HELP = `
Without arguments and on a terminal, \`continuo\` is this command.

Type to filter by title, project, agent, branch and id: words in any order, also with letters left out. agent:, project:,
branch: and title: look at one of these. A filter that begins with / searches what was said in all sessions, as
\`continuo search\` does, while you type; Enter then shows the turn. \`continuo pick /\` begins so.

Arrows, PgUp, PgDn, Home and End move, and then letters are actions; Tab goes back to the filter. Enter shows the session and
comes back, r resumes it in its agent, h hands it over to another agent, c chats (\`continuo repl\`), f forks, n renames, e exports,
d deletes and u takes that back, y copies the id, s shows counts, tokens and cost; Space selects several. ? shows all keys.
A session whose folder is gone is handed over into the current folder. A ! marks a session that its agent's own list does not
show: the preview says why, and b brings it back after a plan and a question.

With --print the picker draws on standard error and prints AGENT:ID of what was chosen; the exit code is 1 if nothing was:
  continuo resume "$(continuo pick --print)"`;

export function addPickCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("pick")
    .description("choose a session in a full-screen picker, with a preview, and act on it")
    .argument("[filter...]", "begin with this filter; with / in front, search the texts")
    .option("--print", "print the ids of what was chosen, one a line, and do nothing else")
    .addHelpText("after", HELP)
    .action(async (words: readonly string[], flags: PickFlags) => {
      if (run === null) return;
      const { runPick } = await import("./pick.ts");
      run.onEnd(await runPick(words.join(" "), flags, run.shell));
    });
}
