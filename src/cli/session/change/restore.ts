/** `session restore`: moves a session from the trash back to its place. */

import { openReadable, restoreNamed, type TrashedOwn } from "@continuo/agents/catalog";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import type { TrashedSession } from "@continuo/native/editing/trash";
import { createOutput, type Shell, tildePath, toJsonText } from "../../terminal/index.ts";
import { missingOf, reportMissing, trashedToJson } from "../list/index.ts";

export interface RestoreFlags {
  readonly force?: true;
  readonly json?: true;
}

export async function runRestore(id: string, flags: RestoreFlags, shell: Shell): Promise<number> {
  const restored = await restore(id, flags, shell);
  const { agent, sessionId, title, location } = restored.info;
  const output = createOutput(shell.stdout);
  if (flags.json) await output.write(`${toJsonText(trashedToJson(restored), 2)}\n`);
  else {
    const name = `restored  ${agent}:${sessionId}${title === null ? "" : `  ${title}`}`;
    await output.write(`${visibleLine(name)}\n${visibleLine(tildePath(location, shell.home))}\n`);
  }
  return 0;
}

/** A native session is restored even if the store cannot be opened. Errors: `ambiguous` if the id names several sessions, whether they are an agent's or Continuo's own. */
async function restore(id: string, flags: RestoreFlags, shell: Shell): Promise<TrashedSession | TrashedOwn> {
  const options = { places: placesOf(shell), now: shell.now, force: flags.force === true };
  const { store, error } = await openReadable(shell);
  await using own = store;
  for (const one of missingOf({ error, failures: [] })) reportMissing(one, shell);
  return await restoreNamed(id, own, options);
}
