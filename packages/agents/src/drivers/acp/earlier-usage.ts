/**
 * The cost of a session before a turn. ACP reports the cost as the sum of the whole session, even after a resumption.
 */

import { isFailure } from "@continuo/core/model";
import { type DriverOptions, findOnDisk } from "../link/index.ts";

export interface EarlierUsage {
  readonly sessionId: string;
  readonly cwd: string;
  readonly beforeMs: number;
}

/** In dollars, by the agent's own record; `null` if Continuo does not find that record, or cannot read it. */
export async function spentBefore(
  options: DriverOptions,
  { sessionId, cwd, beforeMs }: EarlierUsage,
): Promise<number | null> {
  const { reader, places } = options;
  const found = await findOnDisk(options, { sessionId, cwd });
  if (reader === undefined || found === null) return null;
  try {
    using session = await reader.open(found, places, {});
    let sum = 0;
    for await (const { usage, timestamp = "" } of session.history()) {
      if (Date.parse(timestamp) < beforeMs) sum += usage?.costUsd ?? 0;
    }
    return sum;
  } catch (error) {
    if (isFailure(error)) return null;
    throw error;
  }
}
