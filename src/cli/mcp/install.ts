/** `mcp install` and `mcp uninstall`: shows the change of each file, and makes it after a question. */

import { ContinuoError } from "@continuo/core/model";
import { maskSecrets, visibleLine } from "@continuo/core/transcript";
import { ownCommand } from "../single/index.ts";
import { canAsk, confirm, createOutput, type Shell, tildePath, toJsonText } from "../terminal/index.ts";
import type { InstallFlags } from "./flags.ts";
import {
  agentsFor,
  changeFile,
  type Direction,
  diffOf,
  type Plan,
  type PlannedChange,
  planOf,
  serverCommand,
  serverPiece,
} from "./registering/index.ts";

/** Errors: `usage`; of a single agent those of its file. */
export async function runInstall(
  command: "install" | "uninstall",
  agent: string | null,
  { flags, shell }: { readonly flags: InstallFlags; readonly shell: Shell },
): Promise<number> {
  const direction = command === "install" ? "add" : "remove";
  const plan = planFor(direction, agent, shell);
  const failures = plan.steps.flatMap(({ piece, error }) => (error === null ? [] : [{ piece, error }]));
  if (agent !== null && failures[0] !== undefined) throw failures[0].error;
  const output = createOutput(shell.stdout);
  if (!flags.json) await output.write(drawPlan(direction, plan, shell));
  for (const { piece, error } of failures)
    shell.stderr.write(`${piece.agents.join()}: ${visibleLine(error.message)}\n`);
  if (plan.files.length > 0 && !flags.yes && !(await isWanted(direction, shell))) return 1;
  for (const file of plan.files) changeFile(direction, file, shell);
  if (flags.json) await output.write(`${toJsonText(possibleIn(plan).map(toJson), 2)}\n`);
  else if (plan.files.length > 0) await output.write(`${doneText(direction, plan)}\n`);
  return failures.length > 0 ? 1 : 0;
}

function planFor(direction: Direction, agent: string | null, shell: Shell): Plan {
  // Removing an entry starts nothing.
  const server = serverCommand(shell, direction === "add" ? ownCommand(shell) : []);
  const pieces = agentsFor(agent, shell).map((name) => serverPiece(name, { places: shell, server }));
  return planOf(direction, pieces, shell);
}

async function isWanted(direction: Direction, shell: Shell): Promise<boolean> {
  if (!canAsk(shell)) {
    throw new ContinuoError("usage", "nobody can be asked whether to make the change", {
      hint: "Give --yes to make it without a question.",
    });
  }
  return await confirm(direction === "add" ? "Register Continuo?" : "Remove Continuo?", shell);
}

function possibleIn({ steps }: Plan): readonly PlannedChange[] {
  return steps.filter(({ error }) => error === null);
}

function drawPlan(direction: Direction, plan: Plan, shell: Shell): string {
  const nothing = direction === "add" ? "registered already" : "not registered";
  const blocks = possibleIn(plan).map(({ piece, path, edit }) => {
    const heading = `${piece.agents.join()}  ${tildePath(path, shell.home)}`;
    const file = plan.files.find(({ settings }) => settings.path === path);
    if (edit === null || file === undefined) return [`${heading}: ${nothing}`];
    return [heading, ...diffOf(file.settings.text ?? "", file.after ?? "")];
  });
  // The lines around the change may contain a key.
  return blocks.map((lines) => `${maskSecrets(lines.map(visibleLine).join("\n")).value}\n`).join("\n");
}

function doneText(direction: Direction, { steps }: Plan): string {
  const changed = steps.filter(({ edit }) => edit !== null);
  const names = changed.flatMap(({ piece }) => piece.agents).join(", ");
  if (direction === "remove") return `\nremoved from ${names}`;
  return `\nregistered with ${names}: the tools are there when the agent starts next`;
}

function toJson({ piece, path, edit }: PlannedChange): object {
  return { agent: piece.agents[0], path, changed: edit !== null };
}
