/** The change of each file that pieces ask for, and the way back. Reads files, and writes none. */

import { type ContinuoError, isContinuoError } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import {
  applyEdit,
  type Edit,
  inverseOf,
  readEditRecord,
  readSettings,
  type Settings,
} from "../mcp/registering/index.ts";
import type { Piece } from "./pieces.ts";

export interface Step {
  readonly piece: Piece;
  readonly state: "changes" | "nothing to do" | "not possible";
  /** The reason, where it is not possible. */
  readonly error: ContinuoError | null;
  readonly edit: Edit | null;
  /** The text of the file after this step; `null` for no file. */
  readonly after: string | null;
  /** True where this step makes the file. */
  readonly isNew: boolean;
}

export interface FilePlan {
  readonly settings: Settings;
  /** Those of one file, in the order in which they change it. */
  readonly steps: readonly Step[];
  readonly after: string | null;
}

export interface Plan {
  readonly files: readonly FilePlan[];
  /** One for each piece, in their order, whether its file can be read or not. */
  readonly steps: readonly Step[];
}

/** The name under which the edit of a piece is kept: a file may have several. */
export function recordName({ what, name = "", path }: Piece): string {
  return what === "MCP server" ? path : `${path} ${what}${name}`;
}

/** @param direction `remove` takes the pieces back, the last one first */
export function planOf(direction: "add" | "remove", pieces: readonly Piece[], places: Places): Plan {
  const ordered = direction === "add" ? pieces : pieces.toReversed();
  const files = new Map<string, { settings: Settings; text: string | null; steps: Step[] }>();
  const steps = new Map<Piece, Step>();
  for (const piece of ordered) {
    const step = tried(piece, () => {
      const settings = readSettings(piece.path, places.home);
      const file = files.get(settings.path) ?? { settings, text: settings.text, steps: [] };
      files.set(settings.path, file);
      const made = direction === "add" ? added(piece, file.text) : removed(piece, file.text, places);
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

function tried(piece: Piece, make: () => Step): Step {
  try {
    return make();
  } catch (error) {
    if (!isContinuoError(error)) throw error;
    return { piece, state: "not possible", error, edit: null, after: null, isNew: false };
  }
}

function added(piece: Piece, text: string | null): Step {
  const edit = piece.add(text ?? "");
  if (edit === null) return unchanged(piece, text);
  const after = applyEdit(text ?? "", edit);
  return { piece, state: "changes", error: null, edit, after, isNew: text === null };
}

/** The file as it was before, if nobody changed it since; else without what is ours in it. */
function removed(piece: Piece, text: string | null, places: Places): Step {
  if (text === null) return unchanged(piece, text);
  const kept = readEditRecord(places, recordName(piece), text);
  const edit = kept === null ? piece.remove(text) : inverseOf(kept.edit);
  if (edit === null) return unchanged(piece, text);
  const rest = applyEdit(text, edit);
  const after = kept?.isNew || rest === "" ? null : rest;
  return { piece, state: "changes", error: null, edit, after, isNew: false };
}

function unchanged(piece: Piece, text: string | null): Step {
  return { piece, state: "nothing to do", error: null, edit: null, after: text, isNew: false };
}
