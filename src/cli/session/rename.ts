/** `session rename`: another title, through the agent's own format. */

import { renameNativeSession } from "../../agents/index.ts";
import { visibleLine } from "../../transcript/index.ts";
import { placesOf } from "../places/index.ts";
import { createOutput, type Shell } from "../terminal/index.ts";

export async function runRename(id: string, title: string, shell: Shell): Promise<number> {
  await renameNativeSession(id, title, { places: placesOf(shell), cwd: shell.cwd });
  await createOutput(shell.stdout).write(`${visibleLine(`renamed  ${title}`)}\n`);
  return 0;
}
