/**
 * Repairs of sessions that ended. Their log is closed, so the records of what was put aside are in the secondary
 * session `SESSION.repairs`.
 */

import type { NewEvent, Store } from "@continuo/core/model";
import { type Damage, damageIn, eventsAround, findSideLog, isAmong, openSideLog } from "../kit/index.ts";

/** The damage that repairs put aside after the session ended. Errors: those of the store. */
export async function readRepairs(store: Store, sessionId: string): Promise<readonly Damage[]> {
  const logId = await findSideLog(store, sessionId, "repairs");
  if (logId === null) return [];
  const aside: Damage[] = [];
  for await (const { type, data } of eventsAround(store, logId)) {
    const damage = type === "event_quarantined" ? damageIn(data) : null;
    if (damage !== null) aside.push(damage);
  }
  return aside;
}

/** Records what a repair puts aside. Errors: those of the store. */
export async function recordRepairs(
  store: Store,
  sessionId: string,
  damages: readonly Damage[],
): Promise<void> {
  const events = damages.map((damage): NewEvent => ({ type: "event_quarantined", data: damage }));
  if (events.length > 0) await store.append(await openSideLog(store, sessionId, "repairs"), events);
}

/** The damage that no repair put aside after the session ended. */
export function withoutRepaired(damages: readonly Damage[], repairs: readonly Damage[]): readonly Damage[] {
  return damages.filter(({ sequence }) => !isAmong(repairs, sequence));
}
