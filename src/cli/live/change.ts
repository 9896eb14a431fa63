/** `continuo live remove` and `undo`: a note of a session. */

import { shellWord } from "@continuo/core/model";
import { accessOf, callServer } from "../channel/index.ts";
import { type Shell, toJsonText } from "../terminal/index.ts";
import type { LiveFlags } from "./flags.ts";
import { livePath } from "./lines.ts";

export interface ChangedNote {
  readonly key: string;
  readonly noteId: string;
  readonly operation: "remove" | "undo";
}

export async function runChange(
  { key, noteId, operation }: ChangedNote,
  flags: LiveFlags,
  shell: Shell,
): Promise<number> {
  const path = livePath(key, `/notes/${encodeURIComponent(noteId)}`);
  const answer = await callServer(await accessOf(flags, shell), path, { operation });
  if (flags.json) shell.stdout.write(`${toJsonText(answer)}\n`);
  else if (operation === "undo") shell.stdout.write("undone\n");
  else {
    const undo = `continuo live undo ${shellWord(key)} ${shellWord(noteId)}`;
    shell.stdout.write(`removed; \`${undo}\` brings it back\n`);
  }
  return 0;
}
