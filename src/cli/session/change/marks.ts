/**
 * `session pin`, `archive` and `tag`, and the commands that undo them: marks that Continuo stores for a session of any
 * agent.
 */

import { markSession, setArchived } from "@continuo/agents/catalog";
import { present } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import type { MarkRequest, SessionMarks } from "@continuo/core/wire/machine";
import { placesOf } from "@continuo/files";
import { locate } from "../../notices/index.ts";
import { createOutput, type Shell } from "../../terminal/index.ts";

export type MarkVerb = "pin" | "unpin" | "archive" | "unarchive";

const DONE: Readonly<Record<MarkVerb, string>> = {
  pin: "pinned",
  unpin: "unpinned",
  archive: "archived",
  unarchive: "unarchived",
};

export async function runMark(id: string, verb: MarkVerb, shell: Shell): Promise<number> {
  if (verb === "pin" || verb === "unpin") await marked(id, { pinned: verb === "pin" }, shell);
  else {
    const hit = await locate(id, shell, "without examples");
    await setArchived(hit, verb === "archive", { places: placesOf(shell) });
  }
  await createOutput(shell.stdout).write(`${DONE[verb]}
`);
  return 0;
}

export interface TagFlags {
  readonly add: readonly string[];
  readonly remove?: readonly string[];
}

export async function runTag(id: string, { add, remove }: TagFlags, shell: Shell): Promise<number> {
  const { tags } = await marked(id, present({ addTags: add, removeTags: remove }), shell);
  const shown = tags.length === 0 ? "no tags" : tags.map((tag) => `#${tag}`).join(" ");
  await createOutput(shell.stdout).write(`${visibleLine(shown)}\n`);
  return 0;
}

async function marked(id: string, request: MarkRequest, shell: Shell): Promise<SessionMarks> {
  const located = await locate(id, shell, "without examples");
  const session = located.kind === "own" ? located.row : located.native.found;
  return await markSession(session, request, { places: placesOf(shell) });
}
