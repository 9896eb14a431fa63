/** `continuo setup`: the plan on one screen, one question, the changes, and the pieces that could not be set up. */

import { existsSync, rmdirSync } from "node:fs";
import { dirname } from "node:path";
import { ContinuoError, present } from "@continuo/core/model";
import { maskSecrets, visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { changeGuardSettings, readGuardSettings } from "@continuo/native/editing/guard";
import {
  agentsFor,
  changeFile,
  type Direction,
  diffOf,
  type FilePlan,
  type Plan,
  type PlannedChange,
  planOf,
  serverCommand,
} from "../mcp/registering/index.ts";
import { ownCommand, shownCommand } from "../single/index.ts";
import {
  canAsk,
  confirm,
  createOutput,
  errorToJson,
  type Shell,
  tildePath,
  toJsonText,
} from "../terminal/index.ts";
import type { SetupFlags } from "./flags.ts";
import { formerPiecesOf, piecesOf } from "./pieces.ts";

/** Errors: `usage`; those of `ownCommand`. Returns 1 if something could not be set up, or the answer was no. */
export async function runSetup(agent: string | null, flags: SetupFlags, shell: Shell): Promise<number> {
  const command = commandFor(flags, shell);
  const wiring = { places: placesOf(shell), command, server: serverCommand(shell, command) };
  const direction = flags.undo ? "remove" : "add";
  const agents = agentsFor(agent, shell);
  const former = flags.undo ? formerPiecesOf(agents, wiring).filter(({ path }) => existsSync(path)) : [];
  const plan = planOf(direction, [...piecesOf(agents, wiring), ...former], shell);
  const output = createOutput(shell.stdout);
  if (!flags.json) await output.write(drawPlan(plan, flags, shell));
  const isWanted = plan.files.length > 0 && !flags.dryRun && (flags.yes || (await ask(flags, shell)));
  if (isWanted) makeChanges(direction, plan.files, shell);
  const isGuardNew = isWanted && direction === "add" && switchGuardOn(plan, shell);
  if (flags.json) await output.write(`${toJsonText(toJson(plan, isWanted), 2)}\n`);
  else if (isWanted) await output.write(doneText(direction, isGuardNew));
  const isRefused = plan.files.length > 0 && !flags.dryRun && !isWanted;
  return isRefused || plan.steps.some(({ state }) => state === "not possible") ? 1 : 0;
}

/** Pieces that are removed, or only shown, start nothing. */
function commandFor({ undo, dryRun }: SetupFlags, shell: Shell): readonly string[] {
  if (undo) return [];
  return dryRun ? shownCommand(shell) : ownCommand(shell);
}

async function ask({ undo }: SetupFlags, shell: Shell): Promise<boolean> {
  if (!canAsk(shell)) {
    throw new ContinuoError("usage", "nobody can be asked whether to make the changes", {
      hint: "Give --yes to make them without a question, or --dry-run to see them.",
    });
  }
  return await confirm(undo ? "Take it back?" : "Make these changes?", shell);
}

function makeChanges(direction: Direction, files: readonly FilePlan[], shell: Shell): void {
  for (const file of files) {
    changeFile(direction, file, shell);
    if (file.after === null) removeEmptyFolders(dirname(file.settings.path), shell.home);
  }
}

/**
 * Removes empty folders that an earlier setup may have created. An agent's own folder stays.
 */
function removeEmptyFolders(folder: string, home: string): void {
  const names = new Set(["continuo", "skills", "commands", "command", "prompts", ".agents"]);
  for (let at = folder; at !== home && names.has(at.split("/").at(-1) ?? ""); at = dirname(at)) {
    try {
      rmdirSync(at);
    } catch {
      // The folder contains something else.
      return;
    }
  }
}

/** The hooks copy nothing while the guard is off. Returns true if this call turned it on. */
function switchGuardOn({ steps }: Plan, shell: Shell): boolean {
  const places = placesOf(shell);
  const isHooked = steps.some(({ piece, state }) => piece.what === "hook" && state === "changes");
  if (!isHooked || readGuardSettings(places).on) return false;
  changeGuardSettings(places, { on: true });
  return true;
}

function drawPlan(plan: Plan, flags: SetupFlags, shell: Shell): string {
  const diffs = flags.diff ? plan.files.flatMap((file) => diffLines(file, shell)) : [];
  // The lines around a change may contain a key.
  return `${maskSecrets([...columns(rowsOf(plan, flags, shell)), ...diffs].map(visibleLine).join("\n")).value}\n`;
}

/** One row for each piece; the commands of an agent share one row. */
function rowsOf({ steps }: Plan, { undo }: SetupFlags, shell: Shell): readonly (readonly string[])[] {
  const groups = Map.groupBy(steps, ({ piece, state }) => [piece.agents, piece.what, state].join());
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { piece, state } = first;
    const errors = new Set(group.flatMap(({ error }) => error?.message ?? []));
    const one = group.length === 1;
    const isOneFile = group.every((each) => each.piece.path === piece.path);
    const place = tildePath(isOneFile ? piece.path : dirname(piece.path), shell.home);
    const what = one ? piece.what : `${group.length} ${piece.what}s`;
    return [
      [
        piece.agents.join(", "),
        what,
        undo && state === "changes" ? "remove" : verbOf(first, isOneFile),
        place,
      ],
      ...[...errors].map((message) => ["", "", "", message]),
    ];
  });
}

function verbOf({ state, isNew, edit }: PlannedChange, isOneFile: boolean): string {
  if (state !== "changes") return state;
  if (isNew) return isOneFile ? "new file" : "new files";
  return edit?.deleted === "" ? "add to" : "change";
}

function diffLines({ settings, after }: FilePlan, shell: Shell): readonly string[] {
  return ["", tildePath(settings.path, shell.home), ...diffOf(settings.text ?? "", after ?? "")];
}

function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = [0, 1, 2].map((at) => Math.max(0, ...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function doneText(direction: Direction, isGuardNew: boolean): string {
  if (direction === "remove")
    return "\nContinuo is taken out of these files. Copies of the guard stay; `continuo guard off` ends them.\n";
  const guard = isGuardNew ? " The guard is on; `continuo guard on` adds its timer." : "";
  return `\nEach agent uses the new setup from its next start.${guard} \`continuo setup --undo\` takes it back.\n`;
}

function toJson({ steps }: Plan, isMade: boolean): object {
  return steps.map(({ piece, state, error }: PlannedChange) => ({
    agents: piece.agents,
    what: piece.what,
    path: piece.path,
    state,
    made: isMade && state === "changes",
    ...present({ error: error === null ? undefined : errorToJson(error) }),
  }));
}
