/** Archives sessions of any agent: Continuo leaves them out of its lists, and no file of an agent changes. */

import { ContinuoError } from "@continuo/core/model";
import type { LookUpHit } from "./look-up.ts";
import { type MarkOptions, markArchived } from "./marks.ts";

/**
 * A session that is already in the requested state does not change. Errors: `unsupported` for a session that the agent
 * itself archived and that should return; `corrupt`, `busy`, `unwritable`.
 */
export async function setArchived(hit: LookUpHit, archived: boolean, options: MarkOptions): Promise<void> {
  if (hit.kind === "own") return await markArchived(hit.row, archived, options);
  const { agent, sessionId, archived: isArchivedByAgent } = hit.native.found;
  if (!isArchivedByAgent) return await markArchived({ agent, sessionId }, archived, options);
  if (archived) return;
  throw new ContinuoError("unsupported", `${agent} itself has archived the session ${sessionId}`, {
    hint: `Run \`${agent} unarchive ${sessionId}\`, if ${agent} has that command.`,
  });
}
