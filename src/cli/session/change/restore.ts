/** `session restore`: moves a session from the trash back to its place. */

import { openOwn, restoreOwn, type TrashedOwn, trashedOwnNamed } from "@continuo/agents/catalog";
import { ContinuoError } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { listTrashedSessions, restoreNativeSession } from "@continuo/native/editing";
import type { TrashedSession } from "@continuo/native/editing/trash";
import { createOutput, type Shell, tildePath, toJsonText } from "../../terminal/index.ts";
import { trashedToJson } from "../list/index.ts";

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

/** Errors: `ambiguous` if the id names a session of an agent and one of Continuo's own. */
async function restore(id: string, flags: RestoreFlags, shell: Shell): Promise<TrashedSession | TrashedOwn> {
  const options = { places: placesOf(shell), now: shell.now, force: flags.force === true };
  await using own = await openOwn(shell);
  if (own === null || (await trashedOwnNamed(id, own)).length === 0)
    return await restoreNativeSession(id, options);
  const natives = listTrashedSessions({ places: options.places }).filter(({ info }) =>
    info.sessionId.toLowerCase().startsWith(id.toLowerCase()),
  );
  if (natives.length === 0) return await restoreOwn(id, own, options);
  throw new ContinuoError("ambiguous", `${JSON.stringify(id)} names several sessions in the trash`, {
    hint: "Give more of the id, or AGENT:ID.",
  });
}
