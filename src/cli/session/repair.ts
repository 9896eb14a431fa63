/** `session repair`: what is wrong with a session's records, record by record, and a whole copy of it. */

import {
  type RepairEdit,
  type RepairOptions,
  repairNativeSession,
  type SessionRepair,
} from "../../agents/index.ts";
import { visibleLine } from "../../transcript/index.ts";
import { placesOf } from "../places/index.ts";
import {
  createOutput,
  type Paint,
  paintFor,
  type Shell,
  screenOf,
  tildePath,
  toJsonText,
} from "../terminal/index.ts";

export interface RepairFlags {
  readonly output?: string;
  readonly inPlace?: true;
  readonly json?: true;
}

export async function runRepair(id: string, flags: RepairFlags, shell: Shell): Promise<number> {
  const options: RepairOptions = { places: placesOf(shell), cwd: shell.cwd, ...writeOf(flags) };
  const repair = await repairNativeSession(id, options);
  const output = createOutput(shell.stdout);
  if (flags.json) await output.write(`${toJsonText(repair, 2)}\n`);
  else await output.write(draw(repair, shell));
  return 0;
}

function writeOf({ output, inPlace }: RepairFlags): Pick<RepairOptions, "write"> {
  if (inPlace) return { write: "in place" };
  return output === undefined ? {} : { write: { file: output } };
}

function draw(repair: SessionRepair, shell: Shell): string {
  const { edits, agent, sessionId, location, written, trashId } = repair;
  const name = `${agent}:${sessionId}`;
  if (edits.length === 0) return `${visibleLine(`nothing to repair in ${name}`)}\n`;
  const paint = paintFor(screenOf(shell, shell.stdout));
  const path = (text: string): string => visibleLine(tildePath(text, shell.home));
  const lines = [
    `--- ${path(location)}`,
    `+++ ${written === null ? "repaired" : path(written)}`,
    ...edits.flatMap((edit) => drawEdit(edit, paint)),
    "",
    ...endOf(repair, path),
  ];
  if (trashId !== null) lines.push(`Bring the old one back: continuo session restore ${visibleLine(name)}`);
  return lines.map((line) => `${line}\n`).join("");
}

function endOf({ agent, edits, written, trashId }: SessionRepair, path: (text: string) => string): string[] {
  const count = edits.length === 1 ? "one record" : `${edits.length} records`;
  if (written === null) {
    return [
      `${count} to repair. Nothing was written: --output writes a copy, --in-place repairs the session.`,
    ];
  }
  // Its sessions lie in a database: a copy is a file that it takes in, as a session of its own.
  const takenIn = agent === "opencode" ? `; \`opencode import\` takes it in, run in its folder` : "";
  if (trashId === null) return [`${count} repaired in the copy ${path(written)}${takenIn}`];
  return [`${count} repaired. What was there before is in the trash.`];
}

/** A record may be megabytes. */
const MAX_RECORD_CHARS = 400;

function drawEdit({ line, row, type, reason, before, after }: RepairEdit, paint: Paint): string[] {
  const place = row ?? (type === "added" ? `behind line ${line}` : `line ${line}`);
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
