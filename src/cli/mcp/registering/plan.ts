/** Plans the changes of files that pieces need, makes them, and undoes them. */

import { type AgentName, ContinuoError, isContinuoError, present } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { applyEdit, type Edit, inverseOf } from "./edit.ts";
import { readEditRecord, removeEditRecord, saveEditRecord } from "./edit-records.ts";
import { readSettings, type Settings, writeSettings } from "./settings-file.ts";

/** One entry of a settings file, or one file of Continuo. */
export interface Piece {
  /** The agents that read the file; some files have several. */
  readonly agents: readonly AgentName[];
  readonly what: "MCP server" | "skill" | "command" | "hook" | "status line" | "retention";
  /** The name that distinguishes pieces of one kind in one file. */
  readonly name?: string;
  readonly path: string;
  /** True if the file exists only for this piece, and is removed with it. */
  readonly isWholeFile?: true;
  /** Errors: `invalid`; `conflict` if the person has something else at the place. `null` if it already exists. */
  add(text: string): Edit | null;
  /** `null` if there is nothing of Continuo. Errors: `invalid`. */
  remove(text: string): Edit | null;
}

export type Direction = "add" | "remove";

export interface PlannedChange {
  readonly piece: Piece;
  /** The path of its file, symbolic links resolved. */
  readonly path: string;
  readonly state: "changes" | "nothing to do" | "not possible";
  /** The reason why the change is not possible. */
  readonly error: ContinuoError | null;
  readonly edit: Edit | null;
  /** The text of the file after this step; `null` if there is no file. */
  readonly after: string | null;
  /** True if this step creates the file. */
  readonly isNew: boolean;
}

export interface FilePlan {
  readonly settings: Settings;
  /** The steps of one file, in the order in which they change it. */
  readonly steps: readonly PlannedChange[];
  readonly after: string | null;
}

export interface Plan {
  readonly files: readonly FilePlan[];
  /** One step for each piece, in order, even if the file of a piece cannot be read. */
  readonly steps: readonly PlannedChange[];
}

/** Writes no file. @param direction `remove` removes the pieces, the last one first */
export function planOf(direction: Direction, pieces: readonly Piece[], places: Places): Plan {
  const ordered = direction === "add" ? pieces : pieces.toReversed();
  const files = new Map<string, { settings: Settings; text: string | null; steps: PlannedChange[] }>();
  const steps = new Map<Piece, PlannedChange>();
  for (const piece of ordered) {
    const step = tried(piece, () => {
      const settings = readSettings(piece.path, places.home);
      const file = files.get(settings.path) ?? { settings, text: settings.text, steps: [] };
      files.set(settings.path, file);
      const at = { piece, path: settings.path, text: file.text };
      const made = direction === "add" ? added(at) : removed(at, places);
      file.text = made.after;
      file.steps.push(made);
      return made;
    });
    steps.set(piece, step);
  }
  const plans = [...files.values()].filter(({ steps }) => steps.some(({ state }) => state === "changes"));
  return {
    files: plans.map((file) => ({ settings: file.settings, steps: file.steps, after: file.text })),
    steps: pieces.flatMap((piece) => steps.get(piece) ?? []),
  };
}

/**
 * Makes the change of a file, and stores how to undo each step. Errors: `conflict` if it has changed since it was read.
 */
export function changeFile(direction: Direction, { settings, steps, after }: FilePlan, places: Places): void {
  writeSettings(settings, after, places.home);
  for (const step of steps) {
    if (step.edit === null) continue;
    if (direction === "remove") removeEditRecord(places, recordName(step));
    else saveEditRecord(places, recordName(step), step.after ?? "", { edit: step.edit, isNew: step.isNew });
  }
}

/** The name under which the edit of a piece is stored, because a file may have several. */
function recordName({ piece: { what, name = "" }, path }: Pick<PlannedChange, "piece" | "path">): string {
  return what === "MCP server" ? path : `${path} ${what}${name}`;
}

function tried(piece: Piece, make: () => PlannedChange): PlannedChange {
  try {
    return make();
  } catch (error) {
    if (!isContinuoError(error)) throw error;
    const { path } = piece;
    const message = error.message.includes(path) ? error.message : `${path}: ${error.message}`;
    const named = new ContinuoError(error.code, message, present({ hint: error.hint }));
    return { piece, path, state: "not possible", error: named, edit: null, after: null, isNew: false };
  }
}

interface PieceInFile {
  readonly piece: Piece;
  readonly path: string;
  readonly text: string | null;
}

function added({ piece, path, text }: PieceInFile): PlannedChange {
  const edit = piece.add(text ?? "");
  if (edit === null) return unchanged({ piece, path, text });
  const after = applyEdit(text ?? "", edit);
  return { piece, path, state: "changes", error: null, edit, after, isNew: text === null };
}

/** Restores the earlier file if nobody has changed it; otherwise removes only Continuo's part. */
function removed({ piece, path, text }: PieceInFile, places: Places): PlannedChange {
  if (text === null) return unchanged({ piece, path, text });
  const kept = readEditRecord(places, recordName({ piece, path }), text);
  const edit = kept === null ? piece.remove(text) : inverseOf(kept.edit);
  if (edit === null) return unchanged({ piece, path, text });
  const isGone = kept === null ? piece.isWholeFile === true : kept.isNew;
  const after = isGone ? null : applyEdit(text, edit);
  return { piece, path, state: "changes", error: null, edit, after, isNew: false };
}

function unchanged({ piece, path, text }: PieceInFile): PlannedChange {
  return { piece, path, state: "nothing to do", error: null, edit: null, after: text, isNew: false };
}
