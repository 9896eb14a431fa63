/** `session restore`: moves a session from the trash back to its place. */

import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { restoreNativeSession } from "@continuo/native/editing";
import { createOutput, type Shell, tildePath, toJsonText } from "../../terminal/index.ts";
import { trashedToJson } from "../list/index.ts";

export interface RestoreFlags {
  readonly force?: true;
  readonly json?: true;
}

export async function runRestore(id: string, flags: RestoreFlags, shell: Shell): Promise<number> {
  const restored = await restoreNativeSession(id, {
    places: placesOf(shell),
    now: shell.now,
    force: flags.force === true,
  });
  const { agent, sessionId, title, location } = restored.info;
  const output = createOutput(shell.stdout);
  if (flags.json) await output.write(`${toJsonText(trashedToJson(restored), 2)}\n`);
  else {
    const name = `restored  ${agent}:${sessionId}${title === null ? "" : `  ${title}`}`;
    await output.write(`${visibleLine(name)}\n${visibleLine(tildePath(location, shell.home))}\n`);
  }
  return 0;
}
