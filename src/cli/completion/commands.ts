/** `completion SHELL`, and the hidden `complete-words` that the scripts call. */

import { Argument, type Command } from "commander";
import type { ProgramRun } from "../terminal/index.ts";
import { SHELLS, type ShellName } from "./shells.ts";

const HELP = `
To switch completion on, add to
  ~/.bashrc                   source <(continuo completion bash)
  ~/.zshrc, after compinit    source <(continuo completion zsh)
  ~/.config/fish/config.fish  continuo completion fish | source`;

export function addCompletionCommands(program: Command, run: ProgramRun | null): void {
  program
    .command("completion")
    .description("print a script that completes commands, flags and session ids in your shell")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .addHelpText("after", HELP)
    .action(async (name: ShellName) => {
      if (run === null) return;
      const { scriptFor } = await import("./scripts.ts");
      run.shell.stdout.write(scriptFor(name));
      run.onEnd(0);
    });
  program
    .command("complete-words", { hidden: true })
    .argument("[words...]")
    .action(async (words: readonly string[]) => {
      if (run === null) return;
      const { runComplete } = await import("./complete.ts");
      run.onEnd(await runComplete(program, words, run.shell));
    });
}
