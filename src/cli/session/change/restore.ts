/** `session restore`: moves a session from the trash back to its place. */

import { OWN, openReadable, restoreOwn, type TrashedOwn, trashedOwn } from "@continuo/agents/catalog";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { listTrashedSessions, restoreNativeSession } from "@continuo/native/editing";
import { namedInTrash, oneInTrash, type TrashedSession } from "@continuo/native/editing/trash";
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
  const ofOwn = own === null ? [] : await trashedOwn(own);
  const named = namedInTrash(id, [...listTrashedSessions({ places: options.places }), ...ofOwn]);
  if (own === null || !named.some(({ info }) => info.agent === OWN))
    return await restoreNativeSession(id, options);
  return await restoreOwn(oneInTrash(id, named).trashId, own, options);
}
