/** The summaries of a page of channels. Nothing is kept: a message that was redacted is in no list. */

import type { Store } from "@continuo/core/model";
import type { ChannelRow } from "@continuo/core/wire";
import { summaryOf } from "@continuo/store/channels";
import { LIMITS } from "./limits.ts";

/** In groups, so that little is in memory. Errors: those of the store. */
export async function withSummaries(
  store: Store,
  rows: readonly ChannelRow[],
): Promise<readonly ChannelRow[]> {
  const summed: ChannelRow[] = [];
  for (let from = 0; from < rows.length; from += LIMITS.summariesAtOnce) {
    const group = rows.slice(from, from + LIMITS.summariesAtOnce);
    const one = async (row: ChannelRow): Promise<ChannelRow> => ({
      ...row,
      summary: await summaryOf(store, row),
    });
    summed.push(...(await Promise.all(group.map(one))));
  }
  return summed;
}
