/**
 * `session repair`: shows which records of a session can be repaired, and writes a repaired copy or repairs it in
 * place.
 */

import type { OwnRow } from "@continuo/agents/catalog";
import { ContinuoError, present, shellWord } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { type RepairOptions, repairNativeSession, type SessionRepair } from "@continuo/native/editing";
import type { RepairEdit } from "@continuo/native/repairing";
import { locate } from "../../notices/index.ts";
import {
  createOutput,
  type Paint,
  paintFor,
  type Shell,
  screenOf,
  tildePath,
  toJsonText,
} from "../../terminal/index.ts";
import { checkedProblemToJson, describeProblem } from "../list/index.ts";

const STILL_DAMAGED = 4;
/** The remaining problems that are shown; `session check` shows all. */
const SHOWN_REMAINING = 10;

export interface RepairFlags {
  readonly output?: string;
  readonly force?: true;
  readonly inPlace?: true;
  readonly all?: true;
  readonly yes?: true;
  readonly json?: true;
}

export async function runRepair(id: string | null, flags: RepairFlags, shell: Shell): Promise<number> {
  if (id === null) {
    throw new ContinuoError("usage", "name the session to repair", {
      hint: "Run `continuo session repair --all` to see what can be repaired.",
    });
  }
  const options: RepairOptions = { places: placesOf(shell), cwd: shell.cwd, ...writeOf(flags) };
  const located = await locate(id, shell, "without examples");
  if (located.kind === "own") throw ofOwn(located.row);
  const repair = await repairNativeSession(located.native.found, options);
  const output = createOutput(shell.stdout);
  const remaining = repair.remaining.map(checkedProblemToJson);
  if (flags.json) await output.write(`${toJsonText({ ...repair, remaining }, 2)}\n`);
  else await output.write(draw(repair, shell));
  return repair.remaining.length > 0 ? STILL_DAMAGED : 0;
}

/** A session of Continuo has only hashes of its events, from which a damaged event cannot be restored. */
function ofOwn({ sessionId }: OwnRow): ContinuoError {
  return new ContinuoError("unsupported", `cannot repair session ${sessionId}: it is Continuo's own`, {
    hint: `Run \`continuo session check ${shellWord(sessionId)}\` to see what is damaged, and \`continuo store restore\` to restore a backup of the store.`,
  });
}

function writeOf({ output, force, inPlace }: RepairFlags): Pick<RepairOptions, "write"> {
  if (inPlace) return { write: "in place" };
  return output === undefined ? {} : { write: present({ file: output, force }) };
}

function draw(repair: SessionRepair, shell: Shell): string {
  const { edits, agent, sessionId, location, written, trashId } = repair;
  const name = `${agent}:${sessionId}`;
  const paint = paintFor(screenOf(shell, shell.stdout));
  if (edits.length === 0 && written === null) {
    const lines = [visibleLine(`no problem to repair in ${name}`), ...drawRemaining(repair, shell, paint)];
    return lines.map((line) => `${line}\n`).join("");
  }
  const path = (text: string): string => visibleLine(tildePath(text, shell.home));
  const lines = [
    `--- ${path(location)}`,
    `+++ ${written === null ? "repaired" : path(written)}`,
    ...edits.flatMap((edit) => drawEdit(edit, paint)),
    "",
    ...droppedOf(repair),
    ...endOf(repair, path),
  ];
  lines.push(...drawRemaining(repair, shell, paint));
  if (trashId !== null)
    lines.push(`To restore the old state, run: continuo session restore ${visibleLine(shellWord(name))}`);
  return lines.map((line) => `${line}\n`).join("");
}

function droppedOf({ droppedResults }: SessionRepair): string[] {
  if (droppedResults === 0) return [];
  return [
    droppedResults === 1
      ? "one result is taken out: no call waits for it"
      : `${droppedResults} results are taken out: no call waits for them`,
  ];
}

function endOf({ agent, edits, written, trashId }: SessionRepair, path: (text: string) => string): string[] {
  const count = edits.length === 1 ? "one record" : `${edits.length} records`;
  if (written === null) {
    return [
      `${count} to repair. Nothing was written: --output writes a copy, --in-place repairs the session.`,
    ];
  }
  // opencode keeps sessions in a database. The copy is a file that opencode imports as a new session.
  const imported = agent === "opencode" ? `; run \`opencode import\` in its folder to import it` : "";
  if (trashId === null) return [`${count} repaired in the copy ${path(written)}${imported}`];
  return [`${count} repaired. The old state is in the trash.`];
}

function drawRemaining({ remaining }: SessionRepair, shell: Shell, paint: Paint): string[] {
  if (remaining.length === 0) return [];
  const shown = remaining.slice(0, SHOWN_REMAINING);
  const count = remaining.length === 1 ? "one problem remains" : `${remaining.length} problems remain`;
  const more = remaining.length - shown.length;
  return [
    "",
    paint(`${count}, which a repair cannot solve:`, "red"),
    ...shown.map((problem) => `  ${describeProblem(problem, shell.home)} (${problem.code})`),
    ...(more > 0 ? [`  … ${more} more`] : []),
  ];
}

/** Characters of a record that are shown. */
const MAX_RECORD_CHARS = 400;

function drawEdit({ line, row, type, reason, before, after }: RepairEdit, paint: Paint): string[] {
  const place = row ?? (type === "added" ? `after line ${line}` : `line ${line}`);
  const lines = [paint(`@@ ${visibleLine(place)} @@ ${visibleLine(reason)}`, "cyan")];
  const record = (text: string): string => {
    const rest = text.length - MAX_RECORD_CHARS;
    return visibleLine(text.slice(0, MAX_RECORD_CHARS)) + (rest > 0 ? ` … ${rest} more characters` : "");
  };
  if (before !== null && before !== after) lines.push(paint(`-${record(before)}`, "red"));
  if (after !== null)
    lines.push(before === after ? ` ${record(after)}` : paint(`+${record(after)}`, "green"));
  return lines;
}
