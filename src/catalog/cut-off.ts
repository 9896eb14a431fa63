/** What a compaction took out of the model's sight. */

import type { Message } from "../model/index.ts";
import type { LookUpHit } from "./look-up.ts";
import { modelViewOf, type ShownSession } from "./open.ts";

/**
 * Ids of messages of the active branch that stand before the last summary and are not sent to the model any more; none
 * where the session was never compacted. Errors: as `modelViewOf`.
 */
export async function cutOffBy(located: LookUpHit, session: ShownSession): Promise<ReadonlySet<string>> {
  const history: Message[] = await Array.fromAsync(session.history());
  const summary = history.findLastIndex(({ origin }) => origin === "summary");
  if (summary === -1) return new Set();
  const sent = new Set((await modelViewOf(located, session)).map(({ id }) => id));
  return new Set(
    history
      .slice(0, summary)
      .filter(({ id, origin }) => !sent.has(id) && origin !== "summary")
      .map(({ id }) => id),
  );
}
