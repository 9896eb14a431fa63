/**
 * The outcome of a transaction whose answer was lost. The server process of its connection may still be writing, so
 * this code waits until that process has ended. After that, an event of the transaction either exists, or never will.
 */

import type pg from "pg";
import { LIMITS, type Witness } from "../engine/index.ts";
import { unknownOutcome } from "./failures.ts";

export interface LostAnswer {
  /** The connection that was lost; it is already back in the pool, because the search needs other connections. */
  readonly client: pg.PoolClient;
  /** An event that the transaction stored. Without one, the outcome cannot be found out. */
  readonly witness: Witness | undefined;
  readonly error: unknown;
  readonly location: string;
}

/** Errors: `unavailable` with `details.outcome` `unknown`, if the outcome cannot be found out in time. */
export async function wasStored(pool: pg.Pool, answer: LostAnswer): Promise<boolean> {
  const { client, witness, error, location } = answer;
  if (witness === undefined) throw unknownOutcome(error, location);
  const { processID: pid = 0 } = client as { readonly processID?: number };
  for (const until = performance.now() + LIMITS.settleMs; performance.now() < until; ) {
    const state = await look(pool, pid, witness);
    if (state !== "unknown") return state === "stored";
    await new Promise((resolve) => setTimeout(resolve, LIMITS.settlePauseMs));
  }
  throw unknownOutcome(error, location);
}

/** Checks the process before the event. In a single statement, the event could be committed during the check. */
async function look(
  pool: pg.Pool,
  pid: number,
  { logKey, sequence, eventId }: Witness,
): Promise<"stored" | "not stored" | "unknown"> {
  const process = "select exists (select 1 from pg_stat_activity where pid = $1) as busy";
  const event =
    "select exists (select 1 from events where log_key = $1 and sequence = $2 and event_id = $3) as stored";
  try {
    const { rows: processes } = await pool.query<{ readonly busy: boolean }>(process, [pid]);
    const { rows: events } = await pool.query<{ readonly stored: boolean }>(event, [
      logKey,
      sequence,
      eventId,
    ]);
    if (events[0]?.stored === true) return "stored";
    return processes[0]?.busy === false ? "not stored" : "unknown";
  } catch {
    // The server does not answer. The caller asks it again.
    return "unknown";
  }
}
