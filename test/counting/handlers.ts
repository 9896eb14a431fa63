/**
 * Prints, as JSON, the modules that each command of the program imports when it is called: its handler, and what it
 * imports before the handler. No handler runs: the first import of a neighbouring module ends the command.
 */

import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { type Command, CommanderError } from "commander";
import { createProgram } from "../../src/cli/index.ts";
import type { ProgramRun } from "../../src/cli/terminal/index.ts";

export interface CommandHandlers {
  /** The words that are typed: `session list`. */
  readonly command: string;
  /** Paths of modules. */
  readonly modules: readonly string[];
}

/** The message of the error that ends a command. */
const REACHED = "the handler was imported";
const CALLS_HANDLER = /\/src\/cli\/.*command[^/]*\.ts$/u;

let imported: string[] = [];

/** Hooks see every import; those of the modules above are already over. */
function recordImports(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      if (!CALLS_HANDLER.test(context.parentURL ?? "")) return found;
      imported.push(fileURLToPath(found.url));
      if (!specifier.startsWith("./")) return found;
      return { url: `data:text/javascript,throw new Error("${REACHED}")`, shortCircuit: true };
    },
  });
}

/** The commands that do something: not those that only group others. */
function commandsIn(
  command: Command,
  path: readonly string[] = [],
): readonly (readonly [string[], Command])[] {
  const inner = command.commands.flatMap((one) => commandsIn(one, [...path, one.name()]));
  return hasAction(command) ? [[[...path], command], ...inner] : inner;
}

function hasAction(command: Command): boolean {
  return (command as unknown as { readonly _actionHandler: unknown })._actionHandler !== null;
}

/** A value for each argument, and for each option that a command requires. */
function requiredWords(command: Command): readonly string[] {
  const given = command.registeredArguments.map(({ argChoices }) => argChoices?.[0] ?? "1");
  const options = command.options.flatMap(({ mandatory, long, argChoices }) =>
    mandatory ? [long ?? "", argChoices?.[0] ?? "1"] : [],
  );
  return [...given, ...options];
}

async function handlersOf(
  words: readonly string[],
  command: Command,
  run: ProgramRun,
): Promise<CommandHandlers> {
  imported = [];
  const typed = [...words, ...requiredWords(command)];
  try {
    await createProgram(run).parseAsync(typed, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError || !String(error).includes(REACHED)) {
      throw new Error(`continuo ${typed.join(" ")} did not reach its handler`, { cause: error });
    }
  }
  return { command: words.join(" "), modules: imported };
}

recordImports();
// An action passes these two on to its handler, which never runs.
const run: ProgramRun = { shell: {} as ProgramRun["shell"], onEnd: () => undefined };
const handlers: CommandHandlers[] = [];
for (const [words, command] of commandsIn(createProgram(run)))
  handlers.push(await handlersOf(words, command, run));
process.stdout.write(JSON.stringify(handlers));
