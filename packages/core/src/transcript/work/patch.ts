/**
 * The patches of `apply_patch`: `*** Begin Patch … *** Update File: PATH … *** End Patch`, also within a shell command.
 * Pure.
 */

import { deleteEdit, type FileEdit, wholeEdit } from "./file-edit.ts";
import type { Hunk, HunkLine } from "./hunks.ts";

const FILE = /^\*\*\* (Update|Add|Delete) File: (.+)$/u;
const MOVE = /^\*\*\* Move to: (.+)$/u;

export function parsePatch(text: string): readonly FileEdit[] {
  const [, patch] = /\*\*\* Begin Patch([\s\S]*)/u.exec(text) ?? [];
  if (patch === undefined) return [];
  const lines = (patch.split(/^\*\*\* End Patch/mu)[0] ?? "").split(/\r?\n/u);
  const starts = lines.flatMap((line, at) => (FILE.test(line) ? [at] : []));
  return starts.flatMap((start, number) => {
    const [, what, path = ""] = FILE.exec(lines[start] ?? "") ?? [];
    const body = lines.slice(start + 1, starts[number + 1] ?? lines.length);
    return editOf(what ?? "Update", path.trim(), body);
  });
}

function editOf(what: string, path: string, body: readonly string[]): FileEdit[] {
  if (what === "Delete") return [deleteEdit(path, null)];
  if (what === "Add") {
    const added = body.filter((line) => line.startsWith("+")).map((line) => line.slice(1));
    return [wholeEdit(path, added.join("\n"), "create")];
  }
  const target = MOVE.exec(body[0] ?? "")?.[1]?.trim();
  const hunks = hunksOf(target === undefined ? body : body.slice(1));
  if (hunks.length === 0 && target === undefined) return [];
  return [{ path: target ?? path, movedFrom: target === undefined ? null : path, kind: "edit", hunks }];
}

/** The `@@` of a patch has no numbers. */
function hunksOf(body: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let lines: HunkLine[] = [];
  for (const line of [...body, "@@"]) {
    if (line.startsWith("@@")) {
      const end = lines.findLastIndex(({ sign, text }) => sign !== " " || text !== "") + 1;
      if (lines.some(({ sign }) => sign !== " ")) hunks.push({ at: null, lines: lines.slice(0, end) });
      lines = [];
    } else if (!line.startsWith("***") && !line.startsWith("\\")) {
      const sign = line.startsWith("-") ? "-" : line.startsWith("+") ? "+" : " ";
      lines.push({ sign, text: line.slice(1) });
    }
  }
  return hunks;
}
