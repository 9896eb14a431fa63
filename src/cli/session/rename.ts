/** `session rename`: another title, through the agent's own format, or in Continuo's store. */

import { renameNativeSession, toGivenTitle } from "../../agents/index.ts";
import { visibleLine } from "../../transcript/index.ts";
import { locateAny, openOwn } from "../own/index.ts";
import { placesOf } from "../places/index.ts";
import { createOutput, type Shell } from "../terminal/index.ts";

export async function runRename(id: string, title: string, shell: Shell): Promise<number> {
  const located = await locateAny(id, shell, "without examples");
  const now =
    located.kind === "own"
      ? await renameOwn(located.row.sessionId, title, shell)
      : await renameNativeSession(located.native.found, title, { places: placesOf(shell), cwd: shell.cwd });
  await createOutput(shell.stdout).write(`${visibleLine(`renamed  ${now}`)}\n`);
  return 0;
}

/** Errors: `invalid` for an empty title, or a long one. */
async function renameOwn(sessionId: string, text: string, shell: Shell): Promise<string> {
  const title = toGivenTitle(text);
  await using own = await openOwn(shell);
  await own?.store.updateSession(sessionId, { title });
  return title;
}
