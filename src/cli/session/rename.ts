/** `session rename`: another title, through the agent's own format, or in Continuo's store. */

import { renameNativeSession } from "../../agents/index.ts";
import { ContinuoError } from "../../model/index.ts";
import { visibleLine } from "../../transcript/index.ts";
import { locateAny, openOwn } from "../own/index.ts";
import { placesOf } from "../places/index.ts";
import { createOutput, type Shell } from "../terminal/index.ts";

export async function runRename(id: string, title: string, shell: Shell): Promise<number> {
  const located = await locateAny(id, shell, "without examples");
  if (located.kind === "own") await renameOwn(located.row.sessionId, title, shell);
  else await renameNativeSession(located.native.found, title, { places: placesOf(shell), cwd: shell.cwd });
  await createOutput(shell.stdout).write(`${visibleLine(`renamed  ${title}`)}\n`);
  return 0;
}

/** Errors: `invalid` for an empty title. */
async function renameOwn(sessionId: string, title: string, shell: Shell): Promise<void> {
  const line = title.toWellFormed().replace(/\s+/gu, " ").trim();
  if (line === "") throw new ContinuoError("invalid", "a title has at least one character");
  await using own = await openOwn(shell);
  await own?.store.updateSession(sessionId, { title: line });
}
