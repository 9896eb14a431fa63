/** `session rename`: gives a session a new title. */

import { type OwnRow, openOwnAgain, renameOwn } from "@continuo/agents/catalog";
import { ContinuoError } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { renameNativeSession } from "@continuo/native/editing";
import { locate } from "../../notices/index.ts";
import { askLine, canAsk, createOutput, type Shell } from "../../terminal/index.ts";

/** @param given `null` to ask for it. Errors: `usage` if there is no title */
export async function runRename(id: string, given: string | null, shell: Shell): Promise<number> {
  const located = await locate(id, shell, "without examples");
  const title = given ?? (canAsk(shell) ? await askLine("New title: ", shell) : "");
  if (title.trim() === "") {
    throw new ContinuoError("usage", "missing title", {
      hint: "Add the title, in one line, after the session.",
    });
  }
  const now =
    located.kind === "own"
      ? await renamed(located.row, title, shell)
      : await renameNativeSession(located.native.found, title, { places: placesOf(shell), cwd: shell.cwd });
  await createOutput(shell.stdout).write(`${visibleLine(`renamed  ${now}`)}\n`);
  return 0;
}

async function renamed(row: OwnRow, title: string, shell: Shell): Promise<string> {
  await using own = await openOwnAgain(shell);
  return await renameOwn(row, title, own);
}
